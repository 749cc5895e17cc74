#include "methods/contact_sampling/kinematic_test.h"

#include <gtest/gtest.h>

#include "lift_scene.h"
#include "methods/contact_sampling/beyond/floor.h"

namespace prehend::contact_sampling {
namespace {

// Poses of a hand that touches nothing, each from the one before.
Eigen::VectorXd after(int frames, const WorkingHand& hand,
                      std::span<const hands::Obstacle> obstacles, const Transform& wrist_world) {
  const SamplingOptions options;
  KinematicTest test(hand, options);
  const Guides none = {};
  Eigen::VectorXd pose = hand.rest;
  for (int f = 0; f < frames; ++f) {
    const Eigen::VectorXd previous = pose;
    KinematicTest::Input input;
    input.wrist_world = wrist_world;
    input.guides = &none;
    input.previous = &previous;
    input.obstacles = obstacles;
    test.solve(input);
    pose = test.pose();
  }
  return pose;
}

TEST(KinematicTest, APriorDrawsAFreeHandToItsMean) {
  const SamplingProblem problem = lift_scene();
  WorkingHand hand = make_working_hand(problem.hands[0]).value();
  EXPECT_LT((after(5, hand, {}, Transform()) - hand.rest).norm(), 1e-3);
  PosePrior prior;
  prior.mean = Eigen::VectorXd::Zero(hand.full->dof());
  const Eigen::VectorXd wanted = 0.8 * hand.rest + 0.2 * hand.open;
  for (int i = 0; i < hand.dof(); ++i) prior.mean[hand.full_coordinate[i]] = wanted[i];
  prior.precision = 44.0 * Eigen::MatrixXd::Identity(hand.full->dof(), hand.full->dof());
  take_prior(prior, hand);
  double far = 0.0, near = 0.0;
  const Eigen::VectorXd one = after(1, hand, {}, Transform());
  const Eigen::VectorXd many = after(60, hand, {}, Transform());
  for (int c = 0; c < hand.dof(); ++c) {
    if (hand.digit_of[c] == Digit::kNone) continue;
    far += std::pow(one[c] - wanted[c], 2);
    near += std::pow(many[c] - wanted[c], 2);
  }
  EXPECT_GT(far, 1e-4);
  EXPECT_LT(near, 0.01 * far);
}

TEST(KinematicTest, FingersStayAboveTheFloor) {
  const SamplingProblem problem = lift_scene();
  const WorkingHand hand = make_working_hand(problem.hands[0]).value();
  const SamplingOptions options;
  KinematicTest test(hand, options);
  const std::vector<hands::Obstacle> floor = {floor_at(0.3)};
  // The floor is where it cuts the bent fingers of a hand at ease, and below its palm.
  Transform wrist;
  wrist.position.y() = 0.3 + 0.03;
  ASSERT_GT(test.deepest(hand.rest, wrist, floor), 0.002);
  EXPECT_LT(test.deepest(after(1, hand, floor, wrist), wrist, floor), kDeepest);
}

TEST(KinematicTest, HandsThatEnterEachOtherAreSeen) {
  const SamplingProblem problem = lift_scene();
  const WorkingHand hand = make_working_hand(problem.hands[0]).value();
  const SamplingOptions options;
  KinematicTest a(hand, options), b(hand, options);
  a.deepest(hand.rest, Transform(), {});
  b.deepest(hand.rest, Transform::from_position(Vec3(0.0, 0.01, 0.0)), {});
  EXPECT_GT(entered_by(a.gaps(), b.gaps()), 0.003);
  b.deepest(hand.rest, Transform::from_position(Vec3(0.3, 0.0, 0.0)), {});
  EXPECT_EQ(entered_by(a.gaps(), b.gaps()), 0.0);
}

}  // namespace
}  // namespace prehend::contact_sampling
