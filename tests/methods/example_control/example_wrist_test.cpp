#include "prehend/methods/example_control/example_wrist.h"

#include <gtest/gtest.h>

#include "prehend/core/hand_builder.h"

namespace prehend::example_control {
namespace {

Hand ball_hand(double length) {
  HandOptions options;
  options.profile = HandProfile::kBall;
  options.size.length = length;
  return build_hand(options).value();
}

// Between wrist and knuckle of the middle finger, wherever the wrist is.
Vec3 palm_world(const Hand& hand, const Transform& wrist) {
  HandPose pose = rest_pose(hand);
  place_wrist(hand, wrist, pose);
  const auto frames = segment_frames(hand, pose);
  return 0.5 * (frames[hand.wrist()].position + frames[hand.find("middle-proximal")].position);
}

TEST(ExampleWrist, ThePalmOfAnotherHandGoesWhereTheExamplesWent) {
  const Hand example = ball_hand(0.19);
  Controller controller;
  controller.hand_length = example.length;
  for (int i = 0; i < 20; ++i)
    controller.path.wrist_world.push_back(
        {exp_map(0.1 * i * Vec3(0.3, -0.2, 0.5)), 0.02 * i * Vec3(1.0, 0.5, -0.3)});
  for (double length : {0.15, 0.19, 0.23}) {
    const Hand hand = ball_hand(length);
    const auto wrists = example_wrists(controller, hand);
    ASSERT_EQ(wrists.size(), 20u);
    for (int i = 0; i < 20; ++i) {
      const Transform& was = controller.path.wrist_world[i];
      EXPECT_LT((palm_world(hand, wrists[i]) - palm_world(example, was)).norm(), 1e-9);
      EXPECT_LT(angle_between(wrists[i].rotation, was.rotation), 1e-7);
      if (length == 0.19) {
        EXPECT_LT((wrists[i].position - was.position).norm(), 1e-12);
      }
    }
  }
}

}  // namespace
}  // namespace prehend::example_control
