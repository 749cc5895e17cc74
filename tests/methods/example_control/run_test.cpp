#include "prehend/methods/example_control/run.h"

#include <gtest/gtest.h>

#include "prehend/geometry/primitive.h"
#include "tests/methods/example_control/test_controller.h"

namespace prehend::example_control {
namespace {

constexpr double kSlip = 0.01;  // m

// A short task with a cylinder like the example's.
class Run : public testing::Test {
 protected:
  static StagedGrasp scene() {
    GraspTask task;
    task.settle_seconds = 0.7;
    task.lift = 0.1;
    task.lift_seconds = 0.5;
    task.shakes = 1;
    task.release_seconds = 0.4;
    return grasp_scene(std::make_shared<const Object>(*geometry::object_from_primitive(
                           "cylinder", ShapeKind::kCylinder, {0.03, 0.09, 0.0}, 0.2)),
                       task);
  }
};

void expect_same(const Clip& one, const Clip& other) {
  ASSERT_EQ(one.frame_count(), other.frame_count());
  for (int f = 0; f < one.frame_count(); ++f) {
    const HandPose &a = one.hands[0].poses[f], &b = other.hands[0].poses[f];
    ASSERT_EQ(a.root_world.position, b.root_world.position) << f;
    for (size_t s = 0; s < a.rotations.size(); ++s)
      ASSERT_EQ(a.rotations[s].coeffs(), b.rotations[s].coeffs()) << f;
    ASSERT_EQ(one.objects[0].poses_world[f].position, other.objects[0].poses_world[f].position);
    ASSERT_EQ(one.contacts[f].size(), other.contacts[f].size()) << f;
    for (size_t c = 0; c < one.contacts[f].size(); ++c)
      ASSERT_EQ(one.contacts[f][c].force_world, other.contacts[f][c].force_world) << f;
  }
}

TEST_F(Run, HoldsLiftsAndLetsGoTheSameWayEveryTime) {
  const RunProblem problem = scene().run;
  const auto report = run(problem), again = run(problem);
  ASSERT_TRUE(report.ok()) << report.message();
  ASSERT_TRUE(again.ok());
  EXPECT_TRUE(report->held);
  EXPECT_TRUE(report->released);
  EXPECT_LT(report->slip, kSlip);
  EXPECT_GE(report->lifted, 0.8 * problem.lift);
  EXPECT_GT(report->grip_force, 1.0);
  EXPECT_GE(report->max_contact_force, report->mean_contact_force);
  RecordProperty("slip_mm", std::to_string(1e3 * report->slip));
  RecordProperty("realtime", std::to_string(report->realtime_factor));

  ASSERT_TRUE(validate(report->clip).ok());
  EXPECT_NEAR(report->clip.duration(), problem.seconds, 1.5 / report->clip.frame_rate);
  EXPECT_TRUE(report->clip.forces_recorded);
  EXPECT_EQ(report->angles[0].rows(), report->clip.frame_count());
  // Angles belong to the frames' poses.
  const Hand& hand = *report->clip.hands[0].hand;
  for (int f = 0; f < report->clip.frame_count(); f += 37) {
    const Eigen::VectorXd q = coordinates(hand, report->clip.hands[0].poses[f]);
    EXPECT_LT((q - report->angles[0].row(f).transpose()).cwiseAbs().maxCoeff(), 1e-6) << f;
  }
  // Every state once, in order, without gaps.
  ASSERT_GE(report->phases.size(), 6u);
  for (size_t i = 1; i < report->phases.size(); ++i) {
    EXPECT_GT(report->phases[i].phase, report->phases[i - 1].phase);
    EXPECT_NEAR(report->phases[i].start, report->phases[i - 1].end, 0.003);
  }

  expect_same(report->clip, again->clip);
  EXPECT_EQ(report->angles[0], again->angles[0]);
  EXPECT_EQ(report->slip, again->slip);
  EXPECT_EQ(report->mean_contact_force, again->mean_contact_force);
}

// What the report says is what the clip shows.
TEST_F(Run, SlipIsWhatTheClipShows) {
  const StagedGrasp made = scene();
  const auto report = run(made.run);
  ASSERT_TRUE(report.ok()) << report.message();
  const Clip& clip = report->clip;
  std::optional<Vec3> place;
  double slip = 0.0, height = 0.0, lifted = 0.0;
  for (int f = 0; f < clip.frame_count(); ++f) {
    const double time = f / clip.frame_rate;
    if (time < made.plan.lift || time > made.plan.down) continue;
    const Vec3 there = clip.objects[0].poses_world[f].position;
    const Vec3 in_hand = clip.hands[0].poses[f].root_world.inverse() * there;
    if (!place) {
      place = in_hand;
      height = there.y();
    }
    slip = std::max(slip, (in_hand - *place).norm());
    lifted = std::max(lifted, there.y() - height);
  }
  constexpr double kBetweenFrames = 5e-4;
  EXPECT_NEAR(report->slip, slip, kBetweenFrames);
  EXPECT_NEAR(report->lifted, lifted, kBetweenFrames);
}

TEST_F(Run, NothingIsHeldByAHandThatNeverGrips) {
  RunProblem problem = scene().run;
  problem.cues.clear();
  problem.simulation.hands[0].wrist_world =
      RigidCurve::still(problem.simulation.hands[0].wrist_world.at(0.0).pose);
  problem.seconds = 0.3;
  const auto report = run(problem);
  ASSERT_TRUE(report.ok()) << report.message();
  EXPECT_FALSE(report->held);
  EXPECT_FALSE(report->released);
  EXPECT_EQ(report->slip, 0.0);
  EXPECT_EQ(report->max_contact_force, 0.0);
}

TEST_F(Run, StopsWhenAskedAndReportsProgress) {
  RunProblem problem = scene().run;
  std::stop_source stop;
  Monitor monitor;
  monitor.stop = stop.get_token();
  double last = -1.0;
  monitor.progress = [&](double fraction, const std::string&) {
    EXPECT_GE(fraction, last);
    last = fraction;
    if (fraction > 0.05) stop.request_stop();
  };
  const auto report = run(problem, {}, monitor);
  ASSERT_TRUE(report.ok()) << report.message();
  EXPECT_EQ(report->summary.termination, Termination::kInterrupted);
  EXPECT_LT(report->clip.duration(), 0.5 * problem.seconds);
  EXPECT_GT(last, 0.0);
}

TEST_F(Run, BadProblemsAreRefusedInOneLine) {
  RunProblem problem = scene().run;
  SimulationOptions options;
  options.timestep = 0.05;
  const auto report = run(problem, options);
  ASSERT_FALSE(report.ok());
  EXPECT_NE(report.message().find("unstable"), std::string::npos);
}

}  // namespace
}  // namespace prehend::example_control
