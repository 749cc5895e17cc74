// One function a verb, each in a file of its own.
#pragma once

#include "prehend/cli/session.h"
#include "prehend/cli/verb.h"

namespace prehend::cli {

// A verb whose options stand in an Arguments of its own, which both functions are given.
template <class Arguments>
Verb verb_with(void (*declare)(Arguments&, OptionSet&), Result<int> (*run)(Arguments&, Session&)) {
  const auto arguments = std::make_shared<Arguments>();
  Verb verb;
  verb.declare = [=](OptionSet& options) { declare(*arguments, options); };
  verb.run = [=](Session& session) { return run(*arguments, session); };
  return verb;
}

// Of a verb that writes clips, and its data as ".json".
std::vector<std::string> clip_and_data_endings();

Verb audit_verb();
Verb convert_verb();
Verb demo_verb();
Verb detail_verb();
Verb fit_verb();
Verb grasp_verb();
Verb hand_verb();
Verb manipulate_verb();
Verb measure_verb();
Verb render_verb();
Verb replay_verb();
Verb simulate_verb();
Verb train_verb();

}  // namespace prehend::cli
