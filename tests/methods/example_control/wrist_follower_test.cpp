#include "methods/example_control/holding/wrist_follower.h"

#include <gtest/gtest.h>

namespace prehend::example_control {
namespace {

constexpr double kStep = 0.002;

Transform circling(double time) {
  return {exp_map(0.6 * std::sin(4.0 * time) * Vec3(0.6, 0.0, 0.8)),
          0.1 * Vec3(std::sin(3.0 * time), std::cos(3.0 * time), 0.0)};
}

// Sixty poses a second; what is said of velocity and acceleration is what the pose does.
TEST(WristFollower, VelocityAndAccelerationAreThoseOfItsPose) {
  WristFollower follower({.pose = circling(0.0)});
  RigidCurve::Motion before = follower.motion();
  double worst_velocity = 0.0, worst_turn = 0.0, worst_change = 0.0;
  for (int i = 1; i < 1000; ++i) {
    const int frame = static_cast<int>(i * kStep * 60.0);
    const bool comes = frame != static_cast<int>((i - 1) * kStep * 60.0);
    follower.advance(circling(frame / 60.0), kStep);
    const RigidCurve::Motion& now = follower.motion();
    // By the trapezoid rule, over a step.
    const Vec3 moved = (now.pose.position - before.pose.position) / kStep;
    const Vec3 turned = angular_velocity_world(before.pose.rotation, now.pose.rotation, kStep);
    const Vec3 changed = (now.velocity - before.velocity) / kStep;
    worst_velocity =
        std::max(worst_velocity, (moved - 0.5 * (now.velocity + before.velocity)).norm());
    worst_turn = std::max(worst_turn,
                          (turned - 0.5 * (now.angular_velocity + before.angular_velocity)).norm());
    if (!comes)  // a new pose pulls at once
      worst_change =
          std::max(worst_change, (changed - 0.5 * (now.acceleration + before.acceleration)).norm());
    before = now;
  }
  EXPECT_LT(worst_velocity, 0.001);  // of 0.3 m/s
  EXPECT_LT(worst_turn, 0.01);       // of 2.4 rad/s
  EXPECT_LT(worst_change, 0.1);      // of 12 m/s^2 that a new pose pulls with
}

// A ramp is followed by twice the spring's time, for ever.
TEST(WristFollower, ComesFortyMillisecondsLate) {
  WristFollower follower(RigidCurve::Motion{});
  const Vec3 velocity(0.4, -0.2, 0.1), spin(0.0, 1.5, 0.0);
  double time = 0.0;
  while (time < 1.0) {
    time += kStep;
    follower.advance({exp_map(time * spin), time * velocity}, kStep);
  }
  constexpr double kLate = 0.04;
  EXPECT_LT((follower.motion().pose.position - (time - kLate) * velocity).norm(), 1e-3);
  EXPECT_LT(angle_between(follower.motion().pose.rotation, exp_map((time - kLate) * spin)), 3e-3);
  constexpr double kStairs = 1e-3;  // a ramp in steps: (frequency * step)^2 / 12 of the speed
  EXPECT_LT((follower.motion().velocity - velocity).norm(), kStairs * velocity.norm());
  EXPECT_LT((follower.motion().angular_velocity - spin).norm(), kStairs * spin.norm());
}

TEST(WristFollower, ALeapIsAFastReachWithoutOvershoot) {
  WristFollower follower(RigidCurve::Motion{});
  const Transform target{exp_map({2.5, 0.0, 0.0}), Vec3(0.8, 0.0, 0.0)};
  double fastest = 0.0, last = 0.0;
  for (int i = 0; i < 500; ++i) {
    follower.advance(target, kStep);
    fastest = std::max(fastest, follower.motion().velocity.norm());
    EXPECT_GE(follower.motion().pose.position.x(), last - 1e-12);
    EXPECT_LE(follower.motion().pose.position.x(), 0.8 + 1e-12);
    last = follower.motion().pose.position.x();
  }
  EXPECT_LE(fastest, 2.5 + 1e-9);
  EXPECT_LT((follower.motion().pose.position - target.position).norm(), 1e-4);
  EXPECT_LT(angle_between(follower.motion().pose.rotation, target.rotation), 1e-4);
}

}  // namespace
}  // namespace prehend::example_control
