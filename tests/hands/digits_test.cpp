#include "prehend/hands/digits.h"

#include <gtest/gtest.h>

#include "prehend/core/hand_builder.h"
#include "prehend/core/hand_pose.h"

namespace prehend::hands {
namespace {

constexpr double kSame = 1e-12;  // m, two routes to the same point

class Digits : public testing::Test {
 protected:
  const Hand hand_ = build_hand().value();
};

TEST_F(Digits, SegmentsAreFoundByDigitAndPhalanx) {
  EXPECT_EQ(segment_of(hand_, Digit::kIndex, 3), hand_.find("index-distal"));
  EXPECT_EQ(segment_of(hand_, Digit::kLittle, 0), hand_.find("little-metacarpal"));
  EXPECT_EQ(segment_of(hand_, Digit::kThumb, 2), -1) << "a thumb has no intermediate phalanx";
  for (const Digit digit : kDigits) {
    const std::vector<int> segments = segments_of(hand_, digit);
    ASSERT_EQ(segments.size(), digit == Digit::kThumb ? 3U : 4U);
    for (size_t i = 1; i < segments.size(); ++i) {
      EXPECT_EQ(hand_.segments[segments[i]].parent, segments[i - 1]);
    }
  }
}

TEST_F(Digits, PadIsTheLastSegmentsPulp) {
  const std::optional<SkinPoint> pad = pad_of(hand_, Digit::kMiddle);
  ASSERT_TRUE(pad);
  EXPECT_EQ(pad->segment, hand_.find("middle-distal"));
  EXPECT_LT(pad->normal_segment.y(), -0.5) << "the palm's side";
  EXPECT_FALSE(pad_of(hand_, Digit::kNone));
  Hand without = hand_;
  without.pads[2].segment = -1;
  EXPECT_FALSE(pad_of(without, Digit::kMiddle));
}

TEST_F(Digits, SkinPointLiesOnTheCapsule) {
  const int segment = hand_.find("index-proximal");
  const Capsule& shape = hand_.segments[segment].capsules[0];
  const Vec3 axis = (shape.b - shape.a).normalized();
  for (const double fraction : {0.0, 0.3, 1.0}) {
    const SkinPoint point = skin_point(hand_, segment, 0, fraction, {0.3, -1.0, 0.4});
    const double gap =
        distance({point.point_segment, point.point_segment, 0.0}, shape);  // of a point
    EXPECT_NEAR(gap, 0.0, kSame) << fraction;
    EXPECT_NEAR(point.normal_segment.norm(), 1.0, kSame);
    if (fraction == 0.3) {
      EXPECT_NEAR(point.normal_segment.dot(axis), 0.0, kSame);
    }
  }
}

TEST_F(Digits, PlacedCapsulesFollowTheFrames) {
  HandPose pose = rest_pose(hand_);
  pose.root_world = {exp_map({0.2, 0.5, -0.1}), {0.3, 0.1, 0.2}};
  const std::vector<Transform> frames = segment_frames(hand_, pose);
  std::vector<PlacedCapsule> placed;
  placed_capsules(hand_, frames, placed);
  size_t next = 0;
  for (int s = 0; s < hand_.segment_count(); ++s) {
    for (const Capsule& capsule : hand_.segments[s].capsules) {
      ASSERT_LT(next, placed.size());
      EXPECT_EQ(placed[next].segment, s);
      EXPECT_LT((placed[next].capsule_world.b - frames[s] * capsule.b).norm(), kSame);
      ++next;
    }
  }
  EXPECT_EQ(next, placed.size());
}

}  // namespace
}  // namespace prehend::hands
