#include "prehend/core/rigid_curve.h"

#include <gtest/gtest.h>

#include "prehend/core/smooth.h"

namespace prehend {
namespace {

RigidCurve wandering() {
  std::vector<double> times = {0.0, 0.4, 1.0, 1.3};
  std::vector<Transform> poses = {{exp_map({0.1, 0.2, 0.3}), {0.0, 1.0, 0.0}},
                                  {exp_map({0.9, -0.4, 0.1}), {0.3, 1.2, -0.1}},
                                  {exp_map({0.2, 1.4, -0.6}), {0.5, 0.7, 0.4}},
                                  {exp_map({-0.7, 1.0, 0.0}), {0.5, 0.7, 0.9}}};
  return RigidCurve::through_keyframes(times, poses);
}

TEST(RigidCurve, DerivativesAgreeWithDifferenceQuotients) {
  const RigidCurve curve = wandering();
  constexpr double kStep = 1e-5, kTolerance = 1e-5;
  for (double time = 0.05; time < 1.3; time += 0.0713) {
    const auto before = curve.at(time - kStep), here = curve.at(time),
               after = curve.at(time + kStep);
    const auto near = [&](const Vec3& quotient, const Vec3& value) {
      EXPECT_LT((quotient - value).norm(), kTolerance * (1.0 + value.norm())) << time;
    };
    near((after.pose.position - before.pose.position) / (2 * kStep), here.velocity);
    near((after.velocity - before.velocity) / (2 * kStep), here.acceleration);
    near(angular_velocity_world(before.pose.rotation, after.pose.rotation, 2 * kStep),
         here.angular_velocity);
    near((after.angular_velocity - before.angular_velocity) / (2 * kStep),
         here.angular_acceleration);
  }
}

TEST(RigidCurve, PassesItsKeyframesAndRestsWhereNeighborsAreAlike) {
  const RigidCurve curve = wandering();
  EXPECT_LT((curve.at(0.4).pose.position - Vec3(0.3, 1.2, -0.1)).norm(), 1e-12);
  EXPECT_LT(angle_between(curve.at(1.0).pose.rotation, exp_map({0.2, 1.4, -0.6})), 1e-7);
  EXPECT_EQ(curve.at(0.0).velocity.norm(), 0.0);
  EXPECT_EQ(curve.at(2.0).velocity.norm(), 0.0);
  for (double time = 1.0; time < 1.3; time += 0.01) {
    EXPECT_DOUBLE_EQ(curve.at(time).pose.position.x(), 0.5);
    EXPECT_DOUBLE_EQ(curve.at(time).pose.position.y(), 0.7);
  }
}

TEST(RigidCurve, HasTheMotionsThatItIsMadeThrough) {
  constexpr double kTolerance = 1e-9;
  const RigidCurve model = wandering();
  const std::vector<double> times = {0.1, 0.35, 0.9, 1.2};
  std::vector<RigidCurve::Motion> motions;
  for (const double time : times) motions.push_back(model.at(time));
  const RigidCurve curve = RigidCurve::through_motions(times, motions);
  // The curve stands still outside, so its ends are looked at from just inside.
  for (size_t i = 0; i < times.size(); ++i) {
    const auto got = curve.at(times[i] + (i == 0 ? 1e-14 : i + 1 == times.size() ? -1e-14 : 0.0));
    const RigidCurve::Motion& want = motions[i];
    EXPECT_LT((got.pose.position - want.pose.position).norm(), kTolerance);
    EXPECT_LT(angle_between(got.pose.rotation, want.pose.rotation), 1e-7);
    EXPECT_LT((got.velocity - want.velocity).norm(), kTolerance);
    EXPECT_LT((got.acceleration - want.acceleration).norm(), kTolerance);
    EXPECT_LT((got.angular_velocity - want.angular_velocity).norm(), kTolerance);
    EXPECT_LT((got.angular_acceleration - want.angular_acceleration).norm(), kTolerance);
  }
}

TEST(RigidCurve, FollowsARecordingAndItsAcceleration) {
  constexpr double kRate = 120.0, kOmega = 2.0 * kPi * 2.0;
  std::vector<Transform> poses;
  for (int i = 0; i < 240; ++i) {
    const double t = i / kRate;
    poses.push_back({exp_map({0.0, 0.3 * t, 0.0}), {0.03 * std::sin(kOmega * t), 0.0, 0.0}});
  }
  const RigidCurve curve = RigidCurve::through_samples(poses, kRate);
  for (double time = 0.2; time < 1.8; time += 0.0231) {
    const auto here = curve.at(time);
    EXPECT_NEAR(here.pose.position.x(), 0.03 * std::sin(kOmega * time), 3e-4);
    EXPECT_NEAR(here.acceleration.x(), -0.03 * kOmega * kOmega * std::sin(kOmega * time), 0.4);
    EXPECT_NEAR(here.angular_velocity.y(), 0.3, 1e-6);
  }
}

TEST(Smooth, LeavesACubicAsItIsUpToBothEnds) {
  constexpr double kRate = 60.0;
  Eigen::MatrixXd samples(40, 1);
  const auto cubic = [](double t) { return 0.3 - 2.0 * t + 5.0 * t * t - 4.0 * t * t * t; };
  for (int i = 0; i < 40; ++i) samples(i, 0) = cubic(i / kRate);
  const Smoothed out = smooth(samples, kRate, 0.1);
  for (int i = 0; i < 40; ++i) {
    const double t = i / kRate;
    EXPECT_NEAR(out.value(i, 0), cubic(t), 1e-10);
    EXPECT_NEAR(out.first(i, 0), -2.0 + 10.0 * t - 12.0 * t * t, 1e-9);
    EXPECT_NEAR(out.second(i, 0), 10.0 - 24.0 * t, 1e-7);
  }
}

TEST(Smooth, HasNoLag) {
  constexpr double kRate = 100.0;
  Eigen::MatrixXd samples(201, 1);
  for (int i = 0; i <= 200; ++i) samples(i, 0) = std::exp(-0.5 * std::pow((i - 100) / 12.0, 2));
  const Smoothed out = smooth(samples, kRate, 0.1);
  for (int i = 0; i <= 100; ++i) EXPECT_NEAR(out.value(100 - i, 0), out.value(100 + i, 0), 1e-12);
}

TEST(Smooth, MinimumJerkRisesSmoothlyBetweenItsTimes) {
  EXPECT_EQ(minimum_jerk(0.9, 1.0, 3.0), 0.0);
  EXPECT_EQ(minimum_jerk(3.1, 1.0, 3.0), 1.0);
  EXPECT_DOUBLE_EQ(minimum_jerk(2.0, 1.0, 3.0), 0.5);
  // Peak speed of a minimum-jerk reach is 15/8 of the mean.
  EXPECT_NEAR((minimum_jerk(2.001, 1.0, 3.0) - minimum_jerk(1.999, 1.0, 3.0)) / 0.002, 15.0 / 16.0,
              1e-5);
}

}  // namespace
}  // namespace prehend
