// Beyond the paper: a grasp scene put together. The object is placed for the hand, the placements
// are rehearsed, and the wrist's path, the cues and what is looked at follow from the best.
#pragma once

#include <optional>

#include "prehend/methods/example_control/rehearse.h"
#include "prehend/methods/example_control/run.h"

namespace prehend::example_control {

struct GraspStaging {
  GraspTask task;
  PlacementOptions placement;
  // Placements that are looked at, of each width that the hand opens to; one is taken as it is,
  // without a rehearsal.
  int placements = 8;
  // The object is the one that the controller was fitted on: its recorded placements are rehearsed
  // first, and others are looked for only if none of them will do.
  bool as_recorded = false;
  // Where the object's origin should be on the level; left empty: where the example's was.
  std::optional<Vec3> place_world;
};

struct StagedGrasp {
  RunProblem run;
  TaskPlan plan;
  GraspPlacement placement;
  int placements_found = 0;
  std::optional<Rehearsal> rehearsal;  // none with a single placement
};

// The first hand of `scene` grips its first object. The hand's controller, release, alpha and
// opening are kept; its wrist, and where the object stands, are found.
Result<StagedGrasp> stage_grasp(const SimulationProblem& scene, const GraspStaging& staging = {},
                                const SimulationOptions& simulation = {},
                                const Monitor& monitor = {});

}  // namespace prehend::example_control
