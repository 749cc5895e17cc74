#include "jobs/convert_hand.h"

#include <cmath>

#include <gtest/gtest.h>

#include "prehend/core/hand_builder.h"
#include "prehend/core/hand_pose.h"
#include "prehend/geometry/prepared_object.h"
#include "prehend/hands/palm.h"
#include "prehend/methods/example_control/examples.h"

namespace prehend::jobs {
namespace {

// Frames of the built-in grasp of a cylinder, in which the hand comes and holds.
Clip part_of_grasp() { return cut(example_control::cylinder_grasp(), 40, 120); }

double nearest(const Clip& clip, int frame) {
  const HandTrack& track = clip.hands[0];
  const auto object = geometry::prepare(clip.objects[0].object);
  std::vector<int> all;
  for (int s = 0; s < track.hand->segment_count(); ++s) all.push_back(s);
  return hands::gap_to_object(*track.hand, all, segment_frames(*track.hand, track.poses[frame]),
                              clip.objects[0].poses_world[frame], *object->contact());
}

TEST(ConvertHand, ContactsAreKeptOnAnotherHand) {
  const Clip recorded = part_of_grasp();
  for (const double length : {0.17, 0.21}) {
    HandOptions options;
    options.size.length = length;
    const auto hand = std::make_shared<const Hand>(build_hand(options).value());
    Clip clip = recorded;
    const Rehanded made = bring_onto(hand, clip, {});
    ASSERT_TRUE(validate(clip).ok()) << validate(clip).message();
    EXPECT_EQ(clip.hands[0].hand, hand);
    EXPECT_GT(made.kept.contacts, 100);
    EXPECT_LT(made.kept.mean, 0.5 * made.by_angles.mean) << length;
    EXPECT_LT(made.kept.deepest, 0.002) << length;
    // By another way than the report's own count: what the clip itself shows.
    const int last = clip.frame_count() - 1;
    EXPECT_NEAR(nearest(clip, last), 0.0, 0.002);
    // The hand's own joints can do it.
    double residual = 0.0;
    coordinates(*hand, clip.hands[0].poses[last], &residual);
    EXPECT_LT(residual, 1e-6);
  }
}

TEST(ConvertHand, FarFromEverythingAnglesAreKept) {
  Clip clip = part_of_grasp();
  clip.objects.clear();
  clip.contacts.clear();
  const Clip before = clip;
  HandOptions options;
  options.profile = HandProfile::kBall;
  options.size.length = 0.17;
  const auto hand = std::make_shared<const Hand>(build_hand(options).value());
  const Rehanded made = bring_onto(hand, clip, {});
  EXPECT_EQ(made.kept.contacts, 0);
  const HandPose expected = retarget(*before.hands[0].hand, before.hands[0].poses[10], *hand);
  for (std::size_t s = 1; s < expected.rotations.size(); ++s)
    EXPECT_LT(angle_between(expected.rotations[s], clip.hands[0].poses[10].rotations[s]), 1e-6);
}

TEST(ConvertHand, AnUnknownHandIsOneLine) {
  std::vector<std::string> notes;
  const auto none = target_hand("paw", notes, {});
  ASSERT_FALSE(none.ok());
  EXPECT_NE(none.message().find("anatomical, ball, arm"), std::string::npos);
}

}  // namespace
}  // namespace prehend::jobs
