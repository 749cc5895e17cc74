// Hands, objects and fields that the room's tests share.
#pragma once

#include <cmath>
#include <memory>
#include <random>

#include "prehend/core/hand_builder.h"
#include "prehend/core/hand_pose.h"
#include "prehend/geometry/signed_distance.h"
#include "prehend/physics/state.h"

namespace prehend::physics {

inline HandPtr make_hand(HandProfile profile, Side side = Side::kRight) {
  HandOptions options;
  options.profile = profile;
  options.side = side;
  return std::make_shared<const Hand>(build_hand(options).value());
}

// A pose somewhere inside the limits.
inline HandPose random_pose(const Hand& hand, std::mt19937& random) {
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  const CoordinateLimits limits = coordinate_limits(hand);
  Eigen::VectorXd q(limits.lower.size());
  for (int i = 0; i < q.size(); ++i) {
    q[i] = limits.lower[i] + unit(random) * (limits.upper[i] - limits.lower[i]);
  }
  const auto symmetric = [&] { return 2.0 * unit(random) - 1.0; };
  const Vec3 turn(symmetric(), symmetric(), symmetric());
  const Transform root{exp_map(2.0 * turn), {symmetric(), symmetric(), symmetric()}};
  return pose_from_coordinates(hand, root, q);
}

inline Eigen::VectorXd random_vector(int size, std::mt19937& random, double scale = 1.0) {
  std::normal_distribution<double> gauss;
  Eigen::VectorXd v(size);
  for (int i = 0; i < size; ++i) v[i] = scale * gauss(random);
  return v;
}

// A ring in the plane y = 0: the field in closed form, and a coarse mesh for its hull.
class TorusField : public geometry::SignedDistance {
 public:
  TorusField(double ring, double tube) : ring_(ring), tube_(tube) {}
  geometry::DistanceSample sample(const Vec3& p) const override {
    const double around = std::hypot(p.x(), p.z());
    const double out = around - ring_;
    const double distance = std::hypot(out, p.y());
    const Vec3 radial = around > 0.0 ? Vec3(p.x() / around, 0.0, p.z() / around) : Vec3::UnitX();
    const Vec3 gradient =
        distance > 0.0 ? Vec3((out * radial + p.y() * Vec3::UnitY()) / distance) : Vec3::UnitY();
    return {distance - tube_, gradient};
  }

 private:
  double ring_, tube_;
};

inline ObjectPtr torus_object(double ring, double tube, double mass) {
  auto mesh = std::make_shared<TriangleMesh>();
  const int n = 24, k = 12;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < k; ++j) {
      const double a = 2 * kPi * i / n, b = 2 * kPi * j / k, r = ring + tube * std::cos(b);
      mesh->vertices.push_back({r * std::cos(a), tube * std::sin(b), r * std::sin(a)});
      const int i1 = (i + 1) % n, j1 = (j + 1) % k;
      mesh->faces.push_back({i * k + j, i * k + j1, i1 * k + j});
      mesh->faces.push_back({i1 * k + j, i * k + j1, i1 * k + j1});
    }
  }
  Object object;
  object.name = "torus";
  object.shape.mesh = mesh;
  object.mass = mass;
  const double about_axis = mass * (ring * ring + 0.75 * tube * tube);
  const double across = mass * (0.5 * ring * ring + 0.625 * tube * tube);
  object.inertia = Vec3(across, about_axis, across).asDiagonal();
  return std::make_shared<const Object>(object);
}

// One capsule as a "hand" of a single segment, for contact tests.
inline HandPtr capsule_hand(const Vec3& a, const Vec3& b, double radius, double mass) {
  Hand hand;
  hand.name = "probe";
  hand.profile = "custom";
  hand.xr_segments.fill(-1);
  Segment segment;
  segment.name = "probe";
  segment.capsules.push_back({a, b, radius});
  const CapsuleMass props = capsule_mass(segment.capsules[0], 1000.0);
  segment.mass = mass;
  segment.center_of_mass = props.center;
  segment.inertia = props.inertia * (mass / props.mass);
  hand.segments.push_back(segment);
  return std::make_shared<const Hand>(hand);
}

}  // namespace prehend::physics
