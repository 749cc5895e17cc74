// Beyond the paper: placements tried in short simulations.
#include "prehend/methods/example_control/rehearse.h"

#include <algorithm>
#include <cmath>

#include <tbb/parallel_for.h>

#include "prehend/core/assert.h"
#include "prehend/methods/example_control/stage_grasp.h"

namespace prehend::example_control {
namespace {

constexpr double kLift = 0.06, kLiftSeconds = 0.5;  // m, s
constexpr int kShakes = 1;
// Placements simulated at a time, whatever the number of threads, so that the same one is found.
constexpr std::size_t kTogether = 2;
// What counts as one unit of badness each: slip (m), turn (rad), joints out of their range (rad),
// the sum of normal forces (weights of the object). Chosen by looking at rehearsals of the ten
// built-in objects.
constexpr double kSlip = 0.01, kTurn = radians(15.0), kOut = radians(10.0), kForce = 15.0;
constexpr double kLost = 100.0;  // worse than anything that is held
// Where the wrist comes beside its path, m in its own frame: a grip must survive a small miss.
const Vec3 kMisses[] = {Vec3::Zero(), {0.003, 0.0, -0.003}};

RunProblem short_task(SimulationProblem scene, GraspPlacement placement, const Vec3& miss) {
  GraspTask task;
  task.lift = kLift;
  task.lift_seconds = kLiftSeconds;
  task.shakes = kShakes;
  scene.hands.resize(1);
  scene.hands[0].alpha = 0.0;
  scene.hands[0].release = {};
  placement.grip_wrist_world.position += placement.grip_wrist_world.turn(miss);
  TaskPlan plan;
  RunProblem run = grasp_run(scene, placement, task, false, &plan);
  run.seconds = run.carry_to.emplace(plan.set_down);
  return run;
}

double badness(const RunReport& report, double weight) {
  return (report.held ? 0.0 : kLost) + report.slip / kSlip + report.turned / kTurn +
         report.max_limit_violation / kOut + report.mean_contact_force / (kForce * weight);
}

// What is worse than `bound` need not be known exactly.
Rehearsal attempt(const SimulationProblem& scene, const GraspPlacement& placement,
                  const SimulationOptions& options, double bound, const Monitor& monitor) {
  const double weight = scene.objects[0].object->mass * kStandardGravity;
  Rehearsal tried;
  tried.held = true;
  for (const Vec3& miss : kMisses) {
    if (monitor.stop.stop_requested()) break;
    RunProblem problem = short_task(scene, placement, miss);
    problem.give_up = bound < kLost;
    const auto report = run(problem, options, monitor);
    // What comes apart is not held.
    tried.held = tried.held && report && report->held;
    tried.badness = std::max(tried.badness, report ? badness(*report, weight) : INFINITY);
    if (!tried.held || tried.badness >= bound) break;
    tried.slip = std::max(tried.slip, report->slip);
    tried.turned = std::max(tried.turned, report->turned);
  }
  return tried;
}

}  // namespace

Rehearsal rehearse(const SimulationProblem& scene, std::span<const GraspPlacement> placements,
                   const SimulationOptions& simulation, const RehearsalOptions& options,
                   const Monitor& monitor) {
  PREHEND_ASSERT(!scene.hands.empty() && !scene.objects.empty() && !placements.empty());
  SimulationOptions as_held = simulation;
  as_held.grip = Grip::kHold;
  as_held.terms = {};
  as_held.timestep = std::max(simulation.timestep, SimulationOptions{}.timestep);
  SimulationProblem shared = scene;  // meshes are sampled once for all
  for (PlacedObject& placed : shared.objects)
    if (!placed.prepared) placed.prepared = geometry::prepare(placed.object);
  Monitor stop_only;
  stop_only.stop = monitor.stop;
  Rehearsal best;
  best.badness = INFINITY;
  for (std::size_t first = 0; first < placements.size(); first += kTogether) {
    if (monitor.stop.stop_requested()) break;
    const auto batch = placements.subspan(first, std::min(kTogether, placements.size() - first));
    std::vector<Rehearsal> tried(batch.size());
    tbb::parallel_for(std::size_t{0}, batch.size(), [&](std::size_t i) {
      tried[i] = attempt(shared, batch[i], as_held, best.badness, stop_only);
    });
    const int count = static_cast<int>(first + batch.size());
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (tried[i].badness >= best.badness) continue;
      best = tried[i];
      best.placement = static_cast<int>(first + i);
      best.tried = count;
      if (best.held && best.badness < options.good_enough) return best;
    }
    best.tried = count;
    if (count >= options.first_tries && best.held && best.badness < options.acceptable) break;
    monitor.report(double(count) / double(placements.size()), "rehearsing the grasp");
  }
  return best;
}

}  // namespace prehend::example_control
