#include "jobs/simulate_margins.h"

namespace prehend::jobs {
namespace {

namespace control = example_control;

// Seconds after the object stands again: nothing is judged there.
constexpr double kAfter = 0.05;

// Digits that touch nothing: their bones stay, and their skin is gone.
HandPtr without_digits(const HandPtr& hand, const std::array<bool, kDigitCount>& without) {
  if (without == std::array<bool, kDigitCount>{}) return hand;
  Hand made = *hand;
  for (Segment& segment : made.segments)
    if (segment.digit != Digit::kNone && segment.phalanx > 0 &&
        without[static_cast<std::size_t>(segment.digit)])
      segment.capsules.clear();
  return std::make_shared<const Hand>(std::move(made));
}

}  // namespace

GraspConditions conditions_of(const SimulateSetup& setup) {
  const Object& object = *setup.run.simulation.objects[0].object;
  return {.friction = object.friction, .mass = object.mass};
}

Result<bool> holds_under(const SimulateSetup& setup, control::Grip grip,
                         const GraspConditions& conditions, const Monitor& monitor) {
  const control::StagedGrasp& staged = *setup.staged;
  control::GraspTask task = staged.staging.task;
  // A hand that closes late is one whose wrist lifts so much earlier; it cannot lift before it is
  // there.
  task.settle_seconds -= conditions.delay;
  if (task.settle_seconds < 0.0) return false;
  control::SimulationProblem scene = setup.run.simulation;
  Object object = with_mass(*scene.objects[0].object, conditions.mass);
  object.torsional_friction *= conditions.friction / object.friction;
  object.friction = conditions.friction;
  scene.objects[0].object = std::make_shared<const Object>(std::move(object));
  scene.hands[0].hand = without_digits(scene.hands[0].hand, conditions.without);
  control::GraspPlacement placement = staged.placement;
  placement.grip_wrist_world.position += placement.grip_wrist_world.turn(conditions.wrist_offset);
  control::TaskPlan plan;
  control::RunProblem run =
      control::grasp_run(scene, placement, task, staged.staging.grip_by_distance, &plan);
  run.seconds = plan.down + kAfter;
  run.give_up = true;
  control::SimulationOptions options = setup.options;
  options.grip = grip;
  Monitor stop_only;
  stop_only.stop = monitor.stop;
  const auto report = control::run(run, options, stop_only);
  // What comes apart in the simulator is not held.
  return report && report->held;
}

Result<Margins> simulate_margins(const SimulateSetup& setup, const Monitor& monitor) {
  return find_margins(
      conditions_of(setup), {kDigits.begin(), kDigits.end()},
      [&](const GraspConditions& conditions) {
        return holds_under(setup, setup.options.grip, conditions, monitor);
      },
      monitor);
}

Result<std::optional<double>> heaviest(const SimulateSetup& setup, control::Grip grip,
                                       const Monitor& monitor) {
  GraspConditions conditions = conditions_of(setup);
  const auto margin = find_margin(
      mass_axis(conditions.mass),
      [&](double mass) {
        conditions.mass = mass;
        return holds_under(setup, grip, conditions, monitor);
      },
      monitor);
  if (!margin) return margin.error();
  return margin->holds;
}

}  // namespace prehend::jobs
