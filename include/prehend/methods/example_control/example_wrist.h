// The example's way of the wrist, for hands of other sizes.
#pragma once

#include "prehend/core/rigid_curve.h"
#include "prehend/methods/example_control/controller.h"

namespace prehend::example_control {

// The wrists of the example moved such that the middle of this hand's palm goes where that of the
// example's hand went; on a hand of its size, the example's own.
std::vector<Transform> example_wrists(const Controller& controller, const Hand& hand);
RigidCurve example_wrist_curve(const Controller& controller, const Hand& hand);

}  // namespace prehend::example_control
