#include "audit/touch.h"

#include <gtest/gtest.h>

#include "prehend/core/random.h"
#include "prehend/geometry/builtin.h"
#include "prehend/geometry/primitive.h"

namespace prehend::audit {
namespace {

constexpr double kReach = 0.002;

Probe ball() {
  return make_probe(
      *geometry::object_from_primitive("ball", ShapeKind::kSphere, {0.05, 0, 0}, 1.0));
}

std::vector<Contact> contacts(const Capsule& capsule) {
  std::vector<Contact> out;
  capsule_contacts(capsule, ball(), Transform{}, kReach, out);
  return out;
}

// The sphere's distance is known: a capsule over its top at any height has that gap.
TEST(Touch, TheDeepestPointOfALongCapsuleIsThatOfAShortOne) {
  for (const double half : {0.02, 0.5, 40.0}) {
    // Not centered over the sphere, so that no sample falls on the deepest point by design.
    const Capsule capsule{{-half, 0.056, 0.0}, {1.37 * half, 0.056, 0.0}, 0.007};
    const auto found = contacts(capsule);
    ASSERT_FALSE(found.empty()) << half;
    EXPECT_NEAR(found[0].gap, -0.001, 1e-6) << half;
    EXPECT_LT((found[0].point_on - Vec3(0.0, 0.05, 0.0)).norm(), 1e-3) << half;
  }
}

// A length such as a damaged file has: samples were counted in an int, which overflowed.
TEST(Touch, ACapsuleOfAnyLengthIsAnsweredAtOnce) {
  for (const double length : {1e5, 1e7, 1e12}) {
    EXPECT_LE(contacts({{0.0, 1.0, 0.0}, {0.0, 1.0, -length}, 0.01}).size(), 3u);
    EXPECT_LE(contacts({{0.0, 0.0, 0.0}, {0.0, 0.0, -length}, 0.01}).size(), 3u);
  }
}

TEST(Touch, ATouchingStretchHasBothItsEnds) {
  const Probe box =
      make_probe(*geometry::object_from_primitive("box", ShapeKind::kBox, {0.05, 0.02, 0.05}, 1.0));
  std::vector<Contact> found;
  capsule_contacts({{-10.0, 0.03, 0.0}, {10.0, 0.03, 0.0}, 0.0105}, box, Transform{}, kReach,
                   found);
  ASSERT_EQ(found.size(), 3u);
  double low = 0.0, high = 0.0;
  for (const Contact& contact : found) {
    low = std::min(low, contact.point_on.x());
    high = std::max(high, contact.point_on.x());
  }
  EXPECT_NEAR(low, -0.05, 0.003);
  EXPECT_NEAR(high, 0.05, 0.003);
}

// What the search leaves out and how it narrows down must not show: against samples so dense that
// they need neither.
TEST(Touch, TheDeepestPointIsThatOfDenseSamples) {
  const Probe probe = make_probe(*geometry::builtin_object("mug"));
  Random random(7);
  const auto vector = [&] {
    Vec3 v;
    for (double& x : v) x = random.uniform(-1.0, 1.0);
    return v;
  };
  int touching = 0;
  for (int i = 0; i < 60; ++i) {
    const Vec3 a = probe.center + 1.2 * probe.radius * vector();
    const Capsule capsule{a, a + 0.05 * vector(), 0.008};
    double brute = INFINITY;
    for (int k = 0; k <= 400; ++k) {
      const Vec3 point = capsule.a + k / 400.0 * (capsule.b - capsule.a);
      brute = std::min(brute, probe.distance->closest(point).distance - capsule.radius);
    }
    std::vector<Contact> found;
    capsule_contacts(capsule, probe, Transform{}, kReach, found);
    // Samples 0.2 mm apart miss the deepest point by at most 0.1 mm.
    if (brute <= kReach) {
      ++touching;
      ASSERT_FALSE(found.empty()) << i;
      EXPECT_NEAR(found[0].gap, brute, 1e-4) << i;
    } else if (brute > kReach + 1e-4) {
      EXPECT_TRUE(found.empty()) << i;
    }
  }
  EXPECT_GT(touching, 10);
}

}  // namespace
}  // namespace prehend::audit
