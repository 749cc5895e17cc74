// What a simulate job asks for, as the method takes it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "prehend/io/schema.h"
#include "prehend/jobs/simulate.h"
#include "prehend/methods/example_control/drop_test.h"
#include "prehend/methods/example_control/stage_grasp.h"

namespace prehend::jobs {

enum class SimulateTask { kGrasp, kHandshake, kFree, kPath, kDropTest };
const char* to_string(SimulateTask task);

struct SimulateSetup {
  SimulateTask task = SimulateTask::kGrasp;
  std::string title;
  example_control::RunProblem run;
  example_control::SimulationOptions options;
  // Of the task grasp.
  bool as_recorded = false;                            // the object is the controller's own
  std::string turn, present;                           // the job's, instead of the scene's
  std::optional<example_control::StagedGrasp> staged;  // without its run, which is above
  // Of the task drop-test.
  example_control::DropTestOptions drop;
  example_control::DropTarget drop_target;
  bool tune = false;
  std::vector<std::string> notes;

  const example_control::ControlledHand& hand(int i) const { return run.simulation.hands[i]; }
};

// What the job leaves empty, the scene's [options.simulate] does.
// Placing and rehearsing a grasp take seconds.
Result<SimulateSetup> simulate_setup(const SimulateJob& job, const Monitor& monitor);

// The keys of [options.simulate].
const std::vector<io::SchemaKey>& simulate_keys();

}  // namespace prehend::jobs
