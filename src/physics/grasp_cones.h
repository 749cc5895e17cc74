// Contacts of a grasp as the cone program takes them.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "prehend/physics/grasp_quality.h"

namespace prehend::physics {

// Wrenches about the center of mass, torques over the options' length.
inline std::vector<optimize::ConeContact> cone_contacts(std::span<const GraspContact> contacts,
                                                        const Object& object,
                                                        const GraspQualityOptions& options) {
  double length = options.length;
  if (length <= 0.0) {
    for (const GraspContact& c : contacts) {
      length = std::max(length, (c.point - object.center_of_mass).norm());
    }
  }
  if (length <= 0.0) length = 1.0;
  std::vector<optimize::ConeContact> cones;
  cones.reserve(contacts.size());
  for (const GraspContact& c : contacts) {
    cones.push_back(cone_contact(c.point, c.normal, options.cone, object.center_of_mass, length));
    cones.back().max_normal = c.max_normal;
  }
  return cones;
}

}  // namespace prehend::physics
