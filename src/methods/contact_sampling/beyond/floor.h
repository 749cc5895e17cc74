// Beyond the paper: a level floor, which fingers must not enter.
#pragma once

#include "prehend/hands/contact_ik.h"

namespace prehend::contact_sampling {

// All below the height, in meters of the world, is floor.
hands::Obstacle floor_at(double height);

}  // namespace prehend::contact_sampling
