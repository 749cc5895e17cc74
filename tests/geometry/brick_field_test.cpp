#include <gtest/gtest.h>

#include <limits>
#include <thread>

#include "prehend/geometry/builtin.h"
#include "prehend/geometry/primitive.h"
#include "prehend/geometry/signed_distance.h"
#include "tests/geometry/test_points.h"

namespace prehend::geometry {
namespace {

struct Errors {
  double most = 0.0;  // at 99 % of the points
  double worst = 0.0;
};

Errors field_errors(const std::string& name, double reach, int count) {
  const auto object = builtin_object(name);
  EXPECT_TRUE(object.ok());
  const auto exact = exact_distance(object->shape);
  const auto field = brick_field(exact, object->shape);
  std::vector<double> errors;
  for (const Vec3& p : testing::points_near(*object->shape.mesh, reach, count)) {
    errors.push_back(std::abs(field->sample(p).distance - exact->sample(p).distance));
  }
  std::sort(errors.begin(), errors.end());
  return {errors[errors.size() * 99 / 100], errors.back()};
}

class FieldError : public ::testing::TestWithParam<std::string> {};

TEST_P(FieldError, IsBelowATenthOfAMillimeterAlmostEverywhere) {
  const Errors errors = field_errors(GetParam(), 0.005, 500);
  EXPECT_LT(errors.most, 1e-4);
  EXPECT_LT(errors.worst, 3e-4);
}
INSTANTIATE_TEST_SUITE_P(All, FieldError,
                         ::testing::Values("box", "cup", "wineglass", "nail", "bunny"));

// Where the field is farther from the surface than it is wrong, its sign is the truth's.
TEST(BrickField, KnowsItsSide) {
  for (const char* name : {"mug", "cup", "hammer", "nail"}) {
    const auto object = builtin_object(name);
    ASSERT_TRUE(object.ok()) << object.message();
    const auto exact = exact_distance(object->shape);
    const auto field = brick_field(exact, object->shape, {0.002});
    for (const Vec3& p : testing::points_near(*object->shape.mesh, 0.004, 300)) {
      const double truth = exact->sample(p).distance;
      if (std::abs(truth) < 0.0008) continue;
      EXPECT_EQ(truth < 0.0, field->sample(p).distance < 0.0) << name;
    }
  }
}

TEST(BrickField, IsExactWhereTheDistanceIsLinear) {
  const auto box = object_from_primitive("b", ShapeKind::kBox, Vec3::Constant(0.05), 1.0);
  const auto field = brick_field(exact_distance(box->shape), box->shape);
  for (int i = 0; i < 100; ++i) {
    const Vec3 p(0.05 + 1e-4 * (i - 50), 0.0123, -0.0077);
    const DistanceSample s = field->sample(p);
    EXPECT_NEAR(s.distance, p.x() - 0.05, 1e-8);  // single precision
    EXPECT_LT((s.gradient - Vec3::UnitX()).norm(), 1e-4);
  }
}

TEST(BrickField, GradientIsThatOfItsValue) {
  const auto mug = builtin_object("cup");
  const auto field = fast_distance(mug->shape);
  constexpr double kStep = 2e-6,
                   kTolerance = 3e-3;  // single precision over the step, and curvature
  for (const Vec3& p : testing::points_near(*mug->shape.mesh, 0.004, 300)) {
    Vec3 slope;
    for (int k = 0; k < 3; ++k) {
      const Vec3 step = kStep * Vec3::Unit(k);
      slope[k] =
          (field->sample(p + step).distance - field->sample(p - step).distance) / (2 * kStep);
    }
    EXPECT_LT((slope - field->sample(p).gradient).norm(), kTolerance);
  }
}

// Value and gradient on both sides of the planes between cells and between bricks.
TEST(BrickField, IsSmoothAcrossCellsAndBricks) {
  const auto bunny = builtin_object("bunny");
  ASSERT_TRUE(bunny.ok()) << bunny.message();
  const auto field = brick_field(exact_distance(bunny->shape), bunny->shape);
  const Vec3 start = bunny->shape.mesh->vertices[100];
  constexpr double kHop = 1e-9;
  DistanceSample before = field->sample(start);
  double worst_value = 0.0, worst_slope = 0.0;
  // Steps so small that a jump stands out against the curvature.
  for (int i = 1; i < 4000; ++i) {
    const Vec3 p = start + i * 2e-6 * Vec3(1, 0, 0);
    const DistanceSample a = field->sample(p), b = field->sample(p + kHop * Vec3::UnitX());
    worst_value = std::max(worst_value, std::abs(a.distance - b.distance));
    worst_slope = std::max(worst_slope, (a.gradient - before.gradient).norm());
    before = a;
  }
  EXPECT_LT(worst_value, 2e-8);
  EXPECT_LT(worst_slope, 0.05);
}

TEST(BrickField, DoesNotDependOnWhoFillsItInWhichOrder) {
  const auto cup = builtin_object("cup");
  const auto exact = exact_distance(cup->shape);
  const auto points = testing::points_near(*cup->shape.mesh, 0.003, 400);
  const auto alone = brick_field(exact, cup->shape);
  std::vector<DistanceSample> expected;
  for (const Vec3& p : points) expected.push_back(alone->sample(p));

  const auto shared = brick_field(exact, cup->shape);
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {  // each from another place, two of them backwards
        const int n = static_cast<int>(points.size());
        for (int i = 0; i < n; ++i) {
          const int at = t % 2 == 0 ? (i + t * n / 4) % n : (2 * n - i - t * n / 4) % n;
          shared->sample(points[at]);
        }
      });
    }
  }
  EXPECT_EQ(shared->brick_count(), alone->brick_count());
  for (size_t i = 0; i < points.size(); ++i) {
    const DistanceSample s = shared->sample(points[i]);
    EXPECT_EQ(s.distance, expected[i].distance);
    EXPECT_EQ(s.gradient, expected[i].gradient);
  }
}

TEST(BrickField, IsALowerBoundFarAway) {
  const auto cup = builtin_object("cup");
  const auto exact = exact_distance(cup->shape);
  const auto field = brick_field(exact, cup->shape);
  constexpr double kCoarse = 5e-4;
  for (const Vec3& p : testing::points_in_box(0.3, 300)) {
    const double truth = exact->sample(p).distance;
    const double said = field->sample(p).distance;
    if (truth < 0.02) continue;
    EXPECT_LT(said, truth + kCoarse);
    EXPECT_GT(said, 0.0);
  }
  EXPECT_GT(field->sample({5.0, 0.0, 0.0}).distance, 4.9);
}

TEST(BrickField, IsNotANumberForPointsThatAreNot) {
  const auto cup = builtin_object("cup");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(fast_distance(cup->shape)->sample({0, nan, 0}).distance));
}

TEST(FastDistance, OfAPrimitiveIsExact) {
  const auto sphere = builtin_object("sphere");
  const auto distance = fast_distance(sphere->shape);
  EXPECT_NEAR(distance->sample({0.3, 0.4, 0.0}).distance, 0.5 - sphere->shape.size.x(), 1e-15);
}

}  // namespace
}  // namespace prehend::geometry
