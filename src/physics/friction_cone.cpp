#include "prehend/physics/friction_cone.h"

#include <cmath>
#include <limits>

namespace prehend::physics {
namespace {

using Vec4 = Eigen::Vector4d;

double share(double force, double limit) {
  if (limit > 0.0) return force / limit;
  return force == 0.0 ? 0.0 : std::numeric_limits<double>::infinity();
}

}  // namespace

double FrictionCone::excess(const Vec4& force) const {
  const double tangent = std::hypot(force[1], force[2]);
  return std::hypot(share(tangent, friction), share(force[3], torsional_friction)) - force[0];
}

bool FrictionCone::contains(const Vec4& force, double tolerance) const {
  return excess(force) <= tolerance;
}

// Nearest point of {n >= |(t / a, s / b)|}. On the boundary the Lagrange conditions give, with a
// multiplier m >= 0 of n^2 - t^2/a^2 - s^2/b^2 = 0:
//   n = n0 / (1 - m),  t = t0 / (1 + m / a^2),  s = s0 / (1 + m / b^2),
// and the constraint's value along m falls monotonically on (0, 1) for n0 > 0; for n0 < 0 the root
// lies in m > 1. Solved by bisection, which cannot miss it.
Vec4 FrictionCone::project(const Vec4& force, double torsion_length) const {
  Vec4 f = force;
  if (friction == 0.0) f[1] = f[2] = 0.0;
  if (torsional_friction == 0.0) f[3] = 0.0;
  if (excess(f) <= 0.0) return f;
  const double a = friction, b = torsional_friction / torsion_length;
  const double t0 = std::hypot(f[1], f[2]), s0 = f[3] / torsion_length;
  // The polar cone: everything nearest to the tip.
  if (f[0] <= 0.0 && std::hypot(a * t0, b * s0) <= -f[0]) return Vec4::Zero();
  const auto shrink = [](double m, double limit) {
    return limit > 0.0 ? 1.0 / (1.0 + m / (limit * limit)) : 0.0;
  };
  const auto outside = [&](double m) {  // > 0: still outside the cone
    const double tangent = share(t0 * shrink(m, a), a), torsion = share(s0 * shrink(m, b), b);
    const double normal = f[0] / (1.0 - m);
    return std::hypot(tangent, torsion) - normal;
  };
  double low, high;
  if (f[0] > 0.0) {
    low = 0.0, high = 1.0;
  } else {
    // For m from 1 up the normal falls from infinity: `outside` rises through zero.
    low = 1.0, high = 2.0;
    while (outside(high) < 0.0 && high < 1e12) high *= 2.0;
  }
  for (int i = 0; i < 200 && high - low > 1e-16 * high; ++i) {
    const double m = 0.5 * (low + high);
    const bool still_outside = outside(m) > 0.0;
    (still_outside == (f[0] > 0.0) ? low : high) = m;
  }
  const double m = 0.5 * (low + high);
  Vec4 p;
  p.segment<2>(1) = f.segment<2>(1) * shrink(m, a);
  p[3] = f[3] * shrink(m, b);
  // From the constraint, not from n0 / (1 - m), which loses digits near m = 1.
  p[0] = std::hypot(share(std::hypot(p[1], p[2]), friction), share(p[3], torsional_friction));
  return p;
}

Mat3 contact_frame(const Vec3& normal_world) {
  Mat3 frame;
  frame.col(0) = -normal_world.normalized();
  frame.col(1) = any_orthogonal(frame.col(0));
  frame.col(2) = frame.col(0).cross(frame.col(1));
  return frame;
}

Vec4 local_force(const Contact& contact) {
  Vec4 local;
  local.head<3>() = contact_frame(contact.normal_world).transpose() * contact.force_world;
  local[3] = contact.torque_normal;
  return local;
}

void set_local_force(const Vec4& force, Contact& contact) {
  contact.force_world = contact_frame(contact.normal_world) * force.head<3>();
  contact.torque_normal = force[3];
}

optimize::ConeContact cone_contact(const Vec3& point_world, const Vec3& normal_world,
                                   const FrictionCone& cone, const Vec3& about_world,
                                   double length) {
  optimize::ConeContact contact;
  contact.friction = cone.friction;
  contact.torsional_friction = cone.torsional_friction;
  const Mat3 frame = contact_frame(normal_world);
  const Vec3 lever = (point_world - about_world) / length;
  for (int k = 0; k < 3; ++k) {
    contact.wrench_map.col(k) << frame.col(k), lever.cross(frame.col(k));
  }
  contact.wrench_map.col(3) << Vec3::Zero(), frame.col(0) / length;
  return contact;
}

Wrench contact_wrench(const Contact& contact, const Transform& on_world, const Vec3& about_world) {
  const Vec3 lever = on_world * contact.point_on - about_world;
  return {contact.force_world, lever.cross(contact.force_world) -
                                   contact.torque_normal * contact.normal_world.normalized()};
}

}  // namespace prehend::physics
