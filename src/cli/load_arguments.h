// The options that every verb with clips as input shares.
#pragma once

#include "prehend/cli/load.h"
#include "prehend/cli/verb.h"

namespace prehend::cli {

void declare_load(LoadOptions& load, OptionSet& options);

}  // namespace prehend::cli
