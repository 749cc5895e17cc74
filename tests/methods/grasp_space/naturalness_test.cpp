#include "methods/grasp_space/naturalness.h"

#include <cmath>

#include <gtest/gtest.h>

#include "methods/grasp_space/handles.h"
#include "tests/methods/grasp_space/grasp_fixture.h"

namespace prehend::grasp_space {
namespace {

std::vector<PartPoint> parts_of(const Object& object) {
  const auto prepared = geometry::prepare(std::make_shared<const Object>(object));
  return find_handles(*prepared, *object.shape.mesh);
}

TEST(Handles, AHammersIsItsShaft) {
  const Object hammer = geometry::builtin_object("hammer").value();
  const auto parts = parts_of(hammer);
  const geometry::Box3 box = geometry::bounding_box(*hammer.shape.mesh);
  // The head is where the center of mass is nearer to.
  const double head =
      hammer.center_of_mass.x() - box.center().x() > 0.0 ? box.max().x() : box.min().x();
  int handles = 0;
  for (const PartPoint& part : parts) {
    if (part.handle < 0.6) continue;
    ++handles;
    EXPECT_GT(std::abs(part.axis.x()), 0.9) << "along the shaft";
    EXPECT_GT(std::abs(part.point.x() - head), 0.02) << "not on the head's far end";
  }
  EXPECT_GT(handles, 20);
}

// Bent, in the plane of x and y: nothing straight inside of it is longer than 3 cm.
TEST(Handles, AMugsIsItsLoop) {
  const Object mug = geometry::builtin_object("mug").value();
  // The loop stands out from the body by 34 mm.
  const double body = geometry::bounding_box(*mug.shape.mesh).max().x() - 0.034;
  int handles = 0, astray = 0;
  for (const PartPoint& part : parts_of(mug)) {
    if (part.handle < 0.6) continue;
    ++handles;
    astray += part.point.x() < body;
    EXPECT_LT(std::abs(part.axis.z()), 0.3) << "along the loop";
  }
  EXPECT_GT(handles, 10);
  EXPECT_LE(10 * astray, handles) << "inside the body, behind an end of the loop";
}

TEST(Handles, ABottlesNeckIsNone) {
  for (const PartPoint& part : parts_of(geometry::builtin_object("bottle").value()))
    EXPECT_EQ(part.handle, 0.0);
}

TEST(Handles, ABallAndABoxHaveNone) {
  for (const PartPoint& part : parts_of(*primitive(ShapeKind::kSphere, {0.035, 0.0, 0.0})))
    EXPECT_EQ(part.handle, 0.0);
  for (const PartPoint& part : parts_of(*primitive(ShapeKind::kBox, {0.05, 0.015, 0.05})))
    EXPECT_EQ(part.handle, 0.0);
}

// A ball between a thumb's and a finger's pulp; then a proximal segment touches as well.
TEST(Rules, APowerGripIsStrongerThanAPinchExceptOfSmallThings) {
  const HandPtr hand = test_hand();
  Grasp grasp;
  grasp.pose = rest_pose(*hand);
  const auto add = [&](Digit digit, int phalanx, const Vec3& normal) {
    for (int s = 0; s < hand->segment_count(); ++s)
      if (hand->segments[s].digit == digit && hand->segments[s].phalanx == phalanx)
        grasp.touches.push_back({s, 0.03 * normal, normal, 0.0});
    grasp.forces.push_back(-normal);
  };
  add(Digit::kThumb, 3, Vec3::UnitX());
  add(Digit::kIndex, 3, -Vec3::UnitX());
  ASSERT_EQ(grasp.touches.size(), 2u);
  const ObjectPtr ball = primitive(ShapeKind::kSphere, {0.03, 0.0, 0.0});
  const auto strength = [&](const Object& object) {
    return naturalness(*hand, object, grasp, {}, {}).strength;
  };
  EXPECT_EQ(strength(*ball), 0.25);
  for (TouchPoint& touch : grasp.touches) touch.point *= 0.3;  // 18 mm wide
  EXPECT_EQ(strength(with_mass(*ball, 0.01)), 0.61);
  EXPECT_EQ(strength(with_mass(*ball, 0.1)), 0.25) << "small, but not light";
  add(Digit::kIndex, 1, -Vec3::UnitX());
  EXPECT_EQ(strength(*ball), 1.0);
}

TEST(Comfort, IsGreatestHalfWayBetweenPalmDownAndThumbUp) {
  const Vec3 up = Vec3::UnitY();
  const auto turned = [](double degrees) { return exp_map(radians(degrees) * Vec3::UnitZ()); };
  // About the forearm: 0 is palm down, and a right hand's thumb, at -X, goes up by a negative turn.
  EXPECT_NEAR(wrist_comfort(Side::kRight, turned(-45.0), up), 1.0, 1e-9);
  EXPECT_NEAR(wrist_comfort(Side::kRight, turned(135.0), up), 0.0, 1e-9);
  EXPECT_NEAR(wrist_comfort(Side::kLeft, turned(45.0), up), 1.0, 1e-9);
  // From straight below never, whatever its turn.
  const Quat below = exp_map(radians(-90.0) * Vec3::UnitX());
  EXPECT_NEAR((below * Vec3::UnitZ()).y(), 1.0, 1e-9) << "this one comes from above";
  EXPECT_GT(wrist_comfort(Side::kRight, below, up), 0.0);
  EXPECT_NEAR(wrist_comfort(Side::kRight, below.conjugate(), up), 0.0, 1e-9);
}

TEST(Forearm, BendsUpwardAtTheWrist) {
  const Capsule level = forearm_object(Transform::Identity(), Vec3::UnitY());
  EXPECT_NEAR(level.b.norm(), kForearmLength, 1e-12);
  EXPECT_NEAR(std::atan2(level.b.y(), level.b.z()), radians(25.0), 1e-9);
  const Transform upright{exp_map(radians(-90.0) * Vec3::UnitX()), Vec3::Zero()};
  EXPECT_NEAR(forearm_object(upright, Vec3::UnitY()).b.y(), kForearmLength, 1e-9);
}

}  // namespace
}  // namespace prehend::grasp_space
