// Beyond the paper: what keeps an object in the air until a hand holds it.
#include "methods/grasp_space/stand.h"

#include <algorithm>
#include <cmath>

#include "prehend/geometry/signed_distance.h"
#include "prehend/geometry/surface_points.h"
#include "prehend/physics/friction_cone.h"

namespace prehend::grasp_space {
namespace {

constexpr int kPlaces = 96;  // of the surface, at which the stand may push
// The stand's pushes stay within this share of the object's friction, so that a force that is
// rounded in a file is still within the cone.
constexpr double kFrictionShare = 0.8;
constexpr double kNegligible = 1e-6;  // share of the wrench below which a push is left out
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
    cones.push_back(physics::cone_contact(pose_world * place.point, pose_world.turn(place.normal),
                                          {kFrictionShare * object_.friction, 0.0},
                                          pose_world * object_.center_of_mass, length));
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
