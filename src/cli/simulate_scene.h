// What `prehend simulate` is asked to do, from the command line and from a scene.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "prehend/cli/verb.h"
#include "prehend/io/schema.h"
#include "prehend/methods/example_control/drop_test.h"
#include "prehend/methods/example_control/grasp_task.h"
#include "prehend/methods/example_control/run.h"

namespace prehend::cli {

struct SimulateArguments {
  static constexpr double kNotGiven = std::numeric_limits<double>::quiet_NaN();

  std::vector<std::string> inputs, controllers, without;
  std::string object, grip, gains;
  double alpha = kNotGiven, timestep = kNotGiven, mass = kNotGiven;
  bool free = false, heaviest = false;

  void declare(OptionSet& options);
};

enum class SimulateTask { kGrasp, kHandshake, kFree, kPath, kDropTest };
const char* to_string(SimulateTask task);

struct SimulateJob {
  SimulateTask task = SimulateTask::kGrasp;
  std::string title;
  example_control::RunProblem run;
  example_control::SimulationOptions options;
  // Of the task grasp.
  std::optional<example_control::Presentation> presentation;
  std::optional<example_control::TaskPlan> plan;
  // Of the task drop-test.
  example_control::DropTestOptions drop;
  example_control::DropTarget drop_target;
  bool tune = false;
  std::vector<std::string> notes;

  const example_control::ControlledHand& hand(int i) const { return run.simulation.hands[i]; }
};

// What the command line does not say, the scene's [options.simulate] does.
Result<SimulateJob> simulate_job(const SimulateArguments& arguments);

// The keys of [options.simulate].
const std::vector<io::SchemaKey>& simulate_keys();

}  // namespace prehend::cli
