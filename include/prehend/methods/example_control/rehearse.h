// Beyond the paper: which placement the hand holds best, tried in short simulations of the grasp.
#pragma once

#include <span>

#include "prehend/methods/example_control/grasp_task.h"
#include "prehend/methods/example_control/simulation.h"

namespace prehend::example_control {

struct RehearsalOptions {
  // The first placement whose badness is below this is taken without a look at the others. A
  // centimeter of slip, 15 degrees of turning and a grip force of 15 weights each count as one.
  double good_enough = 1.2;
  // After so many placements, one below this is taken too, since time counts as well: of two
  // captured grasps whose recorded place was that good, none of 24 further placements was better.
  int first_tries = 8;
  double acceptable = 2.0;
};

struct Rehearsal {
  int placement = 0;  // index of the best
  int tried = 0;      // placements that were simulated
  bool held = false;
  // Of two tries, one with the wrist where it should be and one with it 4 mm beside, the worse.
  double slip = 0.0;    // m, of the object in the hand
  double turned = 0.0;  // rad
  double badness = 0.0;
};

// The hand grips, lifts a little and shakes once, by `hold` with an alpha of 0, whatever the
// scene's grip. The first hand of `scene` grips its first object; where both are comes from the
// placements. Several placements are simulated at once; the answer does not depend on how many. A
// stop gives the best until then.
Rehearsal rehearse(const SimulationProblem& scene, std::span<const GraspPlacement> placements,
                   const SimulationOptions& simulation = {}, const RehearsalOptions& options = {},
                   const Monitor& monitor = {});

}  // namespace prehend::example_control
