#include "prehend/core/capsule.h"

#include <algorithm>

namespace prehend {

double Capsule::volume() const {
  const double length = (b - a).norm();
  return kPi * radius * radius * (length + 4.0 / 3.0 * radius);
}

LinePair closest_on_lines(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1) {
  // minimize |a0 + s u - b0 - t v|^2 over the unit square: solve for both, clamp s, then t, then s
  // again.
  const Vec3 u = a1 - a0, v = b1 - b0, w = a0 - b0;
  const double uu = u.squaredNorm(), uv = u.dot(v), vv = v.squaredNorm();
  const double uw = u.dot(w), vw = v.dot(w);
  const double determinant = uu * vv - uv * uv;
  constexpr double kParallel = 1e-14;
  double s = determinant > kParallel * uu * vv
                 ? std::clamp((uv * vw - vv * uw) / determinant, 0.0, 1.0)
                 : 0.0;
  double t = vv > 0.0 ? std::clamp((uv * s + vw) / vv, 0.0, 1.0) : 0.0;
  s = uu > 0.0 ? std::clamp((uv * t - uw) / uu, 0.0, 1.0) : 0.0;
  return {s, t, (w + s * u - t * v).norm()};
}

double distance(const Capsule& first, const Capsule& second) {
  return closest_on_lines(first.a, first.b, second.a, second.b).distance - first.radius -
         second.radius;
}

CapsuleMass capsule_mass(const Capsule& capsule, double density) {
  const double r = capsule.radius;
  const double h = (capsule.b - capsule.a).norm();
  const double cylinder = density * kPi * r * r * h;
  const double half_ball = density * 2.0 / 3.0 * kPi * r * r * r;  // each of two
  // About the center: the cylinder, and two half balls whose own centers lie 3r/8 beyond its ends.
  const double along = 0.5 * cylinder * r * r + 2.0 * (0.4 * half_ball * r * r);
  const double center_offset = 0.5 * h + 0.375 * r;
  const double across =
      cylinder * (r * r / 4.0 + h * h / 12.0) +
      2.0 * half_ball * (0.4 * r * r - 0.375 * 0.375 * r * r + center_offset * center_offset);
  const Vec3 axis = h > 0.0 ? Vec3((capsule.b - capsule.a) / h) : Vec3::UnitZ();
  CapsuleMass result;
  result.mass = cylinder + 2.0 * half_ball;
  result.center = 0.5 * (capsule.a + capsule.b);
  result.inertia = across * Mat3::Identity() + (along - across) * axis * axis.transpose();
  return result;
}

}  // namespace prehend
