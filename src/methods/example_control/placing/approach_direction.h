// How a hand comes to what it grips: as in the example, or the same with the palm turned down.
#pragma once

#include <vector>

#include "prehend/methods/example_control/controller.h"

namespace prehend::example_control {

// Directions of the world, the wrist at the grip being the origin.
struct ApproachDirection {
  Quat wrist = Quat::Identity();
  double turned = 0.0;  // rad, from the example's
  bool level = true;    // the palm faces aside rather than down
  Vec3 ahead;           // where it faces; if level, without what it is tilted by
  Vec3 along;           // where the fingers point, normal to it
  Vec3 across;          // the third; upward if level
  double target_along = 0.0;
  std::vector<Transform> way_in;  // wrists on the last of it
};

// The example's own first. A palm that faces aside can also come from above, as a person's arm
// turns it for what lies low; one that faces down or up stays as it is.
std::vector<ApproachDirection> approach_directions(const Hand& hand, const Controller& controller);

}  // namespace prehend::example_control
