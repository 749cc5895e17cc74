// Contacts and wrenches.
#pragma once

#include "prehend/core/math.h"

namespace prehend {

// Force and torque, the torque about a point that the name or the comment beside it says.
struct Wrench {
  Vec3 force = Vec3::Zero();
  Vec3 torque = Vec3::Zero();

  Wrench operator+(const Wrench& o) const { return {force + o.force, torque + o.torque}; }
  Wrench operator-(const Wrench& o) const { return {force - o.force, torque - o.torque}; }
  Eigen::Matrix<double, 6, 1> vector() const {
    return (Eigen::Matrix<double, 6, 1>() << force, torque).finished();
  }
  // The same wrench with its torque about a point `shift` away from the present one.
  Wrench about(const Vec3& shift) const { return {force, torque - shift.cross(force)}; }
};

// Who touches an object. `hand` -1 is the surroundings, and `segment` then is the other object's
// index.
struct Contact {
  int hand = -1;
  int segment = -1;
  int object = -1;
  Vec3 point_object = Vec3::Zero();   // on the object's surface, in its frame
  Vec3 normal_world = Vec3::UnitY();  // unit, out of the object's surface
  Vec3 force_world = Vec3::Zero();    // on the object
  double torque_normal = 0.0;         // on the object, about -normal_world, N m
  double gap = 0.0;                   // metres between the two; negative when they overlap
};

}  // namespace prehend
