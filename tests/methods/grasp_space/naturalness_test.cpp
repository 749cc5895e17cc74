#include "methods/grasp_space/naturalness.h"

#include <cmath>

#include <gtest/gtest.h>

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

TEST(Handles, ABallAndABoxHaveNone) {
  for (const PartPoint& part : parts_of(*primitive(ShapeKind::kSphere, {0.035, 0.0, 0.0})))
    EXPECT_EQ(part.handle, 0.0);
  for (const PartPoint& part : parts_of(*primitive(ShapeKind::kBox, {0.05, 0.015, 0.05})))
    EXPECT_EQ(part.handle, 0.0);
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
