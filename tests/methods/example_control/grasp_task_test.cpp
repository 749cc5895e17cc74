#include "prehend/methods/example_control/grasp_task.h"

#include <gtest/gtest.h>

#include "methods/example_control/placing/closing_poses.h"
#include "tests/methods/example_control/test_controller.h"

namespace prehend::example_control {
namespace {

// Where a part ends, the curve's smoothing rounds the first millisecond of the next: micrometres.
constexpr double kMeterTolerance = 5e-6;
constexpr double kRadianTolerance = 1e-6;

class PlanTask : public testing::Test {
 protected:
  void SetUp() override {
    placement_.grip_wrist_world = controller_.path.wrist_world[controller_.path.grip_frame];
    placement_.grip_wrist_world.position += Vec3(0.03, -0.02, 0.05);
  }
  Vec3 at(const TaskPlan& plan, double time) const {
    return plan.wrist_world.at(time).pose.position - placement_.grip_wrist_world.position;
  }
  const Hand hand_ = ball_hand();
  Controller controller_ = test_controller(hand_);
  GraspPlacement placement_;
};

TEST_F(PlanTask, TimesFollowEachOther) {
  const GraspTask task;
  const TaskPlan plan = plan_task(controller_, hand_, placement_, task);
  const double times[] = {0.0,       plan.grip,    plan.lift,  plan.shake, plan.set_down,
                          plan.down, plan.release, plan.leave, plan.end};
  for (size_t i = 1; i < std::size(times); ++i) EXPECT_GT(times[i], times[i - 1]) << i;
  constexpr double kSample = 1.0 / 120.0;
  EXPECT_NEAR(plan.lift - plan.grip, task.settle_seconds, kSample);
  EXPECT_NEAR(plan.leave - plan.release, task.release_seconds, kSample);
  EXPECT_NEAR(plan.end, plan.wrist_world.end_time(), 2.0 * kSample);
}

TEST_F(PlanTask, GripsLiftsAndSetsDownWhereItShould) {
  const GraspTask task;
  const TaskPlan plan = plan_task(controller_, hand_, placement_, task);
  for (double time : {plan.grip + 0.1, plan.lift, plan.release, plan.leave}) {
    EXPECT_LT(at(plan, time).norm(), kMeterTolerance) << time;
    EXPECT_LT(angle_between(plan.wrist_world.at(time).pose.rotation,
                            placement_.grip_wrist_world.rotation),
              kRadianTolerance);
  }
  for (double time : {plan.shake - 0.05, plan.set_down}) {
    EXPECT_LT((at(plan, time) - Vec3(0.0, task.lift, 0.0)).norm(), kMeterTolerance) << time;
  }
}

TEST_F(PlanTask, ComesAndGoesAsTheExampleDid) {
  const TaskPlan plan = plan_task(controller_, hand_, placement_);
  const ExamplePath& path = controller_.path;
  const Vec3 came = path.wrist_world[0].position - path.wrist_world[path.grip_frame].position;
  const Vec3 went =
      path.wrist_world.back().position - path.wrist_world[path.release_frame].position;
  constexpr double kSmoothed = 1e-3;
  EXPECT_LT((at(plan, 0.0) - came).norm(), kSmoothed);
  EXPECT_LT((at(plan, plan.end) - went).norm(), kSmoothed);
  // On the line between: nothing is cut short.
  for (double time = 0.0; time < plan.grip; time += 0.05) {
    EXPECT_LT(at(plan, time).cross(came).norm() / came.norm(), kSmoothed);
  }
}

// Examples whose table was lower lead the hand into the floor; the grip itself stays where it is.
TEST_F(PlanTask, TheOpenHandStaysAboveTheFloor) {
  for (size_t f = 0; f < controller_.path.wrist_world.size(); ++f) {
    const double away = static_cast<double>(f) - controller_.path.grip_frame;
    controller_.path.wrist_world[f].position.y() -= 0.004 * std::abs(away);
  }
  const hands::ClosingHand open_hand(hand_, closing_poses(hand_, controller_));
  Transform& grip = placement_.grip_wrist_world;
  grip.position.y() = 0.02 - open_hand.lowest(grip.rotation);
  const TaskPlan plan = plan_task(controller_, hand_, placement_);
  double lowest = INFINITY;
  for (double time = 0.0; time < plan.end; time += 0.01) {
    const Transform wrist = plan.wrist_world.at(time).pose;
    lowest = std::min(lowest, wrist.position.y() + open_hand.lowest(wrist.rotation));
  }
  EXPECT_GT(lowest, 0.001);
  EXPECT_LT(at(plan, plan.lift).norm(), kMeterTolerance);
}

TEST_F(PlanTask, ShakesAsOftenAndAsFarAsAsked) {
  GraspTask task;
  task.shakes = 4;
  const TaskPlan plan = plan_task(controller_, hand_, placement_, task);
  int crossings = 0;
  double farthest = 0.0, before = 0.0;
  for (double time = plan.shake + 0.01; time < plan.set_down; time += 0.005) {
    const Vec3 place = at(plan, time);
    EXPECT_NEAR(place.y(), task.lift, kMeterTolerance);
    farthest = std::max(farthest, std::abs(place.x()));
    if (std::abs(place.x()) < 1e-4) continue;
    if (place.x() * before < 0.0) ++crossings;
    before = place.x();
  }
  EXPECT_EQ(crossings, 2 * task.shakes - 1);
  EXPECT_NEAR(farthest, task.shake, 0.02 * task.shake);
}

// A hand that starts from a recording in motion is not jerked where parts meet.
TEST_F(PlanTask, VelocityAndAccelerationHaveNoSteps) {
  ExamplePath& path = controller_.path;
  path.wrist_world.erase(path.wrist_world.begin(), path.wrist_world.begin() + 30);
  path.target_world.erase(path.target_world.begin(), path.target_world.begin() + 30);
  path.grip_frame -= 36;  // it grips while still moving
  path.release_frame -= 30;
  const TaskPlan plan = plan_task(controller_, hand_, placement_);
  constexpr double kStep = 1e-3;
  constexpr double kMostAcceleration = 12.0, kMostJerk = 400.0;  // m/s^2, m/s^3
  for (double time = 0.0; time < plan.end; time += kStep) {
    const RigidCurve::Motion now = plan.wrist_world.at(time),
                             next = plan.wrist_world.at(time + kStep);
    EXPECT_LT((next.velocity - now.velocity).norm(), kMostAcceleration * kStep) << time;
    EXPECT_LT((next.acceleration - now.acceleration).norm(), kMostJerk * kStep) << time;
  }
}

TEST_F(PlanTask, ARetreatThatWouldSweepTheObjectBacksOffFirst) {
  ExamplePath& path = controller_.path;
  const Transform& grip = placement_.grip_wrist_world;
  const Vec3 ahead = grip.turn(-Vec3::UnitY());
  for (size_t f = path.release_frame; f < path.wrist_world.size(); ++f) {
    const double part = minimum_jerk(double(f - path.release_frame), 0.0,
                                     double(path.wrist_world.size() - path.release_frame));
    path.wrist_world[f].position =
        path.wrist_world[path.release_frame].position + 0.3 * part * grip.turn(-Vec3::UnitZ());
  }
  const TaskPlan plan = plan_task(controller_, hand_, placement_);
  double back = 0.0;
  for (double time = plan.leave; time < plan.end; time += 0.01) {
    const Vec3 gone = at(plan, time);
    back = std::max(back, -gone.dot(ahead));
    if ((gone + gone.dot(-ahead) * ahead).norm() > 0.01) break;
  }
  EXPECT_GT(back, 0.6 * hand_.length);
}

}  // namespace
}  // namespace prehend::example_control
