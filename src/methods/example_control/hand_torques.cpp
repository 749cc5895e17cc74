// Pollard and Zordan, "Physically Based Grasping Control from Example", SCA 2005, sections 3 to 5.
// Implements: eq. 1-7: tau = tau_P + tau_A + tau_ARM + tau_G.
// Departs:    I is the whole joint-space inertia, of which the paper's "inertia matrix of the
//             bodies effected by the joint" is the diagonal: only so does eq. 4 hold when joints of
//             one digit pull together. Rates of axis-angle vectors are turned exactly into angular
//             velocities.
// Symbols:    theta joint angles, axis-angle [rad]; omega angular velocity in the segment's frame.
#include "methods/example_control/hand_torques.h"

#include "methods/example_control/axis_angle.h"
#include "prehend/physics/dynamics.h"

namespace prehend::example_control {

HandTorques::HandTorques(const physics::World& world, int hand,
                         std::shared_ptr<const Controller> controller, const Gains& gains,
                         const Terms& terms)
    : hand_(hand), controller_(std::move(controller)), gains_(gains), terms_(terms) {
  const physics::DofRange dofs = world.hand_dofs(hand);
  first_ = dofs.first + dofs.root;
  count_ = dofs.count - dofs.root;
  pull_ = gains.stiffness * controller_->positions + gains.damping * controller_->velocities;
  rates_.resize(count_);
  wanted_.resize(count_);
}

void HandTorques::read(const physics::State& state) {
  state.joint_coordinates(hand_, angles_);
  state.velocity(velocity_);
  for (int k = 0; k < count_; k += 3)
    rates_.segment<3>(k) =
        AxisAngleRates(angles_.segment<3>(k)).rate(velocity_.segment<3>(first_ + k));
}

void HandTorques::accelerations(const Blend& blend, Eigen::VectorXd& generalized,
                                const Eigen::VectorXd& beyond) {
  const double stiffness = gains_.stiffness, damping = gains_.damping;
  wanted_.setZero();
  if (terms_.active) {
    wanted_.noalias() = pull_.transpose() * blend;
    // The passive spring is as stiff and stays at neutral, so twice the way brings the joint there.
    if (beyond.size() > 0) wanted_ += 2.0 * stiffness * beyond;
    wanted_ -= stiffness * angles_ + damping * rates_;  // eq. 5-7
  }
  if (terms_.passive) wanted_ += stiffness * (controller_->neutral - angles_) - damping * rates_;
  if (stiffening_.size() > 0) {
    const double springs = terms_.active + terms_.passive, own = springs * damping;
    wanted_ += own * rates_;
    wanted_ = wanted_.cwiseProduct(stiffening_).eval();
    wanted_ -=
        (2.0 * (springs * stiffness * stiffening_).cwiseSqrt()).cwiseMax(own).cwiseProduct(rates_);
  }
  if (terms_.limits)
    wanted_ += gains_.limit_stiffness *
               (angles_.cwiseMax(controller_->lower).cwiseMin(controller_->upper) - angles_);
  for (int k = 0; k < count_; k += 3)
    generalized.segment<3>(first_ + k) =
        AxisAngleRates(angles_.segment<3>(k))
            .acceleration(rates_.segment<3>(k), wanted_.segment<3>(k));
}

void HandTorques::add_compensation(physics::State& state, const RigidCurve::Motion& wrist,
                                   Eigen::VectorXd& generalized) {
  if (!terms_.arm && !terms_.gravity) return;
  const Vec3 gravity = terms_.gravity ? state.world().options().gravity : Vec3::Zero();
  physics::Twist velocity, acceleration;
  if (terms_.arm) {
    velocity = {wrist.velocity, wrist.angular_velocity};
    acceleration = {wrist.acceleration, wrist.angular_acceleration};
  }
  physics::rigid_hand_torques(state, hand_, velocity, acceleration, gravity, rigid_);
  generalized.segment(first_, count_) += rigid_;
}

}  // namespace prehend::example_control
