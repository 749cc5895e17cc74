#include "prehend/methods/contact_sampling/sample.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "lift_scene.h"
#include "prehend/audit/audit.h"

namespace prehend::contact_sampling {
namespace {

SamplingOptions few() {
  SamplingOptions options;
  options.count = 3;
  return options;
}

TEST(SampleContacts, LiftsACubeWithForcesThatTheAuditConfirms) {
  const auto report = sample_contacts(lift_scene(), few());
  ASSERT_TRUE(report) << report.message();
  ASSERT_EQ(report->solutions.size(), 3u) << report->summary.message;
  for (const Solution& solution : report->solutions) {
    EXPECT_EQ(solution.solved_fraction, 1.0);
    EXPECT_LE(solution.wrist_shift_m, 0.015 + 1e-6);
    EXPECT_LE(solution.wrist_turn_rad, radians(8.0) + 1e-6);
    const auto audit = audit::audit(solution.clip);
    ASSERT_TRUE(audit) << audit.message();
    EXPECT_TRUE(audit->forces_checked);
    EXPECT_GE(audit->explained_fraction, 0.99);
    EXPECT_LE(audit->max_penetration_m, 0.001);
    EXPECT_LE(audit->max_limit_violation_rad, 1e-6);
    EXPECT_EQ(audit->verdict, prehend::audit::Verdict::kPass);
  }
}

// Captured wrists wander against what they hold. Here by 36 mm and 12 degrees: more than the wrist
// may give, so that fingers must follow.
TEST(SampleContacts, FollowsAWristThatWandersFartherThanItMayGive) {
  SamplingProblem problem = lift_scene(90);
  for (int f = 0; f < 90; ++f) {
    const double share = minimum_jerk(f, 20.0, 80.0);
    Transform& wrist = problem.hands[0].poses[f].root_world;
    wrist.position += share * Vec3(0.036, 0.0, 0.0);
    wrist.rotation = exp_map(share * radians(12.0) * Vec3::UnitY()) * wrist.rotation;
  }
  SamplingOptions options = few();
  options.count = 1;
  options.wider_give.reset();
  const auto report = sample_contacts(problem, options);
  ASSERT_TRUE(report) << report.message();
  ASSERT_EQ(report->solutions.size(), 1u) << report->summary.message;
  const Solution& solution = report->solutions[0];
  EXPECT_LE(solution.wrist_shift_m, 0.015 + 1e-6);
  EXPECT_LE(solution.wrist_turn_rad, radians(8.0) + 1e-6);
  const auto audit = audit::audit(solution.clip);
  ASSERT_TRUE(audit) << audit.message();
  EXPECT_GE(audit->explained_fraction, 0.99);
  EXPECT_LE(audit->max_penetration_m, 0.001);
}

// A hand that was captured 25 mm too high is too far for the usual bound.
TEST(SampleContacts, AWiderBoundIsTriedAndSaid) {
  SamplingProblem problem = lift_scene();
  for (HandPose& pose : problem.hands[0].poses) pose.root_world.position.y() += 0.038;
  SamplingOptions options = few();
  options.count = 1;
  options.wider_give.reset();
  const auto narrow = sample_contacts(problem, options);
  ASSERT_TRUE(narrow) << narrow.message();
  ASSERT_TRUE(narrow->solutions.empty());
  options.wider_give = WristGive{.shift = 0.03, .turn = radians(16.0)};
  const auto wide = sample_contacts(problem, options);
  ASSERT_TRUE(wide) << wide.message();
  ASSERT_EQ(wide->solutions.size(), 1u) << wide->summary.message;
  EXPECT_GT(wide->solutions[0].wrist_shift_m, 0.015);
  EXPECT_LE(wide->solutions[0].wrist_shift_m, 0.03 + 1e-6);
  EXPECT_TRUE(std::any_of(wide->notes.begin(), wide->notes.end(), [](const std::string& note) {
    return note.find("30 mm") != std::string::npos;
  }));
}

// A cube whose capture dips 6 mm into the floor, as it comes down, stands on it.
TEST(SampleContacts, WhatWasCapturedInsideTheFloorIsLifted) {
  SamplingProblem problem = lift_scene();
  for (int f = 0; f < 60; ++f) {
    const double dip = 0.006 * (1.0 - minimum_jerk(std::abs(f - 6), 0.0, 6.0));
    problem.objects[0].poses_world[f].position.y() -= dip;
  }
  SamplingOptions options = few();
  options.count = 1;
  const auto report = sample_contacts(problem, options);
  ASSERT_TRUE(report) << report.message();
  ASSERT_FALSE(report->notes.empty());
  for (const Solution& solution : report->solutions) {
    for (const Transform& pose : solution.clip.objects[0].poses_world)
      EXPECT_GE(pose.position.y(), kCubeHalf - 0.0006);
  }
}

// Markers that tremble by 1.5 mm from frame to frame need forces that no hand gives; smoothing
// helps.
TEST(SampleContacts, SmoothingIsAdvisedWhereNoiseNeedsImpossibleForces) {
  SamplingProblem problem = lift_scene();
  for (int f = 0; f < 60; ++f) {
    const double tremble = f % 2 == 0 ? 0.0015 : -0.0015;
    problem.objects[0].poses_world[f].position += Vec3(tremble, 0.002, f % 3 == 0 ? tremble : 0.0);
  }
  SamplingOptions options = few();
  options.count = 1;
  options.smoothing = 0.0;
  options.wider_give.reset();
  options.max_normal = 0.3;
  options.frame_budget = 500;
  const auto report = sample_contacts(problem, options);
  ASSERT_TRUE(report) << report.message();
  ASSERT_TRUE(report->solutions.empty());
  EXPECT_TRUE(std::any_of(report->notes.begin(), report->notes.end(), [](const std::string& note) {
    return note.find("--smoothing") != std::string::npos;
  }));
}

TEST(SampleContacts, SolutionsDiffer) {
  const auto report = sample_contacts(lift_scene(), few());
  ASSERT_TRUE(report);
  ASSERT_EQ(report->solutions.size(), 3u);
  const auto tip = [&](int solution) {
    const HandTrack& track = report->solutions[solution].clip.hands[0];
    return xr_frames(*track.hand, track.poses[40])[xr_tip_of(Digit::kIndex)].position;
  };
  EXPECT_GT((tip(0) - tip(1)).norm() + (tip(1) - tip(2)).norm(), 0.002);
}

TEST(SampleContacts, TheSameForAnyNumberOfThreads) {
  SamplingOptions one = few(), two = few();
  one.threads = 1;
  two.threads = 2;
  const auto a = sample_contacts(lift_scene(), one), b = sample_contacts(lift_scene(), two);
  ASSERT_TRUE(a && b);
  ASSERT_EQ(a->solutions.size(), b->solutions.size());
  EXPECT_EQ(a->total_frames, b->total_frames);
  for (size_t s = 0; s < a->solutions.size(); ++s) {
    const auto& first = a->solutions[s].clip.hands[0].poses;
    const auto& second = b->solutions[s].clip.hands[0].poses;
    for (size_t f = 0; f < first.size(); ++f) {
      for (size_t i = 0; i < first[f].rotations.size(); ++i)
        ASSERT_EQ(first[f].rotations[i].coeffs(), second[f].rotations[i].coeffs());
    }
  }
}

TEST(SampleContacts, TheNearestBaselineClosesOnTheObjectWithoutSearch) {
  SamplingOptions options = few();
  options.search = SearchKind::kNearest;
  const auto report = sample_contacts(lift_scene(), options);
  ASSERT_TRUE(report) << report.message();
  EXPECT_LT(report->total_frames, 60);  // each frame of the hold once
  ASSERT_LE(report->solutions.size(), 1u);
  ASSERT_TRUE(report->partial || !report->solutions.empty());
  const Solution& made = report->partial ? *report->partial : report->solutions[0];
  EXPECT_GE(made.contacts[40].size(), 2u);
  EXPECT_EQ(made.wrist_shift_m, 0.0);
}

TEST(SampleContacts, ATimeBudgetEndsTheSearch) {
  SamplingOptions options = few();
  options.time_budget = 1e-6;
  const auto report = sample_contacts(lift_scene(), options);
  ASSERT_TRUE(report) << report.message();
  EXPECT_EQ(report->total_frames, 0);
  EXPECT_EQ(report->summary.termination, Termination::kLimitReached);
}

TEST(SampleContacts, RefusesAPriorOfAnotherHand) {
  SamplingOptions options = few();
  options.priors.push_back({Eigen::VectorXd::Zero(3), Eigen::MatrixXd::Identity(3, 3)});
  EXPECT_FALSE(sample_contacts(lift_scene(), options));
}

TEST(SampleContacts, AnObjectThatFliesAloneIsToldByItsFrames) {
  SamplingProblem problem = lift_scene();
  for (HandPose& pose : problem.hands[0].poses) pose.root_world.position.x() += 2.0;
  const auto report = sample_contacts(problem, few());
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->solutions.empty());
  ASSERT_FALSE(report->unsolved.empty());
  EXPECT_NE(report->unsolved[0].cause.find("none is near"), std::string::npos);
  EXPECT_GE(report->unsolved[0].frames.first, 15);
  EXPECT_EQ(report->summary.termination, Termination::kFailed);
}

TEST(SampleContacts, RefusesFramesThatDoNotMatch) {
  SamplingProblem problem = lift_scene();
  problem.objects[0].poses_world.pop_back();
  const auto report = sample_contacts(problem, few());
  ASSERT_FALSE(report);
  EXPECT_NE(report.message().find("cube"), std::string::npos);
}

}  // namespace
}  // namespace prehend::contact_sampling
