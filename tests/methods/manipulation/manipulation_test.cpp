#include "prehend/methods/manipulation/manipulation.h"

#include <gtest/gtest.h>

#include "prehend/audit/audit.h"
#include "tests/methods/manipulation/manipulation_fixture.h"

namespace prehend::manipulation {
namespace {

// Over m g: the paper's equations of motion and friction cones, as the issue asks of every step.
constexpr double kStep = 1e-6;

TEST(Manipulation, ABoxIsReachedGrippedAndLifted) {
  const auto report = run(box_problem());
  ASSERT_TRUE(report) << report.message();
  ASSERT_EQ(report->goals.size(), 1u);
  EXPECT_LT(report->goals[0].error, 0.005);
  EXPECT_LT(report->step_residual, kStep);
  EXPECT_LT(report->cone_excess, kStep);
  // Bell-shaped: fastest in the middle of the way.
  EXPECT_GT(report->peak_speed_fraction, 0.35);
  EXPECT_LT(report->peak_speed_fraction, 0.65);
  const auto audited = audit::audit(report->clip);
  ASSERT_TRUE(audited);
  EXPECT_EQ(audited->verdict, audit::Verdict::kPass);
  EXPECT_TRUE(audited->forces_checked);
  EXPECT_LT(audited->dynamics_residual, 0.1);
  EXPECT_LT(audited->max_penetration_m, 1e-3);
  EXPECT_EQ(audited->explained_fraction, 1.0);
  EXPECT_LT(audited->max_limit_violation_rad, 1e-3);
}

// A goal of height says nothing about the sides: without rest the box glides on at 45 mm/s.
TEST(Manipulation, WhatAGoalLeavesOpenComesToRest) {
  Problem problem = box_problem();
  problem.seconds = 2.5;
  const auto report = run(problem);
  ASSERT_TRUE(report) << report.message();
  const auto& poses = report->clip.objects[0].poses_world;
  const size_t frames = 30;  // 0.25 s
  const double moved = (poses.back().position - poses[poses.size() - 1 - frames].position).norm();
  EXPECT_LT(moved, 0.01 * frames / report->clip.frame_rate);  // 1 cm/s
}

TEST(Manipulation, TheSameProblemGivesTheSameMotion) {
  const auto first = run(box_problem()), second = run(box_problem());
  ASSERT_TRUE(first && second);
  ASSERT_EQ(first->clip.frame_count(), second->clip.frame_count());
  const Transform &a = first->clip.objects[0].poses_world.back(),
                  &b = second->clip.objects[0].poses_world.back();
  EXPECT_EQ(a.position, b.position);
  EXPECT_EQ(a.rotation.coeffs(), b.rotation.coeffs());
}

// The height of the box over time, from the task's beginning.
std::vector<double> heights(const Problem& problem, const Options& options) {
  const auto report = run(problem, options);
  EXPECT_TRUE(report);
  if (!report) return std::vector<double>(400, 0.0);
  std::vector<double> result;
  const auto& poses = report->clip.objects[0].poses_world;
  for (size_t f = size_t(report->task_start * report->clip.frame_rate); f < poses.size(); ++f)
    result.push_back(poses[f].position.y());
  return result;
}

TEST(Manipulation, AnUnderestimatedMassStartsLaterAndAnOverestimatedOneFaster) {
  Options slow;
  slow.attenuation = 0.6;
  Problem light = box_problem(), right = box_problem(), heavy = box_problem();
  light.things[0].expected_mass = 0.15;
  heavy.things[0].expected_mass = 0.45;
  const auto low = heights(light, slow), middle = heights(right, slow), high = heights(heavy, slow);
  const size_t soon = 24;  // frames: 0.2 s
  EXPECT_LT(low[soon], middle[soon] - 1e-4);
  EXPECT_GT(high[soon], middle[soon] + 1e-4);
}

TEST(Manipulation, APushIsAnsweredFasterByAFasterMuscle) {
  Problem problem = box_problem();
  problem.seconds = 2.5;
  problem.disturbances.push_back(
      {.object = 0, .start = 1.4, .end = 1.5, .force_world = {0, -2, 0}});
  Options fast, slow;
  fast.attenuation = 0.75;
  slow.attenuation = 0.5;
  const auto strays = [&](const Options& options) {
    const std::vector<double> h = heights(problem, options);
    double most = 0.0;
    for (size_t f = 168; f < h.size(); ++f) most = std::max(most, std::abs(h[f] - 0.15));
    EXPECT_NEAR(h.back(), 0.15, 0.005);
    return most;
  };
  const double quick = strays(fast), late = strays(slow);
  EXPECT_GT(quick, 1e-4);
  EXPECT_GT(late, quick);
}

TEST(Manipulation, AHandleThatCannotTouchIsNamed) {
  Problem problem = box_problem();
  problem.things[0].pose_world.position = {0.0, 0.04, -1.5};
  const auto report = run(problem);
  ASSERT_FALSE(report);
  EXPECT_NE(report.message().find("handle"), std::string::npos) << report.message();
}

TEST(Manipulation, AThingTooHeavyForTheHandIsRefusedWithItsWeight) {
  Problem problem = box_problem();
  problem.things[0] =
      thing_of(*geometry::object_from_primitive("box", ShapeKind::kBox, {0.03, 0.04, 0.03}, 60.0),
               {0.0, 0.04, 0.0});
  const auto report = run(problem);
  ASSERT_FALSE(report);
  EXPECT_NE(report.message().find("588.6 N"), std::string::npos) << report.message();
}

TEST(Manipulation, AGoalBeyondTheArmIsNamed) {
  const auto report = run(box_problem(2.0));
  ASSERT_FALSE(report);
  EXPECT_NE(report.message().find("goal height"), std::string::npos) << report.message();
}

TEST(Manipulation, AGoalIsPassedAtItsVelocity) {
  Problem problem = box_problem();
  Goal pass;
  pass.name = "pass";
  pass.start = 1.2;
  pass.time = 1.6;
  pass.target = Vec3(0.02, 0.25, 0.0);
  pass.passing = Vec3(0.0, 0.4, 0.0);
  pass.passing_tolerance = 0.04;
  problem.goals.push_back(pass);
  const auto report = run(problem);
  ASSERT_TRUE(report) << report.message();
  ASSERT_EQ(report->goals.size(), 3u);
  EXPECT_EQ(report->goals[2].name, "pass velocity");
  EXPECT_LT(report->goals[1].error, 0.005);
  EXPECT_LT(report->goals[2].error, 0.04);
}

// Contact points that stay where they first were, as the paper's, and fingers whose last joints
// follow: the same lift.
TEST(Manipulation, FixedContactsAndCoupledFingersLiftToo) {
  Options fixed, coupled;
  fixed.rolling = false;
  coupled.coupled = true;
  for (const Options& options : {fixed, coupled}) {
    const auto report = run(box_problem(), options);
    ASSERT_TRUE(report) << report.message();
    EXPECT_LT(report->goals[0].error, 0.005);
    EXPECT_LT(report->step_residual, kStep);
  }
}

TEST(Manipulation, TheStepTakesForcesAsItGoes) {
  auto made = Manipulation::make(box_problem());
  ASSERT_TRUE(made) << made.message();
  const Disturbance pull{.object = 0, .force_world = {0.3, 0.0, 0.0}};
  double most = 0.0;
  while (
      (*made)->step((*made)->time() > 2.2 ? std::span(&pull, 1) : std::span<const Disturbance>()))
    most = std::max(most, (*made)->object_pose(0).position.y());
  EXPECT_GT(most, 0.14);
  EXPECT_LT((*made)->report().step_residual, kStep);
}

}  // namespace
}  // namespace prehend::manipulation
