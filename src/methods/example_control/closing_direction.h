// Beyond the paper: how a hand closes on beyond the grip that it learned.
#pragma once

#include "prehend/methods/example_control/controller.h"

namespace prehend::example_control {

// In this pose, rad of each degree of freedom for an alpha of one: fingers flex on and the thumb
// opposes them. Eq. 15-16 go on along the line from the open pose to the grip, but a person's
// fingers spread and turn on that line as well as they close, and on some of them even open: fully
// closed, recorded hands kept 20 to 80 mm between thumb and fingers.
Eigen::VectorXd closing_direction(const Hand& hand, const Eigen::VectorXd& grip);

}  // namespace prehend::example_control
