// The task "drop-test" of `prehend simulate`.
#pragma once

#include <string>
#include <vector>

#include "jobs/simulate_task.h"
#include "jobs/simulate_value.h"
#include "prehend/core/summary.h"

namespace prehend::jobs {

// Fills in setup.drop.
Status set_drop_test(const SimulateOptions& options, SimulateSetup& setup);

struct DropRun {
  example_control::Gains gains;
  example_control::DropTest test;
  int tests = 1;
};
Result<DropRun> run_drop_test(const SimulateSetup& setup, const Monitor& monitor);

io::Value drop_value(const SimulateSetup& setup, const DropRun& run);
std::string drop_text(const SimulateSetup& setup, const DropRun& run);
// Before, in the fall, in the catch, at once after it and settled.
std::vector<Moment> drop_moments(const example_control::DropTest& test);

}  // namespace prehend::jobs
