// Grasps for the tests and benchmarks of grasp quality.
#pragma once

#include <random>
#include <vector>

#include "prehend/physics/grasp_quality.h"

namespace prehend::physics {

inline Object ball_object(double mass = 0.1) {
  Object object;
  object.mass = mass;
  return object;
}

// Contacts scattered over a ball of 4 cm, normals up to some 30 degrees off.
inline std::vector<GraspContact> random_contacts(int count, std::mt19937& random) {
  std::normal_distribution<double> gauss;
  const auto vector = [&] { return Vec3(gauss(random), gauss(random), gauss(random)); };
  std::vector<GraspContact> contacts;
  for (int i = 0; i < count; ++i) {
    const Vec3 out = vector().normalized();
    contacts.push_back({0.04 * out, (out + 0.3 * vector()).normalized()});
  }
  return contacts;
}

// The same until they close with these cones.
inline std::vector<GraspContact> random_closed_grasp(int count, std::mt19937& random,
                                                     const GraspQualityOptions& options) {
  for (;;) {
    std::vector<GraspContact> contacts = random_contacts(count, random);
    if (force_closure(contacts, ball_object(), options).epsilon > 0.0) return contacts;
  }
}

}  // namespace prehend::physics
