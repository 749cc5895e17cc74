// The table that an object stands on, as people meet it, and the forearm behind a hand.
#pragma once

#include <algorithm>

#include "prehend/core/capsule.h"
#include "prehend/core/math.h"

namespace prehend::grasp_space {

// A level plane in the object's frame.
struct Table {
  Vec3 up = Vec3::UnitY();  // unit
  double height = 0.0;      // m along `up`

  double above(const Vec3& point_object) const { return up.dot(point_object) - height; }
  // Of the lowest point.
  double above(const Capsule& capsule_object) const {
    return std::min(above(capsule_object.a), above(capsule_object.b)) - capsule_object.radius;
  }
};

// A forearm, m: a hand ends at its wrist.
inline constexpr double kForearmLength = 0.2, kForearmRadius = 0.03;

// The forearm of a hand whose wrist is there. A wrist bends: of the directions that it reaches
// without effort the forearm takes the one that leads it highest above a table.
Capsule forearm_object(const Transform& wrist_object, const Vec3& up_object);

}  // namespace prehend::grasp_space
