#include "prehend/core/object.h"

#include <gtest/gtest.h>

namespace prehend {
namespace {

// A ball of radius r has I = 2/5 m r^2 about each axis, so its lever is r sqrt(3/5).
TEST(Object, TheLeverOfABallIsItsRadiusOfGyration) {
  constexpr double kMass = 0.3, kRadius = 0.04;
  Object ball;
  ball.mass = kMass;
  ball.inertia = 0.4 * kMass * kRadius * kRadius * Mat3::Identity();
  EXPECT_NEAR(lever(ball), kRadius * std::sqrt(0.6), 1e-12);
  ball.inertia.setZero();
  EXPECT_EQ(lever(ball), 1e-3);
}

TEST(Object, AnotherMassSpreadsAsTheFirst) {
  Object thing;
  thing.mass = 0.2;
  thing.inertia = Vec3(1e-4, 2e-4, 3e-4).asDiagonal();
  const Object heavy = with_mass(thing, 0.5);
  EXPECT_EQ(heavy.mass, 0.5);
  EXPECT_NEAR((heavy.inertia - 2.5 * thing.inertia).norm(), 0.0, 1e-15);
  EXPECT_NEAR(lever(heavy), lever(thing), 1e-12);
}

}  // namespace
}  // namespace prehend
