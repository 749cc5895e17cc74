// What tissue and muscles add to the inertia of a hand's joints.
#pragma once

#include <vector>

#include "prehend/core/hand.h"

namespace prehend::physics {

// For HandSetup::added_inertia_of_joints, kg m^2: such that the pad of every digit resists a push
// across the straight digit as `mass` (kg) would, if bones weighed nothing. A digit of n joints
// yields to a push at each of them, and all give an equal share: a joint that is l away from the
// pad gets n mass l^2, since 1 / mass = sum of l^2 / (n mass l^2). Joints outside the digits get
// none.
std::vector<double> fingertip_inertia(const Hand& hand, double mass);

}  // namespace prehend::physics
