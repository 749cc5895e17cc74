// The support that nobody recorded: boxes that stand in the air at known heights.
#include "prehend/audit/rest.h"

#include <gtest/gtest.h>

#include <cmath>

#include "prehend/audit/audit.h"
#include "prehend/geometry/primitive.h"

namespace prehend::audit {
namespace {

constexpr double kRate = 100.0, kHalf = 0.03, kTable = 0.7;
constexpr int kFrames = 200;

template <typename Motion>
ObjectTrack box(const char* name, const Motion& position) {
  Object object =
      geometry::object_from_primitive(name, ShapeKind::kBox, Vec3::Constant(kHalf), 0.3).value();
  ObjectTrack track{std::make_shared<const Object>(std::move(object)), {}};
  for (int f = 0; f < kFrames; ++f)
    track.poses_world.push_back(Transform::from_position(position(f)));
  return track;
}

Clip clip_of(std::vector<ObjectTrack> objects) {
  Clip clip;
  clip.frame_rate = kRate;
  clip.objects = std::move(objects);
  return clip;
}

// Rests for 0.8 s on the table with the noise of capture, then is lifted at a constant pace.
Vec3 lifted_after_rest(int f) {
  const double noise = 0.0002 * std::sin(13.7 * f);
  return {0.0, kTable + kHalf + noise + 0.002 * std::max(0, f - 80), 0.0};
}

TEST(Rest, ABoxThatStandsInTheAirShowsItsTable) {
  const Clip clip = clip_of({box("box", lifted_after_rest)});
  const auto rests = unborne_rests(clip);
  ASSERT_EQ(rests.size(), 1u);
  EXPECT_EQ(rests[0].first, 0);
  EXPECT_NEAR(rests[0].last, 80, 1);
  const auto support = find_support(clip);
  ASSERT_TRUE(support);
  EXPECT_NEAR(support->height, kTable, 2e-4);
  EXPECT_NEAR(support->seconds, 0.81, 0.02);
  EXPECT_EQ(support->objects, std::vector<std::string>{"box"});
  // With the table, the frames of rest are explained, and only they.
  AuditOptions options;
  options.window = 0.3;  // the noise of capture is not what is judged here
  EXPECT_EQ(audit(clip, options).value().explained_fraction, 0.0);
  options.floor_height = support->height;
  EXPECT_NEAR(audit(clip, options).value().explained_fraction, 0.4, 0.05);
}

TEST(Rest, WhatMovesOrIsHeldOrIsBorneDoesNotRest) {
  EXPECT_FALSE(
      find_support(clip_of({box("slow", [](int f) { return Vec3(0.0, 1.0 + 0.0002 * f, 0.0); })})))
      << "2 cm a second is no rest";

  Clip held = clip_of({box("held", [](int) { return Vec3(0.0, 1.0, 0.0); })});
  EXPECT_TRUE(find_support(held));
  Hand rod;
  rod.name = "rod";
  Segment segment;
  segment.name = "rod";
  segment.capsules = {{{-0.02, 0, 0}, {0.02, 0, 0}, 0.01}};
  rod.segments = {segment};
  HandTrack hand{std::make_shared<const Hand>(rod), {}};
  HandPose pose = rest_pose(rod);
  pose.root_world.position = {0.0, 1.0 + kHalf + 0.013, 0.0};
  hand.poses.assign(kFrames, pose);
  held.hands = {hand};
  EXPECT_FALSE(find_support(held)) << "a hand 3 mm away may hold it";
  // The hand comes after a tenth of a second to what already stands.
  for (int f = 0; f < 10; ++f) held.hands[0].poses[f].root_world.position.y() += 1.0;
  const auto support = find_support(held);
  ASSERT_TRUE(support);
  EXPECT_NEAR(support->seconds, kFrames / kRate, 1e-9);

  Clip floor = clip_of({box("stands", [](int) { return Vec3(0.0, kHalf, 0.0); })});
  floor.floor_height = 0.0;
  EXPECT_FALSE(find_support(floor));
}

TEST(Rest, TheHeightThatExplainsTheMostTimeIsProposed) {
  // One box on the table all the time, one on a shelf for half of it.
  const Clip clip = clip_of(
      {box("low", [](int) { return Vec3(0.0, kTable + kHalf, 0.0); }), box("high", [](int f) {
         return Vec3(1.0, 1.2 + kHalf - 0.003 * std::max(0, f - 100), 0.0);
       })});
  const auto support = find_support(clip);
  ASSERT_TRUE(support);
  EXPECT_NEAR(support->height, kTable, 1e-9);
  EXPECT_EQ(support->objects, std::vector<std::string>{"low"});
  EXPECT_EQ(unborne_rests(clip).size(), 2u);
}

TEST(Rest, AShortStopIsNone) {
  const auto stops = [](int f) {
    // Still for 0.2 s of every second.
    const int whole = f / 100, within = f % 100;
    return Vec3(0.0, 1.0 + 0.001 * (80 * whole + std::max(0, within - 20)), 0.0);
  };
  EXPECT_TRUE(unborne_rests(clip_of({box("box", stops)})).empty());
}

}  // namespace
}  // namespace prehend::audit
