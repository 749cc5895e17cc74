#include "methods/example_control/hand_torques.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include "methods/example_control/axis_angle.h"
#include "prehend/core/random.h"
#include "prehend/physics/dynamics.h"
#include "tests/methods/example_control/test_controller.h"

namespace prehend::example_control {
namespace {

constexpr double kExact = 1e-7;  // rad/s^2, of accelerations of tens
constexpr double kTime = 0.31;   // s: where the wrist is looked at

// The controlled hand on a root that is moved as a curve says, without the engine's step.
class HandTorquesTest : public testing::Test {
 protected:
  HandTorquesTest() {
    std::vector<Transform> wrists;
    for (int f = 0; f < 40; ++f) {
      const double t = f / 60.0;
      wrists.push_back({exp_map({2.0 * std::sin(4.0 * t), 0.5 * t, std::cos(3.0 * t)}),
                        {0.3 * std::sin(6.0 * t), 0.2 * t, 0.1 * std::cos(8.0 * t)}});
    }
    wrist_ = RigidCurve::through_samples(wrists, 60.0);
    controller_.lower.setConstant(-2.0);
    controller_.upper.setConstant(2.0);
    Random random(4);
    angles_.resize(hand_->dof());
    for (double& angle : angles_) angle = random.uniform(-0.3, 0.3);
    rates_.setZero(hand_->dof());
    blend_ << 0.0, 0.3, 0.7, 0.0, 0.0, 0.0;
    for (Eigen::Index i = 0; i < controller_.velocities.size(); ++i)
      controller_.velocities(i) = random.uniform(-1.0, 1.0);
  }

  // theta'' that the torques give, the root accelerating as the curve says.
  Eigen::VectorXd accelerations(const Terms& terms = {}, const Gains& gains = {}) {
    physics::HandSetup setup;
    setup.hand = hand_;
    setup.root = physics::RootMotion::kFree;
    setup.passive_joints = setup.joint_limits = setup.self_collision = setup.collides = false;
    physics::State state(physics::World::build({&setup, 1}, {}).value());
    const int dof = hand_->dof();
    const RigidCurve::Motion root = wrist_.at(kTime);
    const Quat root_from_world = root.pose.rotation.conjugate();
    Eigen::VectorXd velocity(6 + dof), bias, generalized = Eigen::VectorXd::Zero(6 + dof), applied;
    velocity.head<6>() << root.velocity, root_from_world * root.angular_velocity;
    for (int k = 0; k < dof; k += 3)
      velocity.segment<3>(6 + k) =
          AxisAngleRates(angles_.segment<3>(k)).velocity(rates_.segment<3>(k));
    state.set_hand(0, root.pose, angles_);
    state.set_velocity(velocity);

    HandTorques torques(state.world(), 0, std::make_shared<const Controller>(controller_), gains,
                        terms);
    torques.read(state);
    torques.accelerations(blend_, generalized);
    physics::multiply_mass(state, generalized, applied);
    torques.add_compensation(state, root, applied);

    Eigen::MatrixXd mass;
    physics::mass_matrix(state, mass);
    physics::bias_forces(state, bias);
    Eigen::Matrix<double, 6, 1> moved;
    moved << root.acceleration, root_from_world * root.angular_acceleration;
    const Eigen::VectorXd turned = mass.bottomRightCorner(dof, dof).llt().solve(
        applied.tail(dof) - bias.tail(dof) - mass.bottomLeftCorner(dof, 6) * moved);
    return second(turned);
  }

  // theta'' of omega'.
  Eigen::VectorXd second(const Eigen::VectorXd& turned) const {
    Eigen::VectorXd out(turned.size());
    for (int k = 0; k < turned.size(); k += 3) {
      const AxisAngleRates rates(angles_.segment<3>(k));
      const Vec3 rate = rates_.segment<3>(k);
      out.segment<3>(k) = rates.rate(turned.segment<3>(k) - rates.acceleration(rate, Vec3::Zero()));
    }
    return out;
  }

  // eq. 4 and eq. 5 to 7, written out.
  Eigen::VectorXd wanted(const Gains& gains = {}) const {
    const Eigen::VectorXd aim = controller_.positions.transpose() * blend_;
    const Eigen::VectorXd aim_rate = controller_.velocities.transpose() * blend_;
    return gains.stiffness * (controller_.neutral - angles_) - gains.damping * rates_ +
           gains.stiffness * (aim - angles_) + gains.damping * (aim_rate - rates_);
  }

  double off(const Eigen::VectorXd& a, const Eigen::VectorXd& b) const {
    return (a - b).cwiseAbs().maxCoeff();
  }

