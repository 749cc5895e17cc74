#include "prehend/core/math.h"

#include <algorithm>
#include <cmath>

namespace prehend {

Quat exp_map(const Vec3& rotation_vector) {
  const double angle = rotation_vector.norm();
  // sin(angle / 2) / angle, by its series where the quotient loses digits.
  const double scale = angle < 1e-4 ? 0.5 - angle * angle / 48.0 : std::sin(0.5 * angle) / angle;
  const Vec3 v = scale * rotation_vector;
  return Quat(std::cos(0.5 * angle), v.x(), v.y(), v.z()).normalized();
}

Vec3 log_map(const Quat& rotation) {
  // q and -q are the same rotation; the one with w >= 0 turns by at most pi.
  const double sign = rotation.w() < 0.0 ? -1.0 : 1.0;
  const Vec3 v = sign * rotation.vec();
  const double sine = v.norm();
  const double cosine = sign * rotation.w();
  if (sine < 1e-9) return 2.0 * v;
  return (2.0 * std::atan2(sine, cosine) / sine) * v;
}

double angle_between(const Quat& a, const Quat& b) { return log_map(a.conjugate() * b).norm(); }

double twist_angle(const Quat& rotation, const Vec3& axis) {
  const double angle = 2.0 * std::atan2(rotation.vec().dot(axis), rotation.w());
  if (angle > kPi) return angle - 2.0 * kPi;
  if (angle <= -kPi) return angle + 2.0 * kPi;
  return angle;
}

Quat slerp(const Quat& a, const Quat& b, double fraction) { return a.slerp(fraction, b); }

Transform interpolate(const Transform& a, const Transform& b, double fraction) {
  return {slerp(a.rotation, b.rotation, fraction),
          a.position + fraction * (b.position - a.position)};
}

double minimum_jerk(double time, double from, double to) {
  const double s = std::clamp((time - from) / (to - from), 0.0, 1.0);
  return s * s * s * (10.0 + s * (-15.0 + 6.0 * s));
}

Vec3 angular_velocity_world(const Quat& from, const Quat& to, double dt) {
  return log_map(to * from.conjugate()) / dt;
}

Vec3 any_orthogonal(const Vec3& direction) {
  const Vec3 a = direction.cwiseAbs();
  const Vec3 seed = a.x() <= a.y() && a.x() <= a.z() ? Vec3::UnitX()
                    : a.y() <= a.z()                 ? Vec3::UnitY()
                                                     : Vec3::UnitZ();
  return direction.cross(seed).normalized();
}

Mat3 cross_matrix(const Vec3& v) {
  Mat3 m;
  m << 0.0, -v.z(), v.y(), v.z(), 0.0, -v.x(), -v.y(), v.x(), 0.0;
  return m;
}

bool all_finite(const Transform& t) {
  return t.position.allFinite() && t.rotation.coeffs().allFinite();
}

}  // namespace prehend
