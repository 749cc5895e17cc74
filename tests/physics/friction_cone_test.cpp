#include "prehend/physics/friction_cone.h"

#include <random>

#include <gtest/gtest.h>

namespace prehend::physics {
namespace {

using Vec4 = Eigen::Vector4d;

TEST(FrictionCone, ProjectionIsIdempotentAndInside) {
  std::mt19937 random(1);
  std::normal_distribution<double> gauss;
  for (int trial = 0; trial < 2000; ++trial) {
    const FrictionCone cone{trial % 5 ? 0.1 + 0.2 * (trial % 7) : 0.0, trial % 3 ? 0.02 : 0.0};
    const Vec4 f(gauss(random), gauss(random), gauss(random), 0.05 * gauss(random));
    const Vec4 p = cone.project(f, 0.05);
    EXPECT_LE(cone.excess(p), 1e-12);
    EXPECT_LE((cone.project(p, 0.05) - p).norm(), 1e-9);
    // Nearest: the way there is at right angles to the cone's own direction, and polar to the rest.
    const Vec4 weight(1, 1, 1, 1 / (0.05 * 0.05));
    EXPECT_NEAR((f - p).cwiseProduct(weight).dot(p), 0.0, 1e-7 * (1.0 + f.squaredNorm()));
  }
}

TEST(FrictionCone, ExcessIsMeasuredInNewtonsOfNormalForce) {
  const FrictionCone cone{0.5, 0.02};
  EXPECT_NEAR(cone.excess({1.0, 0.3, 0.4, 0.0}), 0.0, 1e-15);
  EXPECT_NEAR(cone.excess({1.0, 0.0, 1.0, 0.0}), 1.0, 1e-15);
  EXPECT_NEAR(cone.excess({1.0, 0.0, 0.0, 0.02}), 0.0, 1e-15);
  EXPECT_TRUE(cone.contains({1.0, 0.0, 0.1, 0.005}));
  EXPECT_FALSE((FrictionCone{0.5, 0.0}.contains({1.0, 0.0, 0.0, 0.001})));
}

TEST(FrictionCone, LocalForceAndWrenchMapAgreeWithTheContact) {
  std::mt19937 random(2);
  std::normal_distribution<double> gauss;
  const auto vector = [&] { return Vec3(gauss(random), gauss(random), gauss(random)); };
  for (int trial = 0; trial < 50; ++trial) {
    Contact contact;
    contact.point_on = vector();
    contact.normal_world = vector().normalized();
    contact.force_world = vector();
    contact.torque_normal = gauss(random);
    const Transform object{exp_map(vector()), vector()};
    const Vec3 about = vector();
    const optimize::ConeContact cone =
        cone_contact(object * contact.point_on, contact.normal_world, {0.5, 0.02}, about, 1.0);
    const Wrench wrench = contact_wrench(contact, object, about);
    EXPECT_LE((cone.wrench_map * local_force(contact) - wrench.vector()).norm(), 1e-12);
    Contact back = contact;
    set_local_force(local_force(contact), back);
    EXPECT_LE((back.force_world - contact.force_world).norm(), 1e-12);
  }
}

}  // namespace
}  // namespace prehend::physics
