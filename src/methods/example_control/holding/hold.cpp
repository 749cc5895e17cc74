// Beyond Pollard and Zordan 2005, whose setpoints alone give the look of a grasp but not the force
// that carries a bottle. Forces on the object at the live contacts are planned as a sum of
//   1. carry    the least normal forces, by the cone program with friction taken to be less than it
//               is, that carry the object along with the wrist and draw it back to its place
//   2. squeeze  balanced forces that leave the object alone; more of them while the contacts cannot
//               carry it, though they can squeeze, or it slips
// and given by joint torques Jt f. At first the object is also drawn into the palm. While the
// contacts cannot carry the object, the hand also closes on along the line of eq. 15-16.
#include "methods/example_control/holding/hold.h"

#include <algorithm>
#include <cmath>

#include "prehend/physics/friction_cone.h"
#include "prehend/physics/grasp_proof.h"

namespace prehend::example_control {
namespace {

// "By eye" means on simulated grasps of the built-in cylinder, bottle and hammer; no sweep of these
// numbers was kept.

// A contact with a larger gap carries nothing, m. Chosen by eye.
constexpr double kTouching = 0.001;
// Time constant with which torques follow from one plan to the next, s: one and a half periods of
// planning (HoldOptions::period), so that they do not jump with every plan. Chosen by eye.
constexpr double kSmoothing = 0.006;
// An object that moves faster than this against the wrist slips, m/s. Chosen by eye.
constexpr double kSlipSpeed = 0.01;
// The contacts carry the object if the planned forces leave less than this of its wrench
// unbalanced, in weights. Chosen by eye.
constexpr double kCarriedPart = 0.1;
// A squeeze that leaves more than this share of itself unbalanced is not used, since it would throw
// the object out. Chosen by eye.
constexpr double kUnbalanced = 0.3;
// Share of the planned force that fingers press with before the thumb opposes them. At its full
// size it came as a blow when the thumb arrived; the share itself was chosen by eye.
constexpr double kWaiting = 0.3;
// The squeeze grows by this many newtons a second while the object slips or is not carried, and
// falls by this many otherwise: quickly enough to catch what slips, slowly enough not to begin
// again at once. Both chosen by eye.
constexpr double kFirmer = 15.0;
constexpr double kLooser = 2.0;
// The integral part of the wanted force is at most this many weights (times the object's lever for
// the torque), so that an object that is stuck does not wind it up. Chosen by eye.
constexpr double kMostLasting = 1.0;
// The spring that draws the object back to its place pulls as if it were no farther away than this,
// m (over the object's lever: rad), and its damper as if it were no faster than the speed, m/s: an
// object beyond both is lost, and greater forces only throw it. Chosen by eye.
constexpr double kMostOffset = 0.01;
constexpr double kMostSpeed = 0.3;

Vec3 at_most(const Vec3& v, double size) { return v * (size / std::max(size, v.norm())); }

}  // namespace

Hold::Hold(const Hand& hand, ObjectPtr object, const HoldOptions& options)
    : hand_(hand),
      object_(std::move(object)),
      options_(options),
      offsets_(coordinate_offsets(hand)) {
  length_ = lever(*object_);
  most_ = std::min(options.max_contact_force,
                   options.max_contact_weights * object_->mass * kStandardGravity);
  planned_torques_.setZero(hand.dof());
  torques_.setZero(hand.dof());
  program_.reserve(64);
  for (const Segment& segment : physics::with_strength(hand, options.max_contact_force).segments)
    strength_.push_back(segment.joints.empty() ? 0.0 : segment.joints[0].max_torque);
}

// What carries the object along with the wrist, and back to where it was gripped.
Wrench Hold::wanted_wrench(const Situation& now, double dt) {
  const double mass = object_->mass, frequency = options_.frequency;
  const Vec3 center = now.object_world * object_->center_of_mass;
  if (!settled_) place_wrist_ = now.wrist.pose.inverse() * now.object_world;
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
  slips_ = settled_ && (velocity - carried).norm() > kSlipSpeed;

  const Vec3 pull = k * at_most(offset, kMostOffset) + d * at_most(carried - velocity, kMostSpeed);
  const Vec3 twist = k * at_most(turn, kMostOffset / length_) +
                     d * at_most(spin - now.object_twist.angular, kMostSpeed / length_);
  Vec3 push = mass * (carried_on - now.gravity_world + pull);
  if (!settled_) {  // against a palm behind it the digits need the least force
    push += options_.draw * mass * kStandardGravity * now.wrist.pose.turn(Vec3::UnitY());
    return {push, inertia * twist};
  }
  const double share = dt / options_.integral_seconds,
               most = kMostLasting * mass * kStandardGravity;
  lasting_.force = at_most(lasting_.force + share * mass * k * offset, most);
  lasting_.torque = at_most(lasting_.torque + share * k * (inertia * turn), most * length_);
  return {push + lasting_.force, inertia * twist + lasting_.torque};
}

void Hold::add_force(const Situation& now, const Contact& contact, const Vec3& force,
                     const Vec3& torque) {
  const Vec3 point = now.object_world * contact.point_on;
  planned_ -= force.dot(contact.normal_world);
  for (int s = contact.by.segment; s > 0; s = hand_.segments[s].parent) {
    if (offsets_[s + 1] - offsets_[s] != 3) continue;
    const Transform& frame = now.frames_world[s];
    planned_torques_.segment<3>(offsets_[s]) +=
        frame.rotation.conjugate() * ((point - frame.position).cross(force) + torque);
  }
}

void Hold::plan(const Situation& now, const Wrench& wrench) {
  const Vec3 center = now.object_world * object_->center_of_mass;
  const double weight = object_->mass * kStandardGravity;
  const double margin = options_.friction_margin * (1.0 + firm_ * now.alpha);
  const physics::FrictionCone friction{object_->friction / margin,
                                       object_->torsional_friction / margin};
  cones_.clear();
  planned_torques_.setZero();
  planned_ = 0.0;
  carries_ = balanced_ = false;
  if (now.contacts.empty()) return;
  for (const Contact& contact : now.contacts) {
    cones_.push_back(physics::cone_contact(now.object_world * contact.point_on,
                                           contact.normal_world, friction, center, length_));
    const bool touches = contact.gap < kTouching;
    cones_.back().max_normal = touches ? most_ / weight : 1e-6;
  }
  Eigen::Matrix<double, 6, 1> wanted;
  wanted << wrench.force, wrench.torque / length_;
  program_.solve(cones_, wanted / weight, solved_);
  carries_ = solved_.residual.norm() < kCarriedPart;
  for (size_t i = 0; i < cones_.size(); ++i) {
    const Eigen::Matrix<double, 6, 1> given = weight * (cones_[i].wrench_map * solved_.forces[i]);
    add_force(now, now.contacts[i], given.head<3>(),
              -weight * solved_.forces[i][3] * now.contacts[i].normal_world);
  }
  plan_squeeze(now);
  bound_torques();
}

void Hold::plan_squeeze(const Situation& now) {
  if (squeeze_ <= 0.0) return;
  grasp_.clear();
  for (const Contact& contact : now.contacts) {
    const bool touches = contact.gap < kTouching;
    grasp_.push_back({contact.point_on,
                      now.object_world.rotation.conjugate() * contact.normal_world,
                      touches ? most_ : 1e-6});
  }
  preferred_.assign(grasp_.size(), squeeze_ / static_cast<double>(grasp_.size()));
  physics::GraspQualityOptions options;
  options.cone.friction = object_->friction / options_.friction_margin;
  const physics::Squeeze squeeze = physics::balanced_squeeze(grasp_, *object_, preferred_, options);
  balanced_ = squeeze.residual <= kUnbalanced;
  if (!balanced_) return;
  for (size_t i = 0; i < grasp_.size(); ++i)
    add_force(now, now.contacts[i], now.object_world.turn(squeeze.forces[i]), Vec3::Zero());
}

// No more than muscles can give.
void Hold::bound_torques() {
  for (int s = 1; s < hand_.segment_count(); ++s) {
    if (offsets_[s + 1] - offsets_[s] != 3) continue;
    auto torque = planned_torques_.segment<3>(offsets_[s]);
    torque = at_most(torque, strength_[s]);
  }
}

void Hold::update(const Situation& now, bool gripping, double dt) {
  // Before the thumb arrives fingers press gently: force that waited for it would come as a blow.
  opposed_ = gripping && (opposed_ || carries_ || balanced_);
  const double most = opposed_ || !gripping ? 1.0 : kWaiting;
  share_ = std::clamp(share_ + (gripping ? dt : -dt) / options_.blend_seconds, 0.0, most);
  if (gripping) {
    seconds_ += dt;
    since_plan_ += dt;
    const Wrench wrench = wanted_wrench(now, dt);
    // A grip that carries without slip changes little from one solution to the next.
    const double period = carries_ && !slips_ ? 2.0 * options_.period : options_.period;
    if (since_plan_ >= period - 0.5 * dt) {
      plan(now, wrench);
      since_plan_ = 0.0;
    }
    if (!carries_) alpha_ = std::min(options_.max_alpha, alpha_ + options_.closing_rate * dt);
    settled_ = seconds_ > options_.settle_seconds;
    // What is held firmly slides into no palm.
    firm_ = settled_ ? std::min(1.0, firm_ + dt / options_.blend_seconds) : 0.0;
    // Where nothing is there to squeeze against, a squeeze that grew would come as a blow.
    const bool firmer = slips_ || (!carries_ && balanced_);
    squeeze_ += (firmer ? kFirmer : -kLooser) * dt;
    const double weight = object_->mass * kStandardGravity;
    const double least = options_.squeeze + options_.squeeze_of_alpha * firm_ * now.alpha;
    squeeze_ = std::clamp(squeeze_, least * weight, std::max(least, options_.max_squeeze) * weight);
  } else {  // what comes next is another grip, even before this one has faded
    seconds_ = alpha_ = squeeze_ = firm_ = 0.0;
    settled_ = carries_ = balanced_ = false;
    lasting_ = {};
  }
  if (share_ == 0.0) {
    planned_ = 0.0;
    torques_.setZero();
    planned_torques_.setZero();
    return;
  }
  torques_ += (1.0 - std::exp(-dt / kSmoothing)) * (share_ * planned_torques_ - torques_);
}

}  // namespace prehend::example_control
