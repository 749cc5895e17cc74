// The task "drop-test" of `prehend simulate`.
#pragma once

#include <string>
#include <vector>

#include "cli/simulate_task.h"
#include "cli/simulate_value.h"
#include "prehend/cli/session.h"

namespace prehend::cli {

// Fills in job.drop.
Status set_drop_test(const SimulateOptions& options, SimulateJob& job);

struct DropRun {
  example_control::Gains gains;
  example_control::DropTest test;
  int tests = 1;
};
Result<DropRun> run_drop_test(const SimulateJob& job, const Monitor& monitor);

io::Value drop_value(const SimulateJob& job, const DropRun& run);
std::string drop_text(const SimulateJob& job, const DropRun& run);
// Before, in the fall, in the catch, at once after it and settled.
std::vector<Moment> drop_moments(const example_control::DropTest& test);

}  // namespace prehend::cli
