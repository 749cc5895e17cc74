// Rigid transforms, the exponential map and small rotation helpers.
// Meters, radians, right-handed, Y up. Quaternions are unit and w first in text.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace prehend {

using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;
using Quat = Eigen::Quaterniond;

inline constexpr double kPi = 3.14159265358979323846;
inline constexpr double kStandardGravity = 9.81;

constexpr double radians(double angle_deg) { return angle_deg * kPi / 180.0; }
constexpr double degrees(double angle_rad) { return angle_rad * 180.0 / kPi; }

// Gravity in the world frame.
inline Vec3 gravity_world() { return {0.0, -kStandardGravity, 0.0}; }

// Where a frame stands in another: a_from_b * point_b = point_a.
struct Transform {
  Quat rotation = Quat::Identity();
  Vec3 position = Vec3::Zero();

  static Transform Identity() { return {}; }
  static Transform from_position(const Vec3& position) { return {Quat::Identity(), position}; }

  Vec3 operator*(const Vec3& point) const { return rotation * point + position; }
  Transform operator*(const Transform& other) const {
    return {rotation * other.rotation, rotation * other.position + position};
  }
  // Directions turn and do not move.
  Vec3 turn(const Vec3& direction) const { return rotation * direction; }
  Transform inverse() const {
    const Quat back = rotation.conjugate();
    return {back, back * -position};
  }
};

// Rotation of angle |v| about v, and back. log_map returns the shortest, |v| <= pi.
Quat exp_map(const Vec3& rotation_vector);
Vec3 log_map(const Quat& rotation);

// Angle of the rotation that takes a to b, in [0, pi].
double angle_between(const Quat& a, const Quat& b);

// Rotation's angle about a unit axis (the twist of its swing-twist split), in (-pi, pi].
double twist_angle(const Quat& rotation, const Vec3& axis);

// The shortest great-circle path; fraction 0 gives a, 1 gives b.
Quat slerp(const Quat& a, const Quat& b, double fraction);
Transform interpolate(const Transform& a, const Transform& b, double fraction);

// Rises from 0 to 1 between two times with the least jerk, as a reaching hand does.
double minimum_jerk(double time, double from = 0.0, double to = 1.0);

// Angular velocity in the world frame that turns `from` into `to` within dt.
Vec3 angular_velocity_world(const Quat& from, const Quat& to, double dt);

// Any unit vector normal to `direction`.
Vec3 any_orthogonal(const Vec3& direction);

Mat3 cross_matrix(const Vec3& v);

// Reflection in the plane x = 0, which makes a left hand of a right one.
inline Vec3 mirror_x(const Vec3& v) { return {-v.x(), v.y(), v.z()}; }
inline Quat mirror_x(const Quat& q) { return {q.w(), q.x(), -q.y(), -q.z()}; }
inline Transform mirror_x(const Transform& t) {
  return {mirror_x(t.rotation), mirror_x(t.position)};
}

bool all_finite(const Transform& t);

}  // namespace prehend
