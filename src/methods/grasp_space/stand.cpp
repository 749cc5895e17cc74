// Beyond the paper: what keeps an object in the air until a hand holds it.
#include "methods/grasp_space/stand.h"

#include <algorithm>
#include <array>
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
constexpr int kMostDraws = 600;       // of places, among which those that stay clear are looked for
// Of the springs, critically damped: as stiff as a simulation's steps of 2 ms stand.
constexpr double kFrequency = 80.0;  // rad/s
// Of a pin, m: short enough that a finger which closes over one is not kept from the object.
constexpr double kPinLength = 0.001, kPinRadius = 0.0006;
// Around a pin that is clear of hands, m: what the auditor takes for touching, and its length.
constexpr double kPinClearance = 0.002 + kPinLength;
constexpr double kPinGraze = 0.0005;   // m that the object may overlap one by
constexpr double kPlaceMisses = 1e-4;  // of the wrench that the clear pins may leave
constexpr int kClearEvery = 3;         // frames: a lifted hand moves by millimeters in that time

// A pin that touches the object with its tip: a tetrahedron along the outward normal.
void add_pin(const Vec3& tip, const Vec3& normal, TriangleMesh& mesh) {
  const int first = static_cast<int>(mesh.vertices.size());
  const Vec3 across = any_orthogonal(normal), other = normal.cross(across);
  mesh.vertices.push_back(tip);
  for (int k = 0; k < 3; ++k) {
    const double angle = 2.0 * kPi * k / 3.0;
    mesh.vertices.push_back(tip + kPinLength * normal +
                            kPinRadius * (std::cos(angle) * across + std::sin(angle) * other));
  }
  for (const auto& [a, b, c] :
       {std::array{1, 2, 3}, std::array{0, 2, 1}, std::array{0, 3, 2}, std::array{0, 1, 3}})
    mesh.faces.push_back({first + a, first + b, first + c});
}

}  // namespace

Stand::Stand(const geometry::PreparedObject& prepared, const Transform& pose_world)
    : object_(prepared.object()),
      exact_(prepared.exact()),
      near_(prepared.contact()),
      pose_world_(pose_world) {
  places_ = draw_places(kPlaces);
}

std::vector<Stand::Place> Stand::draw_places(int count) const {
  const geometry::SurfaceSampler sampler(*object_.shape.mesh);
  Random random(1);
  std::vector<Place> places;
  for (int i = 0; i < count; ++i) {
    // A primitive's mesh lies a little inside it.
    const geometry::ClosestPoint at = exact_->closest(sampler.draw(random).point);
    places.push_back({at.point, at.normal});
  }
  return places;
}

bool Stand::stays_clear(const Place& place, const Clip& clip,
                        const std::vector<ClipMoment>& moments) const {
  const Vec3 tip = pose_world_ * place.point;
  const Vec3 end = tip + kPinLength * pose_world_.turn(place.normal);
  const Capsule pin{tip, end, 0.0};
  for (const ClipMoment& moment : moments) {
    const Transform object_from_world = moment.objects_world[0].inverse();
    for (const Vec3& point : {tip, end})
      if (near_->sample(object_from_world * point).distance < -kPinGraze) return false;
    for (size_t h = 0; h < clip.hands.size(); ++h) {
      const Hand& hand = *clip.hands[h].hand;
      for (int s = 0; s < hand.segment_count(); ++s)
        for (const Capsule& capsule : hand.segments[s].capsules)
          if (distance(moment.segments_world[h][s] * capsule, pin) < kPinClearance) return false;
    }
  }
  return true;
}

void Stand::keep_clear_of(const Clip& clip) {
  std::vector<ClipMoment> moments;
  for (int f = 0; f < clip.frame_count(); f += kClearEvery) moments.push_back(moment_of(clip, f));
  clear_places_.clear();
  for (const Place& place : draw_places(kMostDraws)) {
    if (std::ssize(clear_places_) >= kPlaces) break;
    if (stays_clear(place, clip, moments)) clear_places_.push_back(place);
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
  if (!(wanted.norm() > 1e-9)) return contacts;
  if (push_at(clear_places_, pose_world, wanted, index, contacts) > kPlaceMisses)
    push_at(places_, pose_world, wanted, index, contacts);
  return contacts;
}

double Stand::push_at(const std::vector<Place>& places, const Transform& pose_world,
                      const Eigen::Matrix<double, 6, 1>& wanted, int index,
                      std::vector<Contact>& contacts) const {
  contacts.clear();
  if (places.empty()) return 1.0;
  const double length = lever(object_), size = wanted.norm();
  std::vector<optimize::ConeContact> cones;
  for (const Place& place : places) {
    cones.push_back(physics::cone_contact(pose_world * place.point, pose_world.turn(place.normal),
                                          {kFrictionShare * object_.friction, 0.0},
                                          pose_world * object_.center_of_mass, length));
  }
  const optimize::ConeProgramResult solved = optimize::solve_cone_program(cones, wanted / size);
  for (size_t i = 0; i < places.size(); ++i) {
    if (!(solved.forces[i][0] > kNegligible)) continue;
    Contact contact;
    contact.on = ContactSide::object(index);
    contact.point_on = places[i].point;
    contact.normal_world = pose_world.turn(places[i].normal);
    contact.force_world =
        size * (cones[i].wrench_map.topLeftCorner<3, 3>() * solved.forces[i].head<3>());
    contacts.push_back(contact);
  }
  return solved.residual.norm();
}

void StandRecord::add(int frame, const Wrench& wrench_world) {
  if (frame >= static_cast<int>(sums_.size())) sums_.resize(frame + 1);
  sums_[frame].wrench = sums_[frame].wrench + wrench_world;
  ++sums_[frame].steps;
}

ObjectTrack Stand::pins(const std::vector<Contact>& pushes, int frames) const {
  auto mesh = std::make_shared<TriangleMesh>();
  std::vector<Vec3> used;
  for (const Contact& push : pushes) {
    if (std::find(used.begin(), used.end(), push.point_on) != used.end()) continue;
    used.push_back(push.point_on);
    add_pin(push.point_on, exact_->closest(push.point_on).normal, *mesh);
  }
  Object stand;
  stand.name = "stand";
  stand.shape.mesh = std::move(mesh);
  stand.mass = 1.0;
  stand.friction = object_.friction;
  stand.fixed = true;
  return {std::make_shared<const Object>(std::move(stand)),
          std::vector<Transform>(static_cast<size_t>(frames), pose_world_)};
}

void StandRecord::write(Stand stand, Clip& clip) const {
  stand.keep_clear_of(clip);
  const int frames = std::min(clip.frame_count(), static_cast<int>(sums_.size()));
  const int index = static_cast<int>(clip.objects.size());
  std::vector<Contact> all;
  for (int f = 0; f < frames; ++f) {
    const double part = 1.0 / std::max(1, sums_[f].steps);
    const Wrench mean{part * sums_[f].wrench.force, part * sums_[f].wrench.torque};
    for (Contact& contact : stand.contacts(clip.objects[0].poses_world[f], mean, 0)) {
      contact.by = ContactSide::object(index);
      clip.contacts[f].push_back(contact);
      all.push_back(contact);
    }
  }
  if (!all.empty()) clip.objects.push_back(stand.pins(all, clip.frame_count()));
}

}  // namespace prehend::grasp_space
