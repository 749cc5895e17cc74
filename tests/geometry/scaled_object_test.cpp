#include "prehend/geometry/scaled_object.h"

#include <gtest/gtest.h>

#include "prehend/geometry/builtin.h"
#include "prehend/geometry/mass_properties.h"

namespace prehend::geometry {
namespace {

// Mass and inertia of the scaled object are those of its own mesh at the same density.
void expect_solid(const Object& object, double density, double tolerance) {
  const MassProperties solid = mass_properties(*object.shape.mesh);
  EXPECT_NEAR(object.mass, density * solid.volume, tolerance * object.mass);
  EXPECT_LT((object.inertia - object.mass * solid.unit_inertia).norm(),
            tolerance * object.inertia.norm());
}

TEST(ScaledObject, ABoxStaysABox) {
  const Object box = *builtin_object("box");
  const double density = box.mass / mass_properties(*box.shape.mesh).volume;
  const auto milk = scaled(box, Vec3(7.0 / 6.0, 2.5, 7.0 / 6.0));
  ASSERT_TRUE(milk.ok()) << milk.message();
  EXPECT_EQ(milk->shape.kind, ShapeKind::kBox);
  EXPECT_LT((milk->shape.size - Vec3(0.035, 0.1, 0.035)).norm(), 1e-12);
  expect_solid(*milk, density, 1e-9);
}

TEST(ScaledObject, ASphereScaledAlikeStaysASphere) {
  const auto ball = scaled(*builtin_object("sphere"), Vec3::Constant(2.0));
  ASSERT_TRUE(ball.ok());
  EXPECT_EQ(ball->shape.kind, ShapeKind::kSphere);
  EXPECT_DOUBLE_EQ(ball->shape.size.x(), 0.07);
  EXPECT_NEAR(ball->mass, 8.0 * 0.15, 1e-12);
  EXPECT_NEAR(ball->inertia(0, 0), 0.4 * ball->mass * 0.07 * 0.07, 1e-9);
}

TEST(ScaledObject, AnythingStretchedIsItsMesh) {
  const Object mug = *builtin_object("mug");
  const double density = mug.mass / mass_properties(*mug.shape.mesh).volume;
  const auto tall = scaled(mug, Vec3(1.0, 1.5, 1.0));
  ASSERT_TRUE(tall.ok());
  EXPECT_EQ(tall->shape.kind, ShapeKind::kMesh);
  EXPECT_EQ(tall->friction, mug.friction);
  expect_solid(*tall, density, 1e-6);
}

}  // namespace
}  // namespace prehend::geometry
