// Beyond the paper: one function from a hand, a controller and an object to a scene that can run.
#include "prehend/methods/example_control/stage_grasp.h"

namespace prehend::example_control {
namespace {

constexpr double kPlacingPart = 0.3;  // of the progress

// A part of the whole's progress; the stop is the whole's.
Monitor part_of(const Monitor& whole, double from, double to) {
  Monitor part;
  part.stop = whole.stop;
  if (whole.progress)
    part.progress = [&whole, from, to](double fraction, const std::string& what) {
      whole.report(from + (to - from) * fraction, what);
    };
  return part;
}

void move_to(const Vec3& place_world, GraspPlacement& placement) {
  Vec3 shift = place_world - placement.object_world.position;
  shift.y() = 0.0;
  placement.object_world.position += shift;
  placement.grip_wrist_world.position += shift;
}

bool good(const Rehearsal& rehearsal) {
  return rehearsal.held && rehearsal.badness < RehearsalOptions{}.good_enough;
}

// Rehearses these, and keeps the best of them if it is better than what was kept before.
void place_and_rehearse(std::vector<GraspPlacement>& found, const GraspStaging& staging,
                        const SimulationOptions& simulation, const Monitor& monitor,
                        StagedGrasp& staged) {
  if (found.empty()) return;
  const int before = staged.placements_found;
  staged.placements_found += static_cast<int>(found.size());
  if (staging.place_world)
    for (GraspPlacement& placement : found) move_to(*staging.place_world, placement);
  if (staging.placements <= 1) {
    if (before == 0) staged.placement = std::move(found[0]);
    return;
  }
  Rehearsal rehearsal = rehearse(staged.run.simulation, found, simulation, {}, monitor);
  const int best = rehearsal.placement;
  rehearsal.placement += before;
  if (staged.rehearsal) rehearsal.tried += staged.rehearsal->tried;
  if (staged.rehearsal && staged.rehearsal->badness <= rehearsal.badness) {
    staged.rehearsal->tried = rehearsal.tried;
    return;
  }
  staged.rehearsal = rehearsal;
  staged.placement = std::move(found[best]);
}

void set_run(const GraspStaging& staging, StagedGrasp& staged) {
  RunProblem& run = staged.run;
  ControlledHand& hand = run.simulation.hands[0];
  hand.controller = staged.placement.controller;
  run.simulation.objects[0].pose_world = staged.placement.object_world;
  staged.plan = plan_task(*hand.controller, *hand.hand, staged.placement, staging.task);
  const TaskPlan& plan = staged.plan;
  hand.wrist_world = plan.wrist_world;
  // An object of another size may keep the palm farther away than the example's did, so that the
  // distance alone would not begin the grip.
  run.cues = {{plan.grip, 0, {.grip = true}}};
  if (hand.release.by == Release::By::kCue)
    run.cues.push_back({plan.release, 0, {.release = true}});
  run.seconds = plan.end;
  run.carry_from = plan.lift;
  run.carry_to = plan.down;
  run.lift = staging.task.lift;
}

}  // namespace

Result<StagedGrasp> stage_grasp(const SimulationProblem& scene, const GraspStaging& staging,
                                const SimulationOptions& simulation, const Monitor& monitor) {
  if (scene.hands.empty() || scene.objects.empty())
    return Error{"a grasp needs a hand and an object"};
  StagedGrasp staged;
  staged.run.simulation = scene;
  ControlledHand& hand = staged.run.simulation.hands[0];
  PlacedObject& object = staged.run.simulation.objects[0];
  if (!object.prepared) object.prepared = geometry::prepare(object.object);
  std::vector<GraspPlacement> found;
  if (staging.as_recorded) {
    found = recorded_placements(*object.prepared, *hand.hand, *hand.controller, staging.placement);
    place_and_rehearse(found, staging, simulation, part_of(monitor, 0.0, kPlacingPart), staged);
  }
  if (!staged.rehearsal || !good(*staged.rehearsal)) {
    auto more = find_placements(*object.prepared, *hand.hand, *hand.controller, staging.placement,
                                staging.placements, part_of(monitor, 0.0, kPlacingPart));
    if (!more && found.empty()) return more.error();
    if (more)
      place_and_rehearse(*more, staging, simulation, part_of(monitor, kPlacingPart, 1.0), staged);
  }
  set_run(staging, staged);
  return staged;
}

}  // namespace prehend::example_control