  const HandPtr hand_ = std::make_shared<const Hand>(ball_hand());
  Controller controller_ = test_controller(*hand_);
  RigidCurve wrist_;
  Eigen::VectorXd angles_, rates_;
  Blend blend_;
};

TEST_F(HandTorquesTest, JointsAccelerateByEquationsFourAndFiveWhateverTheArmDoes) {
  EXPECT_LT(off(accelerations(), wanted()), kExact);
  const Gains stiff{300.0, 60.0, 5000.0};
  EXPECT_LT(off(accelerations({}, stiff), wanted(stiff)), kExact);
}

TEST_F(HandTorquesTest, WithoutCompensationTheArmOrGravityMovesTheFingers) {
  constexpr double kFelt = 10.0;  // rad/s^2
  EXPECT_GT(off(accelerations({.arm = false}), wanted()), kFelt);
  EXPECT_GT(off(accelerations({.gravity = false}), wanted()), kFelt);
  // Each takes away its own part only.
  wrist_ = RigidCurve::still({exp_map({0.4, 0.2, 0.1}), Vec3::Zero()});
  EXPECT_LT(off(accelerations({.arm = false}), wanted()), kExact);
  EXPECT_GT(off(accelerations({.gravity = false}), wanted()), kFelt);
}

TEST_F(HandTorquesTest, FingersThatMoveAreDampedAlike) {
  Random random(8);
  wrist_ = RigidCurve::still({exp_map({0.4, 0.2, 0.1}), Vec3::Zero()});
  // Slow, since what fingers do to each other by moving is not compensated: it is a square.
  for (double& rate : rates_) rate = random.uniform(-0.01, 0.01);
  EXPECT_LT(off(accelerations(), wanted()), 0.05);
  rates_ *= 1e-3;
  EXPECT_LT(off(accelerations(), wanted()), 1e-6);
  EXPECT_GT(controller_.gains.damping * rates_.cwiseAbs().maxCoeff(), 1e-4);
}

// The claim of section 4: the same offset gives the same acceleration at every joint.
TEST_F(HandTorquesTest, TheResponseIsTheSameAtEveryJoint) {
  controller_.velocities.setZero();
  controller_.positions = controller_.neutral.transpose().replicate(kSetpointCount, 1);
  constexpr double kOffset = 0.2;
  for (int k = 0; k < hand_->dof(); ++k) {
    angles_ = controller_.neutral;
    angles_[k] += kOffset;
    const Eigen::VectorXd response = accelerations();
    EXPECT_NEAR(response[k], -2.0 * controller_.gains.stiffness * kOffset, kExact) << k;
    for (int other = 0; other < response.size(); ++other) {
      if (other == k) continue;
      EXPECT_NEAR(response[other], 0.0, kExact) << k << " moves " << other;
    }
  }
}

TEST_F(HandTorquesTest, LimitsPushBackOnlyWhatIsBeyondThem) {
  const Eigen::VectorXd within = accelerations();
  controller_.upper[7] = angles_[7] - 0.05;
  controller_.lower[12] = angles_[12] + 0.02;
  const Eigen::VectorXd change = accelerations() - within;
  for (int k = 0; k < change.size(); ++k) {
    const double pushed = k == 7 ? -0.05 : k == 12 ? 0.02 : 0.0;
    EXPECT_NEAR(change[k], controller_.gains.limit_stiffness * pushed, kExact) << k;
  }
  EXPECT_LT(off(accelerations({.limits = false}), within), kExact);
}

TEST_F(HandTorquesTest, ThePassivePartCanBeTakenAway) {
  const Eigen::VectorXd passive = accelerations() - accelerations({.passive = false});
  EXPECT_LT(off(passive, controller_.gains.stiffness * (controller_.neutral - angles_)), kExact);
}

// In the engine: one small step of a hand on its wrist. The weld moves the root within what its
// softness allows.
class SteppedHand : public HandTorquesTest {
 protected:
  Eigen::VectorXd stepped(Grip grip, const Terms& terms = {}) {
    SimulationProblem problem;
    ControlledHand& controlled = problem.hands.emplace_back();
    controlled.hand = hand_;
    controlled.controller = std::make_shared<const Controller>(controller_);
    controlled.wrist_world = wrist_;
    controlled.distances = {1.0};  // neutral
    controlled.distance_rate = 60.0;
    controlled.start_angles = angles_;
    SimulationOptions options;
    options.timestep = 1e-5;
    options.grip = grip;
    options.terms = terms;
    auto simulation = Simulation::build(problem, options);
    if (!simulation) {
      ADD_FAILURE() << simulation.message();
      return angles_;
    }
    // In the middle of the wrist's way.
    physics::Snapshot now = simulation->state().snapshot();
    now.time = kTime;
    simulation->state().restore(now);
    const RigidCurve::Motion root = wrist_.at(kTime);
    simulation->state().set_hand(0, root.pose, angles_);
    Eigen::VectorXd velocity = Eigen::VectorXd::Zero(6 + hand_->dof());
    velocity.head<6>() << root.velocity, root.pose.rotation.conjugate() * root.angular_velocity;
    simulation->state().set_velocity(velocity);
    simulation->step();
    const Eigen::VectorXd gained = simulation->state().velocity() - velocity;
    return second(gained.tail(hand_->dof()) / options.timestep);
  }
};

TEST_F(SteppedHand, FollowsTheEquationsInTheEngine) {
  angles_ = controller_.neutral;
  for (int k = 0; k < angles_.size(); k += 3) angles_[k] += 0.02 * std::sin(1.0 + k);
  blend_ = Blend::Unit(0);
  constexpr double kWeld = 1.0;  // rad/s^2
  ASSERT_GT(wrist_.at(kTime).acceleration.norm(), 3.0);
  for (Grip grip : {Grip::kPaper, Grip::kHold}) {
    EXPECT_LT(off(stepped(grip), wanted()), kWeld) << static_cast<int>(grip);
    EXPECT_GT(off(stepped(grip, {.arm = false}), wanted()), 5.0 * kWeld);
    EXPECT_GT(off(stepped(grip, {.gravity = false}), wanted()), 5.0 * kWeld);
  }
}

}  // namespace
}  // namespace prehend::example_control
