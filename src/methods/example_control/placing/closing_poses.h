// Beyond the paper: the poses along which a controlled hand closes, for hands::ClosingHand.
#pragma once

#include "prehend/hands/closing_hand.h"
#include "prehend/methods/example_control/controller.h"

namespace prehend::example_control {

// From the open setpoint to the pose that touches, and on as the simulation's springs would.
hands::ClosingPoses closing_poses(const Hand& hand, const Controller& controller);

}  // namespace prehend::example_control
