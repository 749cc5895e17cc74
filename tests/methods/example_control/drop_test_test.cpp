#include "prehend/methods/example_control/drop_test.h"

#include <cmath>

#include <gtest/gtest.h>
#include <Eigen/Cholesky>

#include "prehend/physics/dynamics.h"
#include "tests/methods/example_control/test_controller.h"

namespace prehend::example_control {
namespace {

class Drop : public ::testing::Test {
 protected:
  HandPtr hand = std::make_shared<const Hand>(ball_hand());
  Controller controller = test_controller(*hand);

  void SetUp() override { controller.path = {}; }  // the test has a wrist of its own

  DropTest test(const DropTestOptions& options) const {
    auto done = drop_test(hand, controller, options);
    EXPECT_TRUE(done.ok()) << done.message();
    return done.ok() ? std::move(*done) : DropTest();
  }
};

TEST(DropMotion, FallsFreelyAndIsStoppedInTime) {
  constexpr double kDrop = 0.3, kCatch = 0.06, kTolerance = 1e-9;
  const DropMotion motion = drop_motion(kDrop, kCatch, Quat::Identity());
  const double g = gravity_world().norm();
  const auto at = [&](double time) { return motion.wrist_world.at(time); };
  const auto start = at(0.0), meets = at(motion.catch_start), stands = at(motion.catch_end);
  EXPECT_NEAR(start.pose.position.y() - meets.pose.position.y(), kDrop, kTolerance);
  EXPECT_NEAR(motion.catch_end - motion.catch_start, kCatch, kTolerance);
  // A little less than without the time in which it is let go of.
  EXPECT_NEAR(-meets.velocity.y(), std::sqrt(2.0 * g * kDrop), 0.01);
  EXPECT_EQ(stands.velocity.norm(), 0.0);
  for (double time = motion.fall_start + 0.03; time < motion.catch_start; time += 0.01)
    EXPECT_NEAR(at(time).acceleration.y(), -g, kTolerance) << time;
  double most = 0.0;
  for (double time = motion.catch_start; time < motion.catch_end; time += 1e-4) {
    EXPECT_LE(at(time).velocity.y(), kTolerance) << time;
    most = std::max(most, at(time).acceleration.y());
  }
  // A parabola's height is 1.5 of its mean.
  EXPECT_NEAR(most, 1.5 * (-meets.velocity.y() / kCatch), 0.1 * most);
}

TEST_F(Drop, WithoutSetpointsAndWeightTheHandRestsAtNeutral) {
  controller.positions.array() += 0.1;
  DropTestOptions options;
  options.terms.gravity = true;
  constexpr double kTolerance = 1e-4;  // rad
  EXPECT_LT(test(options).sag, kTolerance);
  options.terms.active = true;
  EXPECT_GT(test(options).sag, 100.0 * kTolerance);
}

// The sag of a stiff hand, linear, is M^-1 tau_G / k_S.
TEST_F(Drop, AStiffHandSagsAsTheInertiaMatrixSays) {
  DropTestOptions options;
  options.gains.stiffness = 20000.0;
  options.gains.damping = 200.0;
  options.terms.limits = false;
  options.watch_seconds = 0.1;
  const double sag = test(options).sag;

  SimulationProblem problem;
  ControlledHand& held = problem.hands.emplace_back();
  held.hand = hand;
  held.controller = std::make_shared<const Controller>(controller);
  held.start_angles = controller.neutral;
  held.distances = {1.0};
  auto simulation = Simulation::build(problem, {.grip = Grip::kPaper});
  ASSERT_TRUE(simulation.ok());
  physics::State& state = simulation->state();
  Eigen::VectorXd torques;
  physics::rigid_hand_torques(state, 0, {}, {}, gravity_world(), torques);
  Eigen::MatrixXd mass;
  physics::mass_matrix(state, mass);
  const Eigen::Index n = torques.size();
  const Eigen::VectorXd bend =
      mass.bottomRightCorner(n, n).ldlt().solve(torques) / options.gains.stiffness;
  EXPECT_NEAR(sag, std::sqrt(bend.squaredNorm() / (n / 3.0)), 0.02 * sag);
}

TEST_F(Drop, DecoupledJointsOvershootAsTheirDampingRatioSays) {
  DropTestOptions options;
  options.terms.gravity = true;
  options.terms.limits = false;
  // A blow that is short beside the period, and small swings: those are linear.
  options.drop = 0.001;
  options.catch_seconds = 0.002;
  options.timestep = 0.0002;
  options.watch_seconds = 0.2;
  options.gains.stiffness = 20000.0;
  for (const double ratio : {0.2, 0.4, 0.6}) {
    options.gains.damping = 2.0 * ratio * std::sqrt(options.gains.stiffness);
    const double closed = std::exp(-kPi * ratio / std::sqrt(1.0 - ratio * ratio));
    EXPECT_NEAR(test(options).overshoot, closed, 0.02) << ratio;
  }
  options.gains.damping = 3.0 * std::sqrt(options.gains.stiffness);
  EXPECT_LT(test(options).overshoot, 0.005);
}

TEST_F(Drop, LimitsKeepTheHandNearItsLegalRange) {
  DropTestOptions options;
  const DropTest with = test(options);
  options.terms.limits = false;
  const DropTest without = test(options);
  EXPECT_GT(without.max_limit_violation, radians(10.0));
  EXPECT_LT(with.max_limit_violation, 0.4 * without.max_limit_violation);
  EXPECT_FALSE(with.worst_joint.empty());
  EXPECT_EQ(with.clip.hands.size(), 1u);
}

// The acceleration of a limit is k_JL times how far it is passed, so harder limits are passed less.
TEST_F(Drop, HarderLimitsArePassedLess) {
  DropTestOptions options;
  double last = INFINITY;
  for (const double hardness : {2500.0, 5000.0, 10000.0, 20000.0}) {
    options.gains.limit_stiffness = hardness;
    const double now = test(options).max_limit_violation;
    EXPECT_LT(now, 0.85 * last) << hardness;
    last = now;
  }
}

TEST_F(Drop, GainsAreFoundThatReachTheTargetAndNoneMuchSofterDo) {
  const DropTarget target;
  DropTestOptions options;
  options.timestep = 0.004;  // for speed
  options.watch_seconds = 0.7;
  const auto tuned = tune_gains(hand, controller, target, options);
  ASSERT_TRUE(tuned.ok()) << tuned.message();
  EXPECT_EQ(tuned->result.summary.termination, Termination::kConverged);
  EXPECT_TRUE(stable_at(tuned->gains, options.timestep).ok());
  const auto reaches = [&](double stiffness, double damping) {
    options.gains = {stiffness, damping, options.gains.limit_stiffness};
    const DropTest t = test(options);
    return t.sag <= target.max_sag && t.overshoot <= target.max_overshoot &&
           t.settle_seconds <= target.settle_seconds;
  };
  EXPECT_TRUE(reaches(tuned->gains.stiffness, tuned->gains.damping));
  EXPECT_FALSE(reaches(0.95 * tuned->gains.stiffness, tuned->gains.damping));
  EXPECT_FALSE(reaches(tuned->gains.stiffness, 0.95 * tuned->gains.damping));
  const auto again = tune_gains(hand, controller, target, options);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->gains.stiffness, tuned->gains.stiffness);
  EXPECT_EQ(again->gains.damping, tuned->gains.damping);
  EXPECT_EQ(again->tests, tuned->tests);
}

TEST_F(Drop, WhatDoesNotFallIsRefused) {
  DropTestOptions options;
  options.drop = 0.0;
  EXPECT_FALSE(drop_test(hand, controller, options).ok());
  options = {};
  options.catch_seconds = NAN;
  EXPECT_FALSE(drop_test(hand, controller, options).ok());
  options = {};
  options.gains.damping = 1e4;
  EXPECT_FALSE(drop_test(hand, controller, options).ok());
  EXPECT_FALSE(tune_gains(hand, Controller()).ok());
}

TEST_F(Drop, ATargetOutOfReachIsSaidSo) {
  DropTarget target;
  target.max_sag = 1e-6;
  const auto tuned = tune_gains(hand, controller, target);
  ASSERT_TRUE(tuned.ok());
  EXPECT_EQ(tuned->result.summary.termination, Termination::kLimitReached);
  EXPECT_FALSE(tuned->result.summary.message.empty());
}

}  // namespace
}  // namespace prehend::example_control
