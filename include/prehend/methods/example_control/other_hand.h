// Beyond the paper: a controller on a hand that it was not fitted on.
#pragma once

#include "prehend/methods/example_control/controller.h"

namespace prehend::example_control {

// The hand as controllers move it, by ball joints: itself if it is one, as hands of rigs are; else
// a parametric one of its bones. Fails if digits are missing.
Result<HandPtr> ball_hand(const HandPtr& hand);

// The controller for a hand of the same side. Its setpoints mean the same on every ball hand; where
// it knows the object that it was fitted on, the digits that touched it touch the same places of it
// on this hand. Fails if joints are missing.
Result<Controller> for_other_hand(const Controller& controller, const HandPtr& hand);

}  // namespace prehend::example_control
