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

// Where the performer's hand was is taken before what a search finds, if it will do.
bool will_do(const Rehearsal& rehearsal) {
  return rehearsal.held && rehearsal.badness < RehearsalOptions{}.acceptable;
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
  if (staging.presentation != Presentation::kRehearsed) {
    staged.placement = std::move(found[0]);
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

// What the presentation asks for: the object's recorded place first, if it is the recorded one.
Status place(const GraspStaging& staging, const SimulationOptions& simulation,
             const Monitor& monitor, StagedGrasp& staged) {
  const ControlledHand& hand = staged.run.simulation.hands[0];
  const geometry::PreparedObject& object = *staged.run.simulation.objects[0].prepared;
  std::vector<GraspPlacement> found;
  if (staging.presentation == Presentation::kExample) {
    auto own = example_placement(object, *hand.hand, *hand.controller, staging.placement,
                                 staging.as_recorded);
    if (!own) return own.error();
    found.push_back(std::move(*own));
    place_and_rehearse(found, staging, simulation, monitor, staged);
    return {};
  }
  if (staging.as_recorded) {
    found = recorded_placements(object, *hand.hand, *hand.controller, staging.placement);
    place_and_rehearse(found, staging, simulation, part_of(monitor, 0.0, kPlacingPart), staged);
    const bool done = staging.presentation == Presentation::kSearched ||
                      (staged.rehearsal && will_do(*staged.rehearsal));
    if (!found.empty() && done) return {};
  }
  const int count = staging.presentation == Presentation::kSearched ? 1 : staging.placements;
  auto more = find_placements(object, *hand.hand, *hand.controller, staging.placement, count,
                              part_of(monitor, 0.0, kPlacingPart));
  if (!more && found.empty()) return more.error();
  if (more)
    place_and_rehearse(*more, staging, simulation, part_of(monitor, kPlacingPart, 1.0), staged);
  return {};
}

}  // namespace

const char* to_string(Presentation presentation) {
  switch (presentation) {
    case Presentation::kExample:
      return "example";
    case Presentation::kSearched:
      return "search";
    case Presentation::kRehearsed:
      return "rehearse";
  }
  return "";
}

RunProblem grasp_run(const SimulationProblem& scene, const GraspPlacement& placement,
                     const GraspTask& task, bool grip_by_distance, TaskPlan* plan) {
  RunProblem run;
  run.simulation = scene;
  ControlledHand& hand = run.simulation.hands[0];
  if (placement.controller) hand.controller = placement.controller;
  run.simulation.objects[0].pose_world = placement.object_world;
  const TaskPlan made = plan_task(*hand.controller, *hand.hand, placement, task);
  hand.wrist_world = made.wrist_world;
  // An object of another size may keep the palm farther away than the example's did, so that the
  // distance alone would not begin the grip.
  if (!grip_by_distance) run.cues.push_back({made.grip, 0, {.grip = true}});
  if (hand.release.by == Release::By::kCue)
    run.cues.push_back({made.release, 0, {.release = true}});
  run.seconds = made.end;
  run.carry_from = made.lift;
  run.carry_to = made.down;
  run.lift = task.lift;
  if (plan) *plan = made;
  return run;
}

Result<StagedGrasp> stage_grasp(const SimulationProblem& scene, const GraspStaging& staging,
                                const SimulationOptions& simulation, const Monitor& monitor) {
  if (scene.hands.empty() || scene.objects.empty())
    return Error{"a grasp needs a hand and an object"};
  StagedGrasp staged;
  staged.run.simulation = scene;
  staged.staging = staging;
  PlacedObject& object = staged.run.simulation.objects[0];
  if (!object.prepared) object.prepared = geometry::prepare(object.object);
  if (const Status placed = place(staging, simulation, monitor, staged); !placed)
    return placed.error();
  const SimulationProblem placed_scene = staged.run.simulation;
  staged.run = grasp_run(placed_scene, staged.placement, staging.task, staging.grip_by_distance,
                         &staged.plan);
  return staged;
}

}  // namespace prehend::example_control
