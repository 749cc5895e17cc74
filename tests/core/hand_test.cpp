#include "prehend/core/hand.h"

#include <gtest/gtest.h>

#include "prehend/core/hand_builder.h"
#include "prehend/core/hand_pose.h"

namespace prehend {
namespace {

constexpr double kRange = radians(25.0);

int small_joints(const Hand& hand) {
  int count = 0;
  for (const Segment& segment : hand.segments) {
    for (const Joint& joint : segment.joints)
      count += joint.type == JointType::kHinge && joint.upper[0] - joint.lower[0] < kRange;
  }
  return count;
}

TEST(WithoutSmallJoints, TakesThoseAwayAndNoOthers) {
  const Hand hand = build_hand().value();
  const int small = small_joints(hand);
  ASSERT_GT(small, 0);
  const Hand stiff = without_small_joints(hand, kRange);
  EXPECT_EQ(small_joints(stiff), 0);
  EXPECT_EQ(stiff.dof(), hand.dof() - small);
  // Those left are the same and in the same order.
  for (int s = 0; s < hand.segment_count(); ++s) {
    size_t next = 0;
    for (const Joint& joint : hand.segments[s].joints) {
      if (joint.upper[0] - joint.lower[0] < kRange) continue;
      ASSERT_LT(next, stiff.segments[s].joints.size());
      EXPECT_EQ(stiff.segments[s].joints[next++].name, joint.name);
    }
    EXPECT_EQ(next, stiff.segments[s].joints.size());
  }
}

TEST(WithoutSmallJoints, LeavesRestAndShapesAsTheyWere) {
  const Hand hand = build_hand().value(), stiff = without_small_joints(hand, kRange);
  ASSERT_EQ(stiff.segment_count(), hand.segment_count());
  EXPECT_DOUBLE_EQ(stiff.mass(), hand.mass());
  const auto before = segment_frames(hand, rest_pose(hand));
  const auto after = segment_frames(stiff, rest_pose(stiff));
  for (size_t s = 0; s < before.size(); ++s) {
    EXPECT_EQ(stiff.segments[s].name, hand.segments[s].name);
    EXPECT_EQ(stiff.segments[s].capsules.size(), hand.segments[s].capsules.size());
    EXPECT_EQ(before[s].position, after[s].position);
    EXPECT_EQ(before[s].rotation.coeffs(), after[s].rotation.coeffs());
  }
}

// A pose of the stiff hand means the same on the whole one.
TEST(WithoutSmallJoints, ItsPosesAreTheHandsOwn) {
  const Hand hand = build_hand().value(), stiff = without_small_joints(hand, kRange);
  const CoordinateLimits limits = coordinate_limits(stiff);
  const Eigen::VectorXd bent = 0.3 * limits.lower + 0.7 * limits.upper;
  const HandPose pose = pose_from_coordinates(stiff, {}, bent);
  const auto ours = segment_frames(stiff, pose), theirs = segment_frames(hand, pose);
  for (size_t s = 0; s < ours.size(); ++s)
    EXPECT_LT((ours[s].position - theirs[s].position).norm(), 1e-15);
}

TEST(WithoutSmallJoints, KeepsBallsWhateverTheirRange) {
  HandOptions options;
  options.profile = HandProfile::kBall;
  const Hand hand = build_hand(options).value();
  EXPECT_EQ(without_small_joints(hand, 10.0).dof(), hand.dof());
}

}  // namespace
}  // namespace prehend
