#include "prehend/methods/grasp_space/metric.h"

#include <cmath>

#include <gtest/gtest.h>

#include "prehend/hands/palm.h"
#include "tests/methods/grasp_space/grasp_fixture.h"

namespace prehend::grasp_space {
namespace {

constexpr double kRadius = 0.01;          // of a sensor, m
constexpr double kUnit = 0.01;            // MetricOptions' distance_unit
constexpr double kViolation = 100.0;      // the paper's V
constexpr double kTolerance = 1e-9;       // of closed forms
constexpr double kRouteTolerance = 1e-9;  // between two routes, of the metric

MetricTarget whole(const Shape& shape) { return {geometry::exact_distance(shape), nullptr}; }
MetricTarget ball(double radius) {
  return whole(primitive(ShapeKind::kSphere, {radius, 0, 0})->shape);
}

// Thumb and finger as two loose spheres.
double pair_metric(const MetricTarget& target, const Vec3& thumb, const Vec3& finger,
                   Opposition second = Opposition::kFingers) {
  GraspMetric metric(
      {{0, Vec3::Zero(), kRadius, Opposition::kThumb}, {1, Vec3::Zero(), kRadius, second}}, target);
  // Half of the way to the object by the wrist, so that both transforms count.
  const Transform wrist{exp_map({0.3, -0.5, 0.2}), {0.1, -0.2, 0.3}};
  const Transform back = wrist.inverse();
  return metric.evaluate(
      wrist, {back * Transform::from_position(thumb), back * Transform::from_position(finger)});
}

TEST(GraspMetric, PairsAllAntagonistsOfTheBuiltInHand) {
  // Thumb and fingers 3 x 12, thumb and palm 3 x 3, fingers and palm 12 x 3.
  EXPECT_EQ(GraspMetric(default_sensors(*test_hand()), ball(0.03)).pair_count(), 81);
}

TEST(GraspMetric, OpposedSensorsThatTouchAreBest) {
  const double away = 0.03 + kRadius;
  EXPECT_NEAR(pair_metric(ball(0.03), {away, 0, 0}, {-away, 0, 0}), 0.0, 1e-6);
  EXPECT_EQ(pair_metric(ball(0.03), {away, 0, 0}, {-away, 0, 0}, Opposition::kThumb), 0.0)
      << "sensors of one group are no pair";
}

TEST(GraspMetric, CountsDistancesInUnits) {
  const double away = 0.03 + kRadius;
  const double metric = pair_metric(ball(0.03), {away + 0.004, 0, 0}, {-away - 0.007, 0, 0});
  EXPECT_NEAR(metric, 0.011 / kUnit, 1e-6);
}

TEST(GraspMetric, CountsTheAnglesOfTheConnectingLine) {
  // A chord between two points of a circle, `apart` seen from its center, makes
  // (pi - apart) / 2 with both inward normals.
  const double away = 0.03 + kRadius;
  for (const double apart : {0.3, 1.0, kPi / 2, 2.5}) {
    const double metric =
        pair_metric(ball(0.03), {away, 0, 0}, {away * std::cos(apart), away * std::sin(apart), 0});
    EXPECT_NEAR(metric, kPi - apart, kTolerance) << apart;
  }
}

TEST(GraspMetric, BetweenParallelPlatesTheLineLeansByTheOffset) {
  const double half = 0.02;
  const MetricTarget plate = whole(primitive(ShapeKind::kBox, {0.1, half, 0.1})->shape);
  for (const double offset : {0.01, 0.03}) {
    const double metric = pair_metric(plate, {0.0, half + kRadius + 0.002, 0.0},
                                      {offset, -half - kRadius - 0.001, 0.0});
    EXPECT_NEAR(metric, 0.003 / kUnit + 2.0 * std::atan(offset / (2.0 * half)), kTolerance);
  }
  // Side by side on one face, the line runs along it.
  const double beside = pair_metric(plate, {0.0, half + kRadius, 0.0}, {0.02, half + kRadius, 0});
  EXPECT_NEAR(beside, kPi, kTolerance);
}

TEST(GraspMetric, PenetrationCostsVForEachSensor) {
  const double away = 0.03 + kRadius;
  const Vec3 deep(away - 0.002, 0, 0), outside(-away, 0, 0);
  EXPECT_NEAR(pair_metric(ball(0.03), deep, outside), 0.002 / kUnit + kViolation, 1e-6);
  EXPECT_NEAR(pair_metric(ball(0.03), deep, -deep), 0.004 / kUnit + 2.0 * kViolation, 1e-6);
  const Vec3 flush(away - 0.0004, 0, 0);  // less than the tolerance
  EXPECT_NEAR(pair_metric(ball(0.03), flush, outside), 0.0004 / kUnit, 1e-6);
  // A center inside the object: as deep as its surface is away, and its radius.
  EXPECT_NEAR(pair_metric(ball(0.03), {0.02, 0, 0}, outside), 0.02 / kUnit + kViolation, 1e-6);
}

TEST(GraspMetric, SensorsAtOnePointAreAsBadAsCanBe) {
  const Vec3 same(0.03 + kRadius, 0, 0);
  EXPECT_NEAR(pair_metric(ball(0.03), same, same), 2.0 * kPi, kTolerance);
}

TEST(GraspMetric, OptionsScaleItsTerms) {
  MetricOptions options;
  options.distance_unit = 0.001;
  options.violation = 7.0;
  GraspMetric metric({{0, Vec3::Zero(), kRadius, Opposition::kThumb},
                      {1, Vec3::Zero(), kRadius, Opposition::kPalm}},
                     ball(0.03), options);
  const Vec3 deep(0.03 + kRadius - 0.002, 0, 0);
  const double value = metric.evaluate(
      {}, {Transform::from_position(deep), Transform::from_position({-0.045, 0, 0})});
  EXPECT_NEAR(value, 2.0 + 7.0 + 5.0, 1e-6);
}

// eq. 5-6 read from the page: all pairs, nearest points by the exact distance, angles by atan2.
double slow_metric(const std::vector<Sensor>& sensors, const std::vector<Transform>& frames,
                   const geometry::ExactDistance& exact) {
  const auto angle = [](const Vec3& u, const Vec3& v) {
    return std::atan2(u.cross(v).norm(), u.dot(v));
  };
  double sum = 0.0;
  for (size_t i = 0; i < sensors.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (sensors[i].group == sensors[j].group) continue;
      geometry::ClosestPoint at[2];
      Vec3 inward[2];
      for (int k = 0; k < 2; ++k) {
        const Sensor& sensor = sensors[k == 0 ? i : j];
        const Vec3 center = frames[sensor.segment] * sensor.center;
        at[k] = exact.closest(center);
        inward[k] = (at[k].point - center) / at[k].distance;
        sum += std::abs(at[k].distance - sensor.radius) / kUnit;
        if (sensor.radius - at[k].distance > MetricOptions{}.tolerance) sum += kViolation;
      }
      sum += angle(inward[0], at[1].point - at[0].point);
      sum += angle(inward[1], at[0].point - at[1].point);
    }
  }
  return sum;
}

TEST(GraspMetric, AgreesWithTheFormulaOnAMugInAnyPose) {
  const Shape shape = geometry::builtin_object("mug").value().shape;
  const auto exact = geometry::exact_distance(shape);
  const GraspSpace& space = *general_space();
  for (const Side side : {Side::kRight, Side::kLeft}) {
    const HandPtr hand = test_hand(HandProfile::kAnatomical, side);
    GraspMetric metric(default_sensors(*hand), {exact, nullptr});
    ShapeKinematics kinematics(*hand, space);
    Random random(3);
    for (int i = 0; i < 50; ++i) {
      const Transform wrist = random_palm(random, 0.0, 0.1) * hands::palm_in_wrist(*hand).inverse();
      const auto& frames = kinematics.frames_wrist(natural_shape(space, random));
      std::vector<Transform> placed;
      for (const Transform& frame : frames) placed.push_back(wrist * frame);
      const double expected = slow_metric(metric.sensors(), placed, *exact);
      EXPECT_NEAR(metric.evaluate(wrist, frames), expected, kRouteTolerance * expected);
    }
  }
}

TEST(GraspMetric, ARegionGivesTheDistancesAndTheWholeThePenetration) {
  // Of a box only the upper face counts.
  const Vec3 half(0.05, 0.02, 0.05);
  MetricTarget target = whole(primitive(ShapeKind::kBox, half)->shape);
  auto top = std::make_shared<TriangleMesh>();
  const double x = half.x(), y = half.y(), z = half.z();
  top->vertices = {{-x, y, -z}, {-x, y, z}, {x, y, z}, {x, y, -z}};
  top->faces = {{0, 1, 2}, {0, 2, 3}};
  Shape patch;
  patch.mesh = top;
  target.region = geometry::exact_distance(patch);
  // Both above: the line between the nearest points lies in the face, across both normals.
  const Vec3 first(-0.02, y + kRadius + 0.003, 0.0), second(0.02, y + kRadius, 0.0);
  EXPECT_NEAR(pair_metric(target, first, second), 0.003 / kUnit + kPi, 1e-6);
  // One below, touching the whole, is as far as the face is.
  const Vec3 below(0.02, -y - kRadius, 0.0);
  const double far = (2.0 * y) / kUnit;
  EXPECT_NEAR(pair_metric(target, first, below), 0.003 / kUnit + far + kPi, 1e-6);
  // One that enters the whole from below pays V although the face is far.
  const Vec3 inside(0.02, -y - kRadius + 0.002, 0.0);
  EXPECT_NEAR(pair_metric(target, first, inside),
              0.003 / kUnit + (2.0 * y - 0.002) / kUnit + kPi + kViolation, 1e-6);
}

}  // namespace
}  // namespace prehend::grasp_space
