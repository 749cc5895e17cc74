#include "audit/explain.h"

#include <algorithm>
#include <cmath>

#include "prehend/optimize/cone_program.h"

namespace prehend::audit {

namespace {

double size_of(const Wrench& wrench, double length) {
  return std::hypot(wrench.force.norm(), wrench.torque.norm() / length);
}

// Newtons that a force is beyond its friction cone; all of it where it pulls.
double outside_cone(const Contact& contact, double friction) {
  const double normal = -contact.normal_world.dot(contact.force_world);
  const double tangential = (contact.force_world + normal * contact.normal_world).norm();
  return normal < 0.0 ? tangential - normal : tangential - friction * normal;
}

double weight_of(const Hand& hand) {
  double mass = 0.0;
  for (const Segment& segment : hand.segments) mass += segment.mass;
  return mass * kStandardGravity;
}

}  // namespace

FrameFinding skin_friction_excess(const Clip& clip, double skin_friction,
                                  const std::vector<Contact>& contacts) {
  FrameFinding worst;
  for (size_t i = 0; i < contacts.size(); ++i) {
    const Contact& contact = contacts[i];
    if (!contact.on.is_hand() || contact.by.is_object()) continue;
    double weight = weight_of(*clip.hands[contact.on.index].hand);
    double beyond = contact.normal_world.dot(contact.force_world);  // that it pulls by
    if (contact.by.is_hand()) {
      weight = std::min(weight, weight_of(*clip.hands[contact.by.index].hand));
      beyond = outside_cone(contact, skin_friction);
    }
    if (weight > 0.0)
      worst.keep_worse({beyond / weight, contact.by, contact.on, static_cast<int>(i)});
  }
  return worst;
}

Given recorded_wrench(const Object& object, const Transform& pose_world,
                      const std::vector<Contact>& contacts) {
  const double weight = object.mass * kStandardGravity;
  const Vec3 center = pose_world * object.center_of_mass;
  Given given;
  for (size_t i = 0; i < contacts.size(); ++i) {
    const Contact& contact = contacts[i];
    const Vec3 arm = pose_world * contact.point_on - center;
    given.wrench.force += contact.force_world;
    given.wrench.torque +=
        arm.cross(contact.force_world) - contact.torque_normal * contact.normal_world;
    const double normal = -contact.normal_world.dot(contact.force_world);
    if (const double beyond = outside_cone(contact, object.friction) / weight;
        beyond > given.friction_excess) {
      given.friction_excess = beyond;
      given.worst = static_cast<int>(i);
    }
    if (contact.by.is_hand()) given.hand_force += std::max(0.0, normal);
  }
  return given;
}

double unexplained(const Object& object, const Wrench& needed, const Wrench& given) {
  return size_of(needed - given, lever(object)) / (object.mass * kStandardGravity);
}

Explanation judge_possible(const Object& object, const Transform& pose_world, const Wrench& needed,
                           const std::vector<Contact>& contacts) {
  const double weight = object.mass * kStandardGravity;
  const double length = lever(object);
  const Vec3 center = pose_world * object.center_of_mass;
  std::vector<optimize::ConeContact> cones;
  for (const Contact& contact : contacts) {
    const Vec3 push = -contact.normal_world;
    const Vec3 tangent = any_orthogonal(push), other = push.cross(tangent);
    const Vec3 arm = pose_world * contact.point_on - center;
    optimize::ConeContact cone;
    int column = 0;
    for (const Vec3& axis : {push, tangent, other}) {
      cone.wrench_map.col(column++) << axis, arm.cross(axis) / length;
    }
    cone.wrench_map.col(3) << Vec3::Zero(), push / length;
    cone.friction = object.friction;
    cone.torsional_friction = object.torsional_friction;
    cones.push_back(cone);
  }
  // In units of the weight, so that the solver's tolerance means the same for a nail and a pot.
  Eigen::Matrix<double, 6, 1> wanted;
  wanted << needed.force / weight, needed.torque / (length * weight);
  const optimize::ConeProgramResult solved = optimize::solve_cone_program(cones, wanted);
  Explanation result;
  result.residual = solved.residual.norm();
  for (size_t i = 0; i < contacts.size(); ++i) {
    if (contacts[i].by.is_hand()) result.hand_force += weight * solved.forces[i][0];
  }
  return result;
}

}  // namespace prehend::audit
