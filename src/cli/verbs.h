// One function a verb, each in a file of its own.
#pragma once

#include "prehend/cli/session.h"
#include "prehend/cli/verb.h"

namespace prehend::cli {

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
