// Beyond the paper: a grasp scene put together. The object is placed for the hand, the placements
// are rehearsed, and the wrist's path, the cues and what is looked at follow from the best.
#pragma once

#include <optional>

#include "prehend/methods/example_control/rehearse.h"
#include "prehend/methods/example_control/run.h"

namespace prehend::example_control {

// How hand and object come together.
enum class Presentation {
  kExample,    // the paper's: the example's own wrist, the object where the example's stood
  kSearched,   // the placement that a search without dynamics likes best
  kRehearsed,  // of several placements the one that short simulations hold best
};
// "example", "search", "rehearse".
const char* to_string(Presentation presentation);

struct GraspStaging {
  GraspTask task;
  PlacementOptions placement;
  Presentation presentation = Presentation::kRehearsed;
  // The grip begins where the palm has arrived (figure 3), and not by the clock of the task. What
  // is larger than the example's object may keep the palm from arriving.
  bool grip_by_distance = false;
  // Placements that are rehearsed, of each width that the hand opens to.
  int placements = 8;
  // The object is the one that the controller was fitted on: its recorded placements are rehearsed
  // first, and others are looked for only if none of them will do.
  bool as_recorded = false;
  // Where the object's origin should be on the level; left empty: where the example's was.
  std::optional<Vec3> place_world;
};

struct StagedGrasp {
  RunProblem run;
  GraspStaging staging;
  TaskPlan plan;
  GraspPlacement placement;
  int placements_found = 0;
  std::optional<Rehearsal> rehearsal;
};

// The first hand of `scene` grips its first object as placed: its wrist's path, the cues, and what
// is looked at.
RunProblem grasp_run(const SimulationProblem& scene, const GraspPlacement& placement,
                     const GraspTask& task, bool grip_by_distance = false,
                     TaskPlan* plan = nullptr);

// The first hand of `scene` grips its first object. The hand's controller, release, alpha and
// opening are kept; its wrist, and where the object stands, are found.
Result<StagedGrasp> stage_grasp(const SimulationProblem& scene, const GraspStaging& staging = {},
                                const SimulationOptions& simulation = {},
                                const Monitor& monitor = {});

}  // namespace prehend::example_control
