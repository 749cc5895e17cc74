#include "audit/motion.h"

#include <gtest/gtest.h>

#include "prehend/core/random.h"
#include "prehend/geometry/primitive.h"

namespace prehend::audit {
namespace {

// Blows that last a frame each, integrated exactly: what the poses need is what the forces give,
// weighted alike, however wild they are and however many frames a window has.
TEST(Motion, NeededForcesAreTheGivenOnesWeightedAlike) {
  constexpr double kRate = 60.0, kTolerance = 1e-9;  // N
  constexpr int kFrames = 40;
  const auto ball = std::make_shared<const Object>(
      *geometry::object_from_primitive("ball", ShapeKind::kSphere, {0.03, 0.0, 0.0}, 0.2));
  Random random(5);
  std::vector<Vec3> acceleration;
  for (int f = 0; f < kFrames; ++f) acceleration.push_back(50.0 * random.direction());
  ObjectTrack track{ball, {}};
  std::vector<Wrench> given;
  Vec3 place = Vec3::Zero(), velocity(0.3, -0.1, 0.2);
  const double half = 0.5 / kRate;
  for (int f = 0; f < kFrames; ++f) {
    track.poses_world.push_back(Transform::from_position(place));
    given.push_back({ball->mass * (acceleration[f] - gravity_world()), Vec3::Zero()});
    for (const int of : {f, std::min(f + 1, kFrames - 1)}) {
      place += half * velocity + 0.5 * half * half * acceleration[of];
      velocity += half * acceleration[of];
    }
  }
  for (const int window : {2, 3, 7}) {
    const auto needed = needed_wrenches(track, kRate, window);
    const auto weighted = smoothed(given, window);
    for (int f = 0; f < kFrames; ++f)
      EXPECT_LT((needed[f].force - weighted[f].force).norm(), kTolerance) << window << " " << f;
  }
}

}  // namespace
}  // namespace prehend::audit
