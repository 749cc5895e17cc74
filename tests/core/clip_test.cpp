#include "prehend/core/clip.h"

#include <gtest/gtest.h>

#include "prehend/core/hand_builder.h"

namespace prehend {
namespace {

constexpr double kRate = 20.0;
constexpr int kFrames = 11;  // half a second

// A ball that moves along x at 1 m/s and turns about y at 2 rad/s beside a hand that rises, with a
// contact a frame that carries the frame's number as its force.
Clip moving_clip() {
  Clip clip;
  clip.name = "moving";
  clip.frame_rate = kRate;
  clip.forces_recorded = true;
  const auto hand = std::make_shared<const Hand>(build_hand().value());
  clip.hands.push_back({hand, {}});
  clip.objects.push_back({std::make_shared<const Object>(), {}});
  for (int f = 0; f < kFrames; ++f) {
    const double time = f / kRate;
    HandPose pose = rest_pose(*hand);
    pose.root_world.position = {0.0, time, 0.0};
    clip.hands[0].poses.push_back(pose);
    clip.objects[0].poses_world.push_back({exp_map({0.0, 2.0 * time, 0.0}), {time, 0.0, 0.0}});
    Contact contact;
    contact.on = ContactSide::object(0);
    contact.force_world = {double(f), 0.0, 0.0};
    clip.contacts.push_back({contact});
  }
  return clip;
}

TEST(Resample, KeepsTheMotionAtAnyRate) {
  const Clip clip = moving_clip();
  for (const double rate : {7.0, 20.0, 33.0, 240.0}) {
    const Clip other = resample(clip, rate);
    EXPECT_EQ(other.name, clip.name);
    EXPECT_EQ(other.frame_rate, rate);
    ASSERT_EQ(other.frame_count(), static_cast<int>(0.5 * rate + 1e-9) + 1);
    for (int f = 0; f < other.frame_count(); ++f) {
      const double time = f / rate;
      const Transform& pose = other.objects[0].poses_world[f];
      EXPECT_NEAR(pose.position.x(), time, 1e-12) << rate;
      EXPECT_NEAR(angle_between(pose.rotation, exp_map({0.0, 2.0 * time, 0.0})), 0.0, 1e-7) << rate;
      EXPECT_NEAR(other.hands[0].poses[f].root_world.position.y(), time, 1e-12) << rate;
    }
  }
}

TEST(Resample, TakesContactsFromTheNearestFrame) {
  const Clip other = resample(moving_clip(), 3.0 * kRate);
  ASSERT_EQ(other.contacts.size(), static_cast<std::size_t>(other.frame_count()));
  EXPECT_TRUE(other.forces_recorded);
  for (int f = 0; f < other.frame_count(); ++f)
    EXPECT_EQ(other.contacts[f][0].force_world.x(), (f + 1) / 3) << f;
}

TEST(Resample, LeavesASingleFrameAsItIs) {
  const Clip still = cut(moving_clip(), 4, 4);
  const Clip other = resample(still, 60.0);
  ASSERT_EQ(other.frame_count(), 1);
  EXPECT_EQ(other.objects[0].poses_world[0].position, still.objects[0].poses_world[0].position);
}

TEST(Cut, KeepsBothEnds) {
  const Clip part = cut(moving_clip(), 2, 5);
  ASSERT_EQ(part.frame_count(), 4);
  EXPECT_EQ(part.objects[0].poses_world.front().position.x(), 2 / kRate);
  EXPECT_EQ(part.hands[0].poses.back().root_world.position.y(), 5 / kRate);
  EXPECT_EQ(part.contacts.front()[0].force_world.x(), 2.0);
}

}  // namespace
}  // namespace prehend
