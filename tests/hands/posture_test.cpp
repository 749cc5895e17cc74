#include "prehend/hands/posture.h"

#include <gtest/gtest.h>

#include "prehend/core/hand_builder.h"

namespace prehend::hands {
namespace {

// Two surfaces this near touch: skin gives by more.
constexpr double kTouch = 0.0015;
// What the capsules may overlap where flesh would be squeezed.
constexpr double kSqueeze = 0.001;

Hand make(Side side = Side::kRight, double length = 0.19) {
  HandOptions options;
  options.side = side;
  options.size.length = length;
  return build_hand(options).value();
}

double gap_to(const Hand& hand, const std::vector<Transform>& frames, int segment,
              const Capsule& held) {
  double gap = INFINITY;
  for (const Capsule& capsule : hand.segments[segment].capsules) {
    gap = std::min(gap, distance(frames[segment] * capsule, held));
  }
  return gap;
}

void expect_within_limits(const Hand& hand, const HandPose& pose) {
  EXPECT_LT(limit_violation(coordinate_limits(hand), coordinates(hand, pose)), 1e-6);
}

TEST(Posture, TheThumbReachesAllTenStationsOfKapandji) {
  const Hand hand = make();
  EXPECT_EQ(kapandji_score(hand), 10);
}

TEST(Posture, SmallLargeAndLeftHandsOpposeAsWell) {
  EXPECT_GE(kapandji_score(make(Side::kLeft)), 8);
  EXPECT_GE(kapandji_score(make(Side::kRight, 0.16)), 8);
  EXPECT_GE(kapandji_score(make(Side::kRight, 0.21)), 8);
}

TEST(Posture, AStiffThumbDoesNotScore) {
  Hand hand = make();
  for (Segment& segment : hand.segments) {
    if (segment.digit != Digit::kThumb) continue;
    for (Joint& joint : segment.joints) joint.lower = joint.upper = Vec3::Zero();
  }
  EXPECT_LT(kapandji_score(hand), 3);
}

TEST(Posture, ThePulpNotTheNailMeetsThePulps) {
  const Hand hand = make();
  for (int number = 3; number <= 6; ++number) {
    const Posture posture = make_posture(hand, "kapandji-" + std::to_string(number)).value();
    const auto frames = segment_frames(hand, posture.pose);
    const FingerPad& thumb = hand.pads[0];
    const FingerPad& finger = hand.pads[number - 2];
    const Vec3 thumb_normal = frames[thumb.segment].turn(thumb.normal);
    const Vec3 finger_normal = frames[finger.segment].turn(finger.normal);
    EXPECT_LT(thumb_normal.dot(finger_normal), 0.0) << number;
    expect_within_limits(hand, posture.pose);
  }
}

TEST(Posture, AFistCloses) {
  const Hand hand = make();
  const Posture posture = make_posture(hand, "fist").value();
  const auto frames = segment_frames(hand, posture.pose);
  for (Digit digit : {Digit::kIndex, Digit::kMiddle, Digit::kRing, Digit::kLittle}) {
    const int distal = hand.pads[static_cast<int>(digit)].segment;
    double gap = INFINITY;
    for (int s = 0; s < hand.segment_count(); ++s) {
      if (hand.segments[s].phalanx != 0) continue;
      gap = std::min(gap,
                     gap_to(hand, frames, s, frames[distal] * hand.segments[distal].capsules[0]));
    }
    EXPECT_LT(gap, 0.003) << to_string(digit);
  }
  EXPECT_LT(self_penetration(hand, posture.pose).depth, kSqueeze);
  expect_within_limits(hand, posture.pose);
}

TEST(Posture, AFlatHandLiesFlat) {
  const Hand hand = make();
  const Posture posture = make_posture(hand, "flat").value();
  const auto frames = segment_frames(hand, posture.pose);
  for (int s = 0; s < hand.segment_count(); ++s) {
    double height = INFINITY;
    for (const Capsule& local : hand.segments[s].capsules) {
      const Capsule capsule = frames[s] * local;
      for (const Vec3& end : {capsule.a, capsule.b}) {
        height = std::min(height,
                          posture.plane_normal->dot(end - *posture.plane_point) - capsule.radius);
      }
    }
    const bool thenar = hand.segments[s].name == "thumb-metacarpal";
    EXPECT_GT(height, thenar ? -0.008 : -kSqueeze) << hand.segments[s].name;
    const bool finger = hand.segments[s].phalanx >= 1 && hand.segments[s].digit != Digit::kThumb;
    if (finger) {
      EXPECT_LT(height, 0.006) << hand.segments[s].name;
    }
  }
}

TEST(Posture, FingersSpread) {
  const Hand hand = make();
  const auto rest = xr_frames(hand, rest_pose(hand));
  const auto wide = xr_frames(hand, make_posture(hand, "spread").value().pose);
  for (Digit digit : {Digit::kIndex, Digit::kMiddle, Digit::kRing}) {
    const int tip = xr_tip_of(digit), next = tip + 5;
    EXPECT_GT((wide[tip].position - wide[next].position).norm(),
              (rest[tip].position - rest[next].position).norm() + 0.015);
  }
  const double span =
      (wide[xr_tip_of(Digit::kThumb)].position - wide[xr_tip_of(Digit::kLittle)].position).norm();
  EXPECT_GT(span, 0.19);
  EXPECT_LT(span, 0.26);
}

TEST(Posture, APulpPinchHoldsAFiveMillimeterDisc) {
  const Hand hand = make();
  const Posture posture = make_posture(hand, "pinch").value();
  const auto frames = segment_frames(hand, posture.pose);
  const int thumb = hand.pads[0].segment, index = hand.pads[1].segment;
  const double gap = gap_to(hand, frames, thumb, frames[index] * hand.segments[index].capsules[0]);
  EXPECT_NEAR(gap, 0.005, 0.0005);
  const double facing =
      frames[thumb].turn(hand.pads[0].normal).dot(frames[index].turn(hand.pads[1].normal));
  EXPECT_LT(facing, -0.3);
  EXPECT_LT(self_penetration(hand, posture.pose).depth, kSqueeze);
}

TEST(Posture, AWrapTouchesACylinderWithTwelveSegmentsAndThePalm) {
  for (Side side : {Side::kRight, Side::kLeft}) {
    const Hand hand = make(side);
    const Posture posture = make_posture(hand, "wrap").value();
    const auto frames = segment_frames(hand, posture.pose);
    int touching = 0;
    bool palm = false;
    for (int s = 0; s < hand.segment_count(); ++s) {
      const double gap = gap_to(hand, frames, s, *posture.held);
      EXPECT_GT(gap, -kSqueeze) << hand.segments[s].name;
      const bool digit =
          hand.segments[s].phalanx >= 1 || hand.segments[s].name == "thumb-metacarpal";
      if (gap < kTouch && digit) ++touching;
      if (gap < kTouch && !digit) palm = true;
    }
    EXPECT_GE(touching, 12);
    EXPECT_TRUE(palm);
    EXPECT_LT(self_penetration(hand, posture.pose).depth, kSqueeze);
    expect_within_limits(hand, posture.pose);
  }
}

TEST(Posture, AllPosturesWorkOnTheBallProfile) {
  HandOptions options;
  options.profile = HandProfile::kBall;
  const Hand hand = build_hand(options).value();
  for (const char* name : {"fist", "pinch", "flat"}) {
    const auto posture = make_posture(hand, name);
    ASSERT_TRUE(posture.ok()) << name;
    EXPECT_LT(self_penetration(hand, posture->pose).depth, kSqueeze) << name;
  }
}

TEST(Posture, UnknownNamesAreRefusedWithTheListOfKnownOnes) {
  const auto posture = make_posture(make(), "sign");
  ASSERT_FALSE(posture.ok());
  EXPECT_NE(posture.message().find("fist"), std::string::npos);
}

}  // namespace
}  // namespace prehend::hands
