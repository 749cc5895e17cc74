#include "prehend/core/hand_builder.h"

#include <gtest/gtest.h>

#include "prehend/core/hand_pose.h"

namespace prehend {
namespace {

Hand make(HandProfile profile, Side side = Side::kRight, double length = 0.19) {
  HandOptions options;
  options.profile = profile;
  options.side = side;
  options.size.length = length;
  return build_hand(options).value();
}

TEST(HandBuilder, ProfilesHaveTheDegreesOfFreedomOfTheirPapers) {
  EXPECT_EQ(make(HandProfile::kBall).dof(), 57);
  EXPECT_EQ(make(HandProfile::kAnatomical).dof(), 30);
  EXPECT_EQ(make(HandProfile::kArm).dof(), 8 + 27);
}

TEST(HandBuilder, AllProfilesShareBodiesNamesAndMasses) {
  const Hand ball = make(HandProfile::kBall);
  const Hand anatomical = make(HandProfile::kAnatomical);
  ASSERT_EQ(ball.segment_count(), 20);
  ASSERT_EQ(anatomical.segment_count(), 20);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(ball.segments[i].name, anatomical.segments[i].name);
    EXPECT_EQ(ball.segments[i].mass, anatomical.segments[i].mass);
  }
  const Hand arm = make(HandProfile::kArm);
  for (const Segment& segment : ball.segments) EXPECT_GE(arm.find(segment.name), 0) << segment.name;
}

TEST(HandBuilder, EveryOpenXrJointHasASegment) {
  const Hand hand = make(HandProfile::kAnatomical);
  for (int j = 0; j < kXrJointCount; ++j) EXPECT_GE(hand.xr_segments[j], 0) << xr_joint_names()[j];
}

TEST(HandBuilder, LengthIsWristToMiddleFingertipAtEverySize) {
  for (double length : {0.10, 0.17, 0.19, 0.21}) {
    EXPECT_NEAR(make(HandProfile::kBall, Side::kRight, length).length, length, 0.01 * length);
  }
}

TEST(HandBuilder, MassIsAHumanHands) {
  const double mass = make(HandProfile::kAnatomical).mass();
  EXPECT_GE(mass, 0.35);
  EXPECT_LE(mass, 0.55);
}

TEST(HandBuilder, MassGrowsWithTheCubeOfTheLength) {
  const double small = make(HandProfile::kBall, Side::kRight, 0.15).mass();
  const double large = make(HandProfile::kBall, Side::kRight, 0.20).mass();
  EXPECT_NEAR(large / small, std::pow(0.20 / 0.15, 3), 1e-9);
}

TEST(HandBuilder, LeftMirrorsRightExactly) {
  for (HandProfile profile : {HandProfile::kBall, HandProfile::kAnatomical, HandProfile::kArm}) {
    const Hand right = make(profile), left = make(profile, Side::kLeft);
    const CoordinateLimits limits = coordinate_limits(right);
    const CoordinateLimits left_limits = coordinate_limits(left);
    Eigen::VectorXd q = 0.3 * limits.lower + 0.7 * limits.upper;
    Eigen::VectorXd left_q = 0.3 * left_limits.lower + 0.7 * left_limits.upper;
    if (profile == HandProfile::kBall) {
      left_q = q;
      for (int i = 0; i < q.size(); ++i) left_q[i] *= i % 3 == 0 ? 1.0 : -1.0;
      EXPECT_EQ(limit_violation(left_limits, left_q), 0.0);
    }
    const auto a = xr_frames(right, pose_from_coordinates(right, {}, q));
    const auto b = xr_frames(left, pose_from_coordinates(left, {}, left_q));
    for (int j = 0; j < kXrJointCount; ++j) {
      EXPECT_LT((mirror_x(a[j].position) - b[j].position).norm(), 1e-15);
      EXPECT_LT(angle_between(mirror_x(a[j].rotation), b[j].rotation), 1e-7);
    }
  }
}

TEST(HandBuilder, MirroringTwiceChangesNothing) {
  const Hand hand = make(HandProfile::kAnatomical);
  const Hand twice = mirrored(mirrored(hand));
  for (int i = 0; i < hand.segment_count(); ++i) {
    EXPECT_EQ(hand.segments[i].rest_parent.position, twice.segments[i].rest_parent.position);
    EXPECT_EQ(hand.segments[i].inertia, twice.segments[i].inertia);
    for (size_t j = 0; j < hand.segments[i].joints.size(); ++j) {
      EXPECT_EQ(hand.segments[i].joints[j].axis, twice.segments[i].joints[j].axis);
    }
  }
  EXPECT_EQ(twice.name, hand.name);
}

TEST(HandBuilder, GivenSegmentLengthsAreKept) {
  HandOptions options;
  options.size.segment_lengths[1][1] = 0.05;
  options.size.segment_lengths[0][3] = 0.031;
  const Hand hand = build_hand(options).value();
  const auto frames = xr_frames(hand, rest_pose(hand));
  EXPECT_NEAR((frames[7].position - frames[6].position).norm(), 0.05, 1e-12);
  const Vec3 tip = hand.pads[0].tip;
  EXPECT_NEAR(-tip.z(), 0.031, 1e-12);
}

TEST(HandBuilder, RefusesWhatIsNotAHand) {
  HandOptions options;
  options.size.length = 1.9;
  EXPECT_FALSE(build_hand(options).ok());
  options.size.length = std::nan("");
  EXPECT_FALSE(build_hand(options).ok());
  options.size.length = 0.19;
  options.size.breadth = 0.19;
  EXPECT_FALSE(build_hand(options).ok());
  options.size.breadth = 0.0;
  options.size.segment_lengths[2][2] = -0.01;
  EXPECT_FALSE(build_hand(options).ok());
}

TEST(HandBuilder, NothingOverlapsAtRestButWhatIsSaidTo) {
  for (double breadth : {0.07, 0.0836, 0.095}) {
    HandOptions options;
    options.size.breadth = breadth;
    const Hand hand = build_hand(options).value();
    const SelfPenetration worst = self_penetration(hand, rest_pose(hand));
    EXPECT_LT(worst.depth, 0.002) << hand.segments[std::max(0, worst.segment_a)].name << " "
                                  << hand.segments[std::max(0, worst.segment_b)].name;
  }
}

}  // namespace
}  // namespace prehend
