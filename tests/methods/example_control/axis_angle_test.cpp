#include "methods/example_control/axis_angle.h"

#include <gtest/gtest.h>

#include "prehend/core/random.h"

namespace prehend::example_control {
namespace {

constexpr double kVelocityTolerance = 1e-8;      // rad/s, of central differences
constexpr double kAccelerationTolerance = 3e-6;  // rad/s^2

// A motion of axis-angle vectors: theta(t) = theta + rate t + second t^2 / 2.
struct Motion {
  Vec3 theta, rate, second;
  Quat at(double t) const { return exp_map(theta + t * rate + 0.5 * t * t * second); }
};

// Angular velocity in the turned frame, by turning on and back a little.
Vec3 measured_velocity(const Motion& motion, double t) {
  constexpr double kStep = 1e-5;
  return log_map(motion.at(t - kStep).conjugate() * motion.at(t + kStep)) / (2.0 * kStep);
}

Vec3 measured_acceleration(const Motion& motion) {
  constexpr double kStep = 1e-4;
  return (measured_velocity(motion, kStep) - measured_velocity(motion, -kStep)) / (2.0 * kStep);
}

// From no turn at all through the border of the series (0.01 rad) to nearly a half turn.
std::vector<Motion> motions() {
  std::vector<Motion> all;
  Random random(3);
  for (double angle : {0.0, 1e-7, 1e-3, 0.0099, 0.0101, 0.03, 0.3, 1.0, 2.0, 3.0}) {
    for (int i = 0; i < 5; ++i)
      all.push_back(
          {angle * random.direction(), 2.0 * random.direction(), 5.0 * random.direction()});
  }
  return all;
}

TEST(AxisAngleRates, VelocityIsThatOfTheTurnedFrame) {
  for (const Motion& motion : motions()) {
    const Vec3 velocity = AxisAngleRates(motion.theta).velocity(motion.rate);
    EXPECT_LT((velocity - measured_velocity(motion, 0.0)).norm(), kVelocityTolerance)
        << motion.theta.norm();
  }
}

TEST(AxisAngleRates, AccelerationIsThatOfTheTurnedFrame) {
  for (const Motion& motion : motions()) {
    const Vec3 acceleration = AxisAngleRates(motion.theta).acceleration(motion.rate, motion.second);
    EXPECT_LT((acceleration - measured_acceleration(motion)).norm(), kAccelerationTolerance)
        << motion.theta.norm();
  }
}

TEST(AxisAngleRates, RateInvertsVelocity) {
  for (const Motion& motion : motions()) {
    const AxisAngleRates rates(motion.theta);
    EXPECT_LT((rates.rate(rates.velocity(motion.rate)) - motion.rate).norm(), 1e-12);
  }
}

TEST(AxisAngleRates, TheSeriesMeetsTheClosedForm) {
  const Vec3 axis = Vec3(1.0, -2.0, 0.5).normalized();
  const AxisAngleRates below(axis * (0.01 - 1e-9)), above(axis * (0.01 + 1e-9));
  EXPECT_NEAR(below.a, above.a, 1e-10);
  EXPECT_NEAR(below.c, above.c, 1e-9);
  EXPECT_NEAR(below.a_slope, above.a_slope, 1e-6);  // the closed form cancels
  EXPECT_NEAR(below.c_slope, above.c_slope, 1e-6);
}

// About one axis everything is as with plain numbers.
TEST(AxisAngleRates, AboutOneAxisNothingChanges) {
  const Vec3 axis = Vec3(0.3, 0.4, -0.2).normalized();
  const AxisAngleRates rates(1.3 * axis);
  EXPECT_LT((rates.velocity(2.0 * axis) - 2.0 * axis).norm(), 1e-14);
  EXPECT_LT((rates.acceleration(2.0 * axis, -3.0 * axis) + 3.0 * axis).norm(), 1e-14);
}

}  // namespace
}  // namespace prehend::example_control
