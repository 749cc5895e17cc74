#include "prehend/methods/example_control/rehearse.h"

#include <algorithm>
#include <cmath>

#include <tbb/parallel_for.h>

#include "methods/example_control/contact_field.h"
#include "prehend/core/assert.h"
#include "prehend/methods/example_control/run.h"

namespace prehend::example_control {
namespace {

constexpr double kLift = 0.06, kLiftSeconds = 0.5;
constexpr int kShakes = 1;
constexpr size_t kTogether = 2;  // ways at a time
// How much of each is as bad as the other: slip, turn, joints out of their range, and the sum of
// normal forces in weights.
constexpr double kSlip = 0.01, kTurn = radians(15.0), kOut = radians(10.0), kForce = 15.0;
constexpr double kLost = 100.0;
// A grip must not hang on a hair: the wrist also comes beside its way, m in its own frame.
const Vec3 kMisses[] = {Vec3::Zero(), {0.003, 0.0, -0.003}};

RunProblem short_task(const SimulationProblem& scene, Presentation way, const Vec3& miss) {
  GraspTask task;
  task.lift = kLift;
  task.lift_seconds = kLiftSeconds;
  task.shakes = kShakes;
  RunProblem run;
  run.simulation = scene;
  run.simulation.hands.resize(1);
  ControlledHand& hand = run.simulation.hands[0];
  if (way.controller) hand.controller = way.controller;
  way.grip_wrist_world.position += way.grip_wrist_world.turn(miss);
  const TaskPlan plan = plan_task(*hand.controller, *hand.hand, way, task);
  hand.wrist_world = plan.wrist_world;
  hand.alpha = 0.0;
  hand.release = {};
  run.simulation.objects[0].pose_world = way.object_world;
  run.simulation.objects[0].distance = way.distance;
  run.cues = {{plan.grip, 0, {.grip = true}}};
  run.seconds = plan.set_down;
  run.carry_from = plan.lift;
  run.carry_to = plan.set_down;
  run.lift = kLift;
  return run;
}

double badness(const RunReport& report, double weight) {
  return (report.held ? 0.0 : kLost) + report.slip / kSlip + report.turned / kTurn +
         report.max_limit_violation / kOut + report.mean_contact_force / (kForce * weight);
}

Rehearsal attempt(const SimulationProblem& scene, const Presentation& way,
                  const SimulationOptions& options) {
  const double weight = scene.objects[0].object->mass * kStandardGravity;
  Rehearsal tried;
  tried.held = true;
  for (const Vec3& miss : kMisses) {
    const auto report = run(short_task(scene, way, miss), options);
    // What comes apart is not held.
    tried.held = tried.held && report && report->held;
    tried.badness = std::max(tried.badness, report ? badness(*report, weight) : INFINITY);
    if (!tried.held) break;
    tried.slip = std::max(tried.slip, report->slip);
    tried.turned = std::max(tried.turned, report->turned);
  }
  return tried;
}

}  // namespace

Rehearsal rehearse(const SimulationProblem& scene, std::span<const Presentation> ways,
                   const SimulationOptions& simulation, const RehearsalOptions& options) {
  PREHEND_ASSERT(!scene.hands.empty() && !scene.objects.empty() && !ways.empty());
  SimulationOptions as_held = simulation;
  as_held.grip = Grip::kHold;
  as_held.terms = {};
  as_held.timestep = std::max(simulation.timestep, SimulationOptions{}.timestep);
  SimulationProblem shared = scene;  // meshes are sampled once for all
  for (PlacedObject& placed : shared.objects) {
    const Shape& shape = placed.object->shape;
    if (!placed.distance) placed.distance = contact_field(geometry::exact_distance(shape), shape);
  }
  Rehearsal best;
  best.badness = INFINITY;
  for (size_t first = 0; first < ways.size(); first += kTogether) {
    const auto batch = ways.subspan(first, std::min<size_t>(kTogether, ways.size() - first));
    std::vector<Rehearsal> tried(batch.size());
    tbb::parallel_for(size_t{0}, batch.size(),
                      [&](size_t i) { tried[i] = attempt(shared, batch[i], as_held); });
    for (size_t i = 0; i < batch.size(); ++i) {
      if (tried[i].badness >= best.badness) continue;
      best = tried[i];
      best.way = static_cast<int>(first + i);
      if (best.held && best.badness < options.good) return best;
    }
  }
  return best;
}

}  // namespace prehend::example_control
