// The options that every verb with clips as input shares.
#pragma once

#include "prehend/cli/verb.h"
#include "prehend/jobs/load.h"

namespace prehend::cli {

void declare_load(jobs::LoadOptions& load, OptionSet& options);

}  // namespace prehend::cli
