#include "methods/example_control/hold.h"

#include <algorithm>
#include <cmath>

namespace prehend::example_control {
namespace {

constexpr double kTouching = 0.001;   // m: a contact farther away carries nothing
constexpr double kSmoothing = 0.006;  // s, of torques from one solution to the next
constexpr double kSlipSpeed = 0.01;   // m/s
constexpr double kTightening = 4.0;   // of the margin, a second of slip
constexpr double kLoosening = 0.5;    // a second without
constexpr double kMostMargin = 3.0;   // of friction: a grip this firm is all that helps

constexpr double kMostLasting = 1.0;  // of the weight
constexpr double kMostOffset = 0.01;  // m and, over the object's size, rad: beyond, it is lost
constexpr double kMostSpeed = 0.3;    // m/s

Vec3 at_most(const Vec3& v, double size) { return v * (size / std::max(size, v.norm())); }

}  // namespace

Hold::Hold(const Hand& hand, ObjectPtr object, const HoldOptions& options)
    : hand_(hand),
      object_(std::move(object)),
      options_(options),
      margin_(options.friction_margin),
      offsets_(coordinate_offsets(hand)) {
  length_ = std::sqrt(std::max(0.5 * object_->inertia.trace() / object_->mass, 1e-6));
  planned_torques_.setZero(hand.dof());
  torques_.setZero(hand.dof());
  program_.reserve(64);
}

// What carries the object along with the wrist, and back to where it was gripped.
Wrench Hold::wanted_wrench(const Situation& now, double dt) {
  const double mass = object_->mass, frequency = options_.frequency;
  const Vec3 center = now.object_world * object_->center_of_mass;
  if (seconds_ <= options_.settle_seconds)
    place_wrist_ = now.wrist.pose.inverse() * now.object_world;
  const Transform place = now.wrist.pose * place_wrist_;
  const Vec3 arm = center - now.wrist.pose.position;
  const Vec3& spin = now.wrist.angular_velocity;
  const Vec3 carried = now.wrist.velocity + spin.cross(arm);
  const Vec3 carried_on = now.wrist.acceleration + now.wrist.angular_acceleration.cross(arm) +
                          spin.cross(spin.cross(arm));
  const Vec3 velocity =
      now.object_twist.linear +
      now.object_twist.angular.cross(now.object_world.turn(object_->center_of_mass));
  const Vec3 offset = place * object_->center_of_mass - center;
  const Vec3 turn = log_map(place.rotation * now.object_world.rotation.conjugate());
  const Mat3 axes = now.object_world.rotation.toRotationMatrix();
  const Mat3 inertia = axes * object_->inertia * axes.transpose();
  const double k = frequency * frequency, d = 2.0 * frequency;

  const double speed = (velocity - carried).norm();
  if (seconds_ > options_.settle_seconds && speed > kSlipSpeed) {
    margin_ = std::min(kMostMargin, margin_ + kTightening * dt);
  } else {
    margin_ = std::max(options_.friction_margin, margin_ - kLoosening * dt);
  }
  const Vec3 pull = k * at_most(offset, kMostOffset) + d * at_most(carried - velocity, kMostSpeed);
  const Vec3 twist = k * at_most(turn, kMostOffset / length_) +
                     d * at_most(spin - now.object_twist.angular, kMostSpeed / length_);
  const double share = dt / options_.integral_seconds,
               most = kMostLasting * mass * kStandardGravity;
  lasting_.force = at_most(lasting_.force + share * mass * k * offset, most);
  lasting_.torque = at_most(lasting_.torque + share * k * (inertia * turn), most * length_);
  return {mass * (carried_on - now.gravity_world + pull) + lasting_.force,
          inertia * twist + lasting_.torque};
}

void Hold::plan(const Situation& now, const Wrench& wrench) {
  const Vec3 center = now.object_world * object_->center_of_mass;
  const double weight = object_->mass * kStandardGravity;
  const double margin = margin_ * (1.0 + now.alpha);
  cones_.clear();
  planned_torques_.setZero();
  planned_ = 0.0;
  carries_ = false;
  for (const Contact& contact : now.contacts) {
    optimize::ConeContact& cone = cones_.emplace_back();
    const Vec3 push = -contact.normal_world, tangent = any_orthogonal(push);
    const Vec3 arm = now.object_world * contact.point_object - center;
    int column = 0;
    for (const Vec3& axis : {push, tangent, Vec3(push.cross(tangent))})
      cone.wrench_map.col(column++) << axis, arm.cross(axis) / length_;
    cone.wrench_map.col(3) << Vec3::Zero(), push / length_;
    cone.friction = object_->friction / margin;
    cone.torsional_friction = object_->torsional_friction / margin;
    cone.max_normal = contact.gap < kTouching ? options_.max_contact_force / weight : 1e-6;
  }
  if (cones_.empty()) return;
  Eigen::Matrix<double, 6, 1> wanted;
  wanted << wrench.force, wrench.torque / length_;
  program_.solve(cones_, wanted / weight, solved_);
  carries_ = solved_.feasible;
  for (size_t i = 0; i < cones_.size(); ++i) {
    const Contact& contact = now.contacts[i];
    const Vec3 force =
        weight * (cones_[i].wrench_map.topLeftCorner<3, 3>() * solved_.forces[i].head<3>());
    const Vec3 torsion = -weight * solved_.forces[i][3] * contact.normal_world;
    const Vec3 point = now.object_world * contact.point_object;
    planned_ += weight * solved_.forces[i][0];
    for (int s = contact.segment; s > 0; s = hand_.segments[s].parent) {
      if (offsets_[s + 1] - offsets_[s] != 3) continue;
      const Transform& frame = now.frames_world[s];
      planned_torques_.segment<3>(offsets_[s]) +=
          frame.rotation.conjugate() * ((point - frame.position).cross(force) + torsion);
    }
  }
}

void Hold::update(const Situation& now, bool gripping, double dt) {
  share_ = std::clamp(share_ + (gripping ? dt : -dt) / options_.blend_seconds, 0.0, 1.0);
  if (share_ == 0.0) {
    seconds_ = 0.0;
    lasting_ = {};
    torques_.setZero();
    planned_torques_.setZero();
    planned_ = alpha_ = 0.0;
    margin_ = options_.friction_margin;
    return;
  }
  if (gripping) {
    seconds_ += dt;
    since_plan_ += dt;
    const Wrench wrench = wanted_wrench(now, dt);
    if (since_plan_ >= options_.period - 0.5 * dt) {
      plan(now, wrench);
      since_plan_ = 0.0;
    }
    if (!carries_) alpha_ = std::min(options_.max_alpha, alpha_ + options_.closing_rate * dt);
  }
  torques_ += (1.0 - std::exp(-dt / kSmoothing)) * (share_ * planned_torques_ - torques_);
}

}  // namespace prehend::example_control
