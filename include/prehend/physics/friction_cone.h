// Friction cones of contacts: local frames, membership, projection, and the maps that the cone
// program takes.
//
// A local force is (normal, tangent 1, tangent 2, torsion), its normal pushing into the object. The
// cone is elliptic, as in optimize/cone_program.h.
#pragma once

#include <Eigen/Core>

#include "prehend/core/contact.h"
#include "prehend/core/physical_constants.h"
#include "prehend/optimize/cone_program.h"

namespace prehend::physics {

struct FrictionCone {
  double friction = kFriction;
  double torsional_friction = kTorsionalFriction;  // m; 0: no torsion

  // sqrt(|t|^2 / friction^2 + torsion^2 / torsional_friction^2) - normal: how far outside, in
  // newtons of normal force; negative inside.
  double excess(const Eigen::Vector4d& force) const;
  bool contains(const Eigen::Vector4d& force, double tolerance = 0.0) const;
  // Nearest force of the cone in the plain Euclidean sense, torsion counted per meter of
  // `torsion_length`.
  Eigen::Vector4d project(const Eigen::Vector4d& force, double torsion_length = 1.0) const;
};

// Columns: into the object, and two tangents.
Mat3 contact_frame(const Vec3& normal_world);

// A recorded contact's force in its local frame, and back.
Eigen::Vector4d local_force(const Contact& contact);
void set_local_force(const Eigen::Vector4d& force, Contact& contact);

// The wrench on the object about `about_world`, torques divided by `length`.
optimize::ConeContact cone_contact(const Vec3& point_world, const Vec3& normal_world,
                                   const FrictionCone& cone, const Vec3& about_world,
                                   double length = 1.0);

// Wrench of a recorded contact on its pushed side, whose frame stands at `on_world`; torque about
// `about_world`.
Wrench contact_wrench(const Contact& contact, const Transform& on_world, const Vec3& about_world);

}  // namespace prehend::physics
