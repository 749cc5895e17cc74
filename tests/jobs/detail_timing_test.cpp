#include "jobs/detail_timing.h"

#include <cmath>

#include <gtest/gtest.h>

#include "prehend/core/hand_builder.h"
#include "prehend/geometry/primitive.h"

namespace prehend::jobs {
namespace {

// A hand that swings a ball to and fro, which was seen `early` seconds before the hand.
Clip swinging(double early, double frame_rate = 50.0) {
  Clip clip;
  clip.frame_rate = frame_rate;
  HandTrack hand;
  hand.hand = std::make_shared<const Hand>(build_hand().value());
  ObjectTrack ball;
  ball.object = std::make_shared<const Object>(
      geometry::object_from_primitive("ball", ShapeKind::kSphere, Vec3::Constant(0.03), 0.1)
          .value());
  const auto place = [](double t) -> Transform {
    return {exp_map(Vec3(0.0, 0.6 * std::sin(5.0 * t), 0.0)),
            Vec3(0.3 * std::sin(4.0 * t), 1.0 + 0.1 * std::sin(7.0 * t), 0.2 * std::cos(3.0 * t))};
  };
  for (int f = 0; f < 100; ++f) {
    HandPose pose = rest_pose(*hand.hand);
    pose.root_world = place(f / frame_rate);
    hand.poses.push_back(pose);
    ball.poses_world.push_back(place(f / frame_rate + early) *
                               Transform::from_position(Vec3(0.0, -0.04, -0.1)));
  }
  clip.hands.push_back(hand);
  clip.objects.push_back(ball);
  return clip;
}

TEST(DetailTiming, FindsHowMuchEarlierAnObjectWasSeen) {
  for (const double early : {-0.03, -0.0125, 0.01, 0.025})
    EXPECT_NEAR(time_offset(swinging(early), 0), early, 0.0026) << early;
}

TEST(DetailTiming, WhatIsInTimeStaysAsItIs) {
  EXPECT_EQ(time_offset(swinging(0.0), 0), 0.0);
  Clip still = swinging(0.02);
  for (Transform& pose : still.objects[0].poses_world) pose = still.objects[0].poses_world[0];
  EXPECT_EQ(time_offset(still, 0), 0.0);
}

TEST(DetailTiming, AlignedObjectsAreWhereTheHandHasThem) {
  Clip clip = swinging(0.02);
  std::vector<std::string> notes;
  align_objects(clip, notes);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("20 ms before"), std::string::npos) << notes[0];
  const Clip truth = swinging(0.0);
  for (int f = 5; f < 95; ++f)
    EXPECT_LT(
        (clip.objects[0].poses_world[f].position - truth.objects[0].poses_world[f].position).norm(),
        0.002)
        << f;
}

}  // namespace
}  // namespace prehend::jobs
