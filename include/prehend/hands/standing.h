// On which sides an object stands.
#pragma once

#include <vector>

#include "prehend/core/object.h"

namespace prehend::hands {

struct RestingPose {
  Quat rotation = Quat::Identity();  // of the object in the world
  // How far the foot of the center of mass lies within the ground that it stands on, m; negative if
  // it would tip over.
  double margin = 0.0;
  double tip = 0.0;  // rad that it must be tilted by to fall over
};

// Where the object comes to rest when it is put down as it is given, without rolling on: the
// nearest way in which it stands.
RestingPose put_down(const Object& object, const Quat& rotation);

// First how it stands when put down as given, then every other side on which it stands a tilt of
// `least_tip`.
std::vector<RestingPose> resting_poses(const Object& object, double least_tip);

}  // namespace prehend::hands
