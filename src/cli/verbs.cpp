#include "cli/verbs.h"

namespace prehend::cli {

std::vector<Verb> verbs() {
  return {train_verb(),      grasp_verb(),   fit_verb(),    simulate_verb(), detail_verb(),
          manipulate_verb(), measure_verb(), replay_verb(), audit_verb(),    convert_verb(),
          render_verb(),     hand_verb(),    demo_verb()};
}

}  // namespace prehend::cli
