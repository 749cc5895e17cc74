#include "prehend/geometry/prepared_object.h"

#include <gtest/gtest.h>

#include <thread>

#include "prehend/core/random.h"
#include "prehend/geometry/builtin.h"

namespace prehend::geometry {
namespace {

PreparedObjectPtr prepared(const std::string& name) {
  return prepare(std::make_shared<const Object>(*builtin_object(name)));
}

TEST(PreparedObject, APrimitivesContactIsExact) {
  const auto sphere = prepared("sphere");
  EXPECT_EQ(sphere->contact().get(), sphere->exact().get());
}

// The claim beside kContactSpacing: a finger's radius away the field is as good as exact.
TEST(PreparedObject, AMeshsContactDiffersByLittleAFingersRadiusAway) {
  constexpr double kFingerRadius = 0.008, kMost = 0.0002;  // m
  const auto mug = prepared("mug");
  Random random(1);
  for (int i = 0; i < 300; ++i) {
    const Vec3 at = mug->box().center() +
                    0.6 * mug->box().sizes().cwiseProduct(Vec3(
                              random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)));
    const ClosestPoint nearest = mug->exact()->closest(at);
    const Vec3 away = nearest.point + kFingerRadius * nearest.normal;
    const double truth = mug->exact()->sample(away).distance;
    if (truth < 0.9 * kFingerRadius) continue;  // in a corner, where distances have a ridge
    EXPECT_NEAR(mug->contact()->sample(away).distance, truth, kMost);
  }
}

TEST(PreparedObject, ManyThreadsShareWhatOneMakes) {
  const auto mug = prepared("mug");
  const SignedDistance* seen[4] = {};
  std::thread threads[4];
  for (int i = 0; i < 4; ++i) threads[i] = std::thread([&, i] { seen[i] = mug->contact().get(); });
  for (std::thread& thread : threads) thread.join();
  for (const SignedDistance* one : seen) EXPECT_EQ(one, mug->contact().get());
}

}  // namespace
}  // namespace prehend::geometry
