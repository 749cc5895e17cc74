// How well contacts hold an object, and which forces to squeeze with.
#pragma once

#include <span>
#include <vector>

#include <Eigen/Core>

#include "prehend/core/contact.h"
#include "prehend/core/object.h"
#include "prehend/physics/friction_cone.h"

namespace prehend::physics {

// A place where the object may be pushed, in the object's frame.
struct GraspContact {
  Vec3 point = Vec3::Zero();
  Vec3 normal = Vec3::UnitY();  // unit, out of the object
  double max_normal = 0.0;      // N that can be given here; 0: no bound
};

struct GraspQualityOptions {
  FrictionCone cone;
  // Torques are divided by it; 0: the largest distance of a contact from the center of mass.
  double length = 0.0;
  // The search for the weakest wrench goes on from this many of the directions it looks at first,
  // the weakest of them. With 24 it missed the best of 150 searches by at most 1.3 % on random
  // grasps of 10 and 20 contacts, with 12 by 2.4 %.
  int starts = 24;
};

// Ferrari and Canny 1992: the radius of the largest ball of wrenches (force in newtons, torque over
// `length`) about zero that normal forces of one newton in total can give; 0 without force closure.
// With exact (not faceted) cones it is 1 / max over unit w of N(w), N the least total normal force
// that gives w; the maximum is sought from many starts, so the figure is an upper bound that more
// starts tighten, while 0 is certain. `weakest` is the direction found: one that nothing gives, or
// that one newton gives least of. Bounds of single contacts play no part.
struct ForceClosure {
  double epsilon = 0.0;
  Eigen::Matrix<double, 6, 1> weakest = Eigen::Matrix<double, 6, 1>::Zero();
};
ForceClosure force_closure(std::span<const GraspContact> contacts, const Object& object,
                           const GraspQualityOptions& options = {});

// Least sum of normal forces that carries the object's weight, for the direction of gravity given
// (in the object's frame, m/s^2), no contact beyond its bound; infinite when none does.
double least_grip_force(std::span<const GraspContact> contacts, const Object& object,
                        const Vec3& gravity_object, const GraspQualityOptions& options = {});
// The worst over all directions of gravity, sought from the 26 of a cube's faces, edges and corners
// uphill: a lower bound, as epsilon is an upper one.
double least_grip_force_any_way(std::span<const GraspContact> contacts, const Object& object,
                                double gravity, const GraspQualityOptions& options = {});

// Forces that squeeze and leave the object alone: in the cones of `options` without torsion (give a
// part of the friction, to keep some for loads), summing to no wrench, as near as can be to
// `preferred` newtons of normal force at every contact. Then all are scaled alike to the preferred
// sum of normal forces, or as near to it as bounds of contacts let them. Where nothing balances,
// the wrench left over is the least for its forces . preferred.
struct Squeeze {
  std::vector<Vec3> forces;  // on the object, in its frame, one a contact
  // What is left of the wrench (torque over `length`) over the sum of normal forces; 1 when no
  // contact can push.
  double residual = 1.0;
};
Squeeze balanced_squeeze(std::span<const GraspContact> contacts, const Object& object,
                         std::span<const double> preferred,
                         const GraspQualityOptions& options = {});

}  // namespace prehend::physics
