// Capsules: the hand's contact shapes.
#pragma once

#include "prehend/core/math.h"

namespace prehend {

// All points within `radius` of the line from a to b. A sphere is a capsule whose ends coincide.
struct Capsule {
  Vec3 a = Vec3::Zero();
  Vec3 b = Vec3::Zero();
  double radius = 0.0;

  double volume() const;
};

inline Capsule operator*(const Transform& frame, const Capsule& capsule) {
  return {frame * capsule.a, frame * capsule.b, capsule.radius};
}

// Closest points of two lines from a to b, as fractions of each.
struct LinePair {
  double first = 0.0;
  double second = 0.0;
  double distance = 0.0;
};
LinePair closest_on_lines(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1);

// Gap between the surfaces, negative by the depth of overlap.
double distance(const Capsule& first, const Capsule& second);

// Mass, center and inertia (about the center) of a capsule of uniform density.
struct CapsuleMass {
  double mass = 0.0;
  Vec3 center = Vec3::Zero();
  Mat3 inertia = Mat3::Zero();
};
CapsuleMass capsule_mass(const Capsule& capsule, double density);

}  // namespace prehend
