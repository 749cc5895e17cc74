#include "cli/verbs.h"

#include "prehend/jobs/save.h"

namespace prehend::cli {

std::vector<std::string> clip_and_data_endings() {
  std::vector<std::string> endings = jobs::clip_endings();
  endings.emplace_back(".json");
  return endings;
}

std::vector<Verb> verbs() {
  return {train_verb(),      grasp_verb(),   fit_verb(),    simulate_verb(), detail_verb(),
          manipulate_verb(), measure_verb(), replay_verb(), audit_verb(),    convert_verb(),
          render_verb(),     hand_verb(),    demo_verb()};
}

}  // namespace prehend::cli
