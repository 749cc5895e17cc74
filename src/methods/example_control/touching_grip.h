// Beyond the paper: a grip that touches on the hand that it is for.
#pragma once

#include "prehend/methods/example_control/controller.h"

namespace prehend::example_control {

// A hand that grips, in a pose that touches.
struct SeenGrip {
  const Hand& hand;
  HandPose pose;
  ObjectPtr object;
  Transform object_world;
};

// What touches there touches on `hand`: sets what that adds to the grip's setpoint, the wrist's
// place on the object, and how the hand closes on beyond both.
void bring_grip_to_touch(const SeenGrip& seen, const Hand& hand, Controller& controller);

}  // namespace prehend::example_control
