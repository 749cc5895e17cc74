// Do forces within the friction cones give an object the wrench that its motion needs?
#pragma once

#include <vector>

#include "prehend/core/clip.h"

namespace prehend::audit {

struct Explanation {
  double residual = 0.0;         // |unexplained wrench| / (m g), torques over `length`
  double friction_excess = 0.0;  // / (m g)
  double hand_force = 0.0;       // sum of the normal forces of hands, N
};

// A length that makes torques comparable with forces: the radius of gyration.
double lever(const Object& object);

// With the recorded forces. Pulling counts as friction beyond the cone.
Explanation judge_recorded(const Object& object, const Transform& pose_world, const Wrench& needed,
                           const std::vector<Contact>& contacts);

// With the best forces that these contacts could give.
Explanation judge_possible(const Object& object, const Transform& pose_world, const Wrench& needed,
                           const std::vector<Contact>& contacts);

}  // namespace prehend::audit
