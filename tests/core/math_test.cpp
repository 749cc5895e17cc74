#include "prehend/core/math.h"

#include <random>

#include <gtest/gtest.h>

#include "prehend/core/capsule.h"

namespace prehend {
namespace {

Vec3 random_vector(std::mt19937& random, double size) {
  std::uniform_real_distribution<> u(-size, size);
  return {u(random), u(random), u(random)};
}

TEST(ExponentialMap, UndoesTheLogarithm) {
  std::mt19937 random(1);
  for (int i = 0; i < 1000; ++i) {
    const Vec3 v = random_vector(random, i % 2 ? 1.7 : 1e-6);
    EXPECT_LT((log_map(exp_map(v)) - v).norm(), 1e-12);
  }
}

TEST(ExponentialMap, AgreesWithAngleAxis) {
  std::mt19937 random(2);
  for (int i = 0; i < 100; ++i) {
    const Vec3 v = random_vector(random, 1.5);
    const Mat3 expected = Eigen::AngleAxisd(v.norm(), v.normalized()).toRotationMatrix();
    EXPECT_LT((exp_map(v).toRotationMatrix() - expected).norm(), 1e-12);
  }
}

TEST(ExponentialMap, ReturnsTheShorterWayForEitherSignOfTheQuaternion) {
  const Quat q(std::cos(0.2), std::sin(0.2), 0, 0);
  EXPECT_NEAR(log_map(q).x(), 0.4, 1e-14);
  EXPECT_NEAR(log_map(Quat(-q.coeffs())).x(), 0.4, 1e-14);
}

TEST(Transform, InverseUndoes) {
  std::mt19937 random(3);
  const Transform t{exp_map(random_vector(random, 1)), random_vector(random, 2)};
  const Vec3 p = random_vector(random, 3);
  EXPECT_LT((t.inverse() * (t * p) - p).norm(), 1e-14);
  EXPECT_LT(((t * t.inverse()).position).norm(), 1e-14);
}

TEST(Twist, FindsTheAngleAboutAnAxis) {
  const Vec3 axis = Vec3(1, 2, 3).normalized();
  for (double angle : {-3.0, -1.0, 0.0, 0.5, 3.1}) {
    EXPECT_NEAR(twist_angle(Quat(Eigen::AngleAxisd(angle, axis)), axis), angle, 1e-12);
  }
}

TEST(Mirror, CommutesWithRotation) {
  std::mt19937 random(4);
  const Quat q = exp_map(random_vector(random, 1));
  const Vec3 p = random_vector(random, 1);
  EXPECT_LT((mirror_x(Vec3(q * p)) - mirror_x(q) * mirror_x(p)).norm(), 1e-14);
}

TEST(AngularVelocity, TurnsFromOneToTheOther) {
  const Quat a = exp_map({0.1, 0.2, 0.3}), b = exp_map({-0.2, 0.3, 0.1});
  const Vec3 w = angular_velocity_world(a, b, 0.01);
  EXPECT_LT(angle_between(exp_map(0.01 * w) * a, b), 1e-7);
}

TEST(Capsule, DistanceOfCrossedAndParallelOnes) {
  const Capsule a{{-1, 0, 0}, {1, 0, 0}, 0.1};
  EXPECT_NEAR(distance(a, {{0, 1, -1}, {0, 1, 1}, 0.2}), 0.7, 1e-12);
  EXPECT_NEAR(distance(a, {{-1, 1, 0}, {1, 1, 0}, 0.2}), 0.7, 1e-12);
  EXPECT_NEAR(distance(a, {{2, 0, 0}, {3, 0, 0}, 0.2}), 0.7, 1e-12);
  EXPECT_NEAR(distance(a, {{0, 0.1, 0}, {0, 0.1, 0}, 0.05}), -0.05, 1e-12);
}

TEST(Capsule, ClosestPointsAreNoFartherThanAnySamples) {
  std::mt19937 random(5);
  for (int i = 0; i < 200; ++i) {
    const Vec3 a0 = random_vector(random, 1), a1 = random_vector(random, 1);
    const Vec3 b0 = random_vector(random, 1), b1 = random_vector(random, 1);
    const LinePair pair = closest_on_lines(a0, a1, b0, b1);
    double best = 1e9;
    for (int s = 0; s <= 40; ++s) {
      for (int t = 0; t <= 40; ++t) {
        best = std::min(best, (a0 + s / 40.0 * (a1 - a0) - b0 - t / 40.0 * (b1 - b0)).norm());
      }
    }
    EXPECT_LE(pair.distance, best + 1e-12);
    EXPECT_GE(pair.distance, best - 0.08);
  }
}

TEST(Capsule, InertiaAgreesWithIntegration) {
  const Capsule capsule{{0.1, 0, 0}, {0.1, 0, 0.3}, 0.08};
  const CapsuleMass exact = capsule_mass(capsule, 1000.0);
  std::mt19937 random(6);
  std::uniform_real_distribution<> xy(-0.08, 0.08), z(-0.08, 0.38);
  const int samples = 400000;
  double mass = 0;
  Mat3 inertia = Mat3::Zero();
  const double weight = 1000.0 * 0.16 * 0.16 * 0.46 / samples;
  for (int i = 0; i < samples; ++i) {
    const Vec3 p(0.1 + xy(random), xy(random), z(random));
    const Vec3 axis_point(0.1, 0, std::clamp(p.z(), 0.0, 0.3));
    if ((p - axis_point).norm() > 0.08) continue;
    const Mat3 cross = cross_matrix(p - exact.center);
    mass += weight;
    inertia -= weight * cross * cross;
  }
  EXPECT_NEAR(mass / exact.mass, 1.0, 0.01);
  EXPECT_LT((inertia - exact.inertia).norm() / exact.inertia.norm(), 0.01);
}

}  // namespace
}  // namespace prehend
