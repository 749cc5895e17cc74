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
  // Torques are divided by it; 0: the largest distance of a contact from the centre of mass.
  double length = 0.0;
  // Directions that the search for the weakest wrench starts from, besides the twelve of the axes.
  int starts = 12;
};

// Ferrari and Canny 1992: the radius of the largest ball of wrenches (force in newtons, torque over
// `length`) about zero that normal forces of one newton in total can give; 0 without force closure.
// With exact (not faceted) cones it is 1 / max over unit w of N(w), N the least total normal force
// that gives w; the maximum is sought from many starts, so the figure is an upper bound that more
// starts tighten. `weakest` is the direction found.
struct ForceClosure {
  double epsilon = 0.0;
  Eigen::Matrix<double, 6, 1> weakest = Eigen::Matrix<double, 6, 1>::Zero();
};
ForceClosure force_closure(std::span<const GraspContact> contacts, const Object& object,
                           const GraspQualityOptions& options = {});

// Least sum of normal forces that carries the object's weight, for the direction of gravity given
// (in the object's frame, m/s^2); infinite when none does.
double least_grip_force(std::span<const GraspContact> contacts, const Object& object,
                        const Vec3& gravity_object, const GraspQualityOptions& options = {});
// The worst over all directions of gravity (searched like epsilon).
double least_grip_force_any_way(std::span<const GraspContact> contacts, const Object& object,
                                double gravity, const GraspQualityOptions& options = {});

// Forces that squeeze and leave the object alone: within cones of a part of the friction, summing
// to no wrench, as near as can be to `preferred` newtons of normal force at every contact.
struct Squeeze {
  std::vector<Vec3> forces;  // on the object, in its frame, one a contact
  double residual = 0.0;     // what is left of the wrench over the sum of normal forces
};
Squeeze balanced_squeeze(std::span<const GraspContact> contacts, const Object& object,
                         std::span<const double> preferred, const GraspQualityOptions& options = {});

}  // namespace prehend::physics
