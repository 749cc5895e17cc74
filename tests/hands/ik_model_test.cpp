#include "hands/ik_model.h"

#include <gtest/gtest.h>

#include "prehend/geometry/primitive.h"
#include "tests/hands/ik_fixture.h"

namespace prehend::hands {
namespace {

constexpr double kDifference = 1e-6;  // step of the central differences
constexpr double kDerivative = 1e-5;  // what they may be off by, over the largest slope

std::shared_ptr<const geometry::SignedDistance> ball(double radius) {
  return geometry::fast_distance(
      geometry::object_from_primitive("ball", ShapeKind::kSphere, {radius, 0.0, 0.0}, 0.1)
          .value()
          .shape);
}

// Every term at once: targets, facings, a root that turned, two obstacles that are entered and a
// hand that enters itself.
TEST(IkModel, GradientMatchesDifferencesOfTheCost) {
  for (const HandProfile profile : {HandProfile::kAnatomical, HandProfile::kBall}) {
    const Hand hand = hand_of(profile);
    Random random(3);
    IkModel model(hand, {});
    IkLinear linear(model.tree(), model.size(), model.bound_capacity());
    const auto distance = ball(0.04);
    ContactIkProblem problem = problem_at(hand, some_root());
    problem.root_shift = problem.root_turn = 1.0;
    const Eigen::VectorXd q = random_pose(hand, random);
    std::vector<ContactTarget> targets = pad_targets(hand, problem.root_world, q);
    for (ContactTarget& target : targets) target.facing_angle = 0.3;
    problem.targets = targets;
    const Obstacle obstacles[] = {
        {distance.get(), {exp_map({0.1, 0.2, 0.3}), targets[1].point_world + Vec3(0.01, 0.0, 0.0)}},
        {distance.get(), {Quat::Identity(), targets[3].point_world}}};
    problem.obstacles = obstacles;
    Eigen::VectorXd x = Eigen::VectorXd::Zero(model.size());
    x.head<6>() << 0.004, -0.003, 0.005, 0.3, -0.2, 0.4;
    x.tail(hand.dof()) = random_pose(hand, random);
    model.begin(problem, true, x);
    const IkGroup& group = model.tree().whole;
    model.linearize(group, x, linear);
    Eigen::VectorXd gradient = Eigen::VectorXd::Zero(model.size());
    for (int c = 0; c < model.size(); ++c) gradient[c] = 2.0 * linear.system.gradient(c);
    int kinds[3] = {0, 0, 0};  // broken: with a place of their own, between digits, not broken
    for (size_t i = 0; i < linear.bounds.size(); ++i) {
      const IkBound& bound = linear.bounds[i];
      ++kinds[bound.value >= 0.0 ? 2 : (bound.other_block >= 0 ? 1 : 0)];
      if (bound.value >= 0.0) continue;
      gradient += 2.0 * bound.weight * bound.weight * bound.value * linear.row(i).transpose();
    }
    EXPECT_GT(kinds[0], 2) << "obstacles or facings are broken";
    EXPECT_GT(kinds[1], 0) << "digits enter each other";
    const double scale = gradient.cwiseAbs().maxCoeff();
    for (int c = 0; c < model.size(); ++c) {
      const auto cost = [&](double by) {
        model.linearize(group, x + by * Eigen::VectorXd::Unit(model.size(), c), linear);
        return linear.cost;
      };
      const double slope = (cost(kDifference) - cost(-kDifference)) / (2.0 * kDifference);
      EXPECT_NEAR(slope / scale, gradient[c] / scale, kDerivative)
          << to_string(profile) << " column " << c;
    }
  }
}

TEST(IkModel, DigitsHaveTheirOwnColumnsAndShareOnlyTheRoot) {
  const Hand hand = hand_of(HandProfile::kAnatomical);
  const IkModel model(hand, {});
  EXPECT_EQ(model.tree().border_columns.size(), 6U);
  for (const auto& columns : model.tree().block_columns) EXPECT_EQ(columns.size(), 6U);
  // An arm's shoulder, elbow and wrist are everybody's.
  const Hand arm = hand_of(HandProfile::kArm);
  const IkModel arm_model(arm, {});
  EXPECT_EQ(arm_model.tree().border_columns.size(), 6U + 8U);
}

}  // namespace
}  // namespace prehend::hands
