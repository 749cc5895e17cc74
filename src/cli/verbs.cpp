#include "cli/verbs.h"

namespace prehend::cli {

std::vector<Verb> verbs() { return {hand_verb(), render_verb(), convert_verb()}; }

}  // namespace prehend::cli
