// Beyond the paper: the direction in which a hand comes to what it grips, as in the example or with
// the palm turned down.
#pragma once

#include <vector>

#include "prehend/methods/example_control/controller.h"

namespace prehend::example_control {

// All vectors are directions of the world; positions are relative to the wrist at the grip.
struct ApproachDirection {
  Quat wrist = Quat::Identity();        // of the wrist at the grip
  double turned = 0.0;                  // rad by which the wrist is turned from the example's
  bool level = true;                    // the palm faces aside rather than down
  Vec3 ahead;                           // where the palm faces; leveled if `level`
  Vec3 along;                           // where the fingers point, normal to `ahead`
  Vec3 across;                          // normal to both; upward if `level`
  double target_along = 0.0;            // m: how far along the fingers the example's object was
  std::vector<Transform> last_stretch;  // wrists on the last 15 cm before the grip, nearest first
};

// The example's own first. A palm that faces aside can also come from above, as a person's arm
// turns it for what lies low; one that faces down or up stays as it is.
std::vector<ApproachDirection> approach_directions(const Hand& hand, const Controller& controller);

}  // namespace prehend::example_control
