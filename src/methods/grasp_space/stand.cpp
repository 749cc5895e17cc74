#include "methods/grasp_space/stand.h"

#include <algorithm>
#include <cmath>

#include "prehend/geometry/signed_distance.h"
#include "prehend/geometry/surface_points.h"
#include "prehend/optimize/cone_program.h"

namespace prehend::grasp_space {
namespace {

constexpr int kPlaces = 96;
constexpr double kFrictionShare = 0.8;  // of the object's, so that rounding leaves no cone
constexpr double kNegligible = 1e-6;    // of the wrench
// Of the springs, critically damped: as stiff as a simulation's steps of 2 ms stand.
constexpr double kFrequency = 80.0;  // rad/s

}  // namespace

Stand::Stand(const geometry::PreparedObject& prepared, const Transform& pose_world)
    : object_(prepared.object()), pose_world_(pose_world) {
  const geometry::SurfaceSampler sampler(*object_.shape.mesh);
  const auto& exact = prepared.exact();
  Random random(1);
  for (int i = 0; i < kPlaces; ++i) {
    // A primitive's mesh lies a little inside it.
    const geometry::ClosestPoint at = exact->closest(sampler.draw(random).point);
    places_.push_back({at.point, at.normal});
  }
}

Wrench Stand::wrench(const Transform& pose_world, const physics::Twist& twist_world) const {
  const Vec3 center = pose_world.turn(object_.center_of_mass);
  const Vec3 shift = pose_world * object_.center_of_mass - pose_world_ * object_.center_of_mass;
  const Vec3 velocity = twist_world.linear + twist_world.angular.cross(center);
  const Vec3 turn = log_map(pose_world.rotation * pose_world_.rotation.conjugate());
  const Mat3 axes = pose_world.rotation.toRotationMatrix();
  const double k = kFrequency * kFrequency, d = 2.0 * kFrequency;
  return {object_.mass * (kStandardGravity * Vec3::UnitY() - k * shift - d * velocity),
          axes * object_.inertia * axes.transpose() * (-k * turn - d * twist_world.angular)};
}

std::vector<Contact> Stand::contacts(const Transform& pose_world, const Wrench& wrench_world,
                                     int index) const {
  std::vector<Contact> contacts;
  const double length = lever(object_);
  Eigen::Matrix<double, 6, 1> wanted;
  wanted << wrench_world.force, wrench_world.torque / length;
  const double size = wanted.norm();
  if (!(size > 1e-9)) return contacts;
  std::vector<optimize::ConeContact> cones;
  for (const Place& place : places_) {
    const Vec3 push = pose_world.turn(-place.normal);
    const Vec3 arm = pose_world.turn(place.point - object_.center_of_mass);
    const Vec3 tangent = any_orthogonal(push);
    optimize::ConeContact cone;
    int column = 0;
    for (const Vec3& axis : {push, tangent, Vec3(push.cross(tangent))}) {
      cone.wrench_map.col(column++) << axis, arm.cross(axis) / length;
    }
    cone.friction = kFrictionShare * object_.friction;
    cones.push_back(cone);
  }
  const optimize::ConeProgramResult solved = optimize::solve_cone_program(cones, wanted / size);
  for (size_t i = 0; i < places_.size(); ++i) {
    if (!(solved.forces[i][0] > kNegligible)) continue;
    Contact contact;
    contact.on = ContactSide::object(index);
    contact.point_on = places_[i].point;
    contact.normal_world = pose_world.turn(places_[i].normal);
    contact.force_world =
        size * (cones[i].wrench_map.topLeftCorner<3, 3>() * solved.forces[i].head<3>());
    contacts.push_back(contact);
  }
  return contacts;
}

void StandRecord::add(int frame, const Wrench& wrench_world) {
  if (frame >= static_cast<int>(sums_.size())) sums_.resize(frame + 1);
  sums_[frame].wrench = sums_[frame].wrench + wrench_world;
  ++sums_[frame].steps;
}

void StandRecord::write(const Stand& stand, Clip& clip) const {
  const int frames = std::min(clip.frame_count(), static_cast<int>(sums_.size()));
  for (int f = 0; f < frames; ++f) {
    const double part = 1.0 / std::max(1, sums_[f].steps);
    const Wrench mean{part * sums_[f].wrench.force, part * sums_[f].wrench.torque};
    for (const Contact& contact : stand.contacts(clip.objects[0].poses_world[f], mean, 0)) {
      clip.contacts[f].push_back(contact);
    }
  }
}

}  // namespace prehend::grasp_space
