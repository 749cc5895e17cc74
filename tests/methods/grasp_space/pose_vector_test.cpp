#include "prehend/methods/grasp_space/pose_vector.h"

#include <filesystem>
#include <random>

#include <gtest/gtest.h>

#include "prehend/core/hand_builder.h"
#include "prehend/physics/mjcf_hand.h"
#include "tests/recordings.h"

namespace prehend::grasp_space {
namespace {

constexpr double kAngleTolerance = 1e-9;  // radians
constexpr double kPositionTolerance = 1e-9;

Hand make(HandProfile profile, Side side = Side::kRight, double length = 0.19) {
  HandOptions options;
  options.profile = profile;
  options.side = side;
  options.size.length = length;
  return build_hand(options).value();
}

Eigen::VectorXd random_vector(std::mt19937& random, double most = 0.8) {
  Eigen::VectorXd vector(kPoseSize);
  for (double& v : vector) v = std::uniform_real_distribution<>(-most, most)(random);
  return vector;
}

const Transform kPlace{exp_map({0.3, -0.8, 0.5}), {0.1, 0.2, -0.3}};

TEST(PoseVector, NamesThreeJointsOfEachDigitFromTheThumbOn) {
  const auto& names = xr_joint_names();
  EXPECT_EQ(names[pose_joints()[0]], "thumb-metacarpal");
  EXPECT_EQ(names[pose_joints()[2]], "thumb-distal");
  EXPECT_EQ(names[pose_joints()[3]], "index-proximal");
  EXPECT_EQ(names[pose_joints()[14]], "little-distal");
}

TEST(PoseVector, RestIsZeroOnEveryBuiltHand) {
  for (HandProfile profile : {HandProfile::kBall, HandProfile::kAnatomical, HandProfile::kArm}) {
    for (Side side : {Side::kLeft, Side::kRight}) {
      const Hand hand = make(profile, side);
      EXPECT_LT(pose_vector(hand, rest_pose(hand)).norm(), kAngleTolerance) << to_string(profile);
    }
  }
}

TEST(PoseVector, ReturnsFromHandsOfAnyProfileSideAndSize) {
  std::mt19937 random(3);
  for (HandProfile profile : {HandProfile::kBall, HandProfile::kAnatomical, HandProfile::kArm}) {
    for (Side side : {Side::kLeft, Side::kRight}) {
      for (double length : {0.1, 0.19, 0.23}) {
        const Hand hand = make(profile, side, length);
        const Eigen::VectorXd vector = random_vector(random);
        const HandPose pose = pose_from_vector(hand, kPlace, vector);
        EXPECT_LT((pose_vector(hand, pose) - vector).norm(), kAngleTolerance);
        EXPECT_LT((pose.root_world.position - kPlace.position).norm(), kPositionTolerance);
      }
    }
  }
}

// The other route: on a ball hand at rest-relative coordinates the vector is the coordinates.
TEST(PoseVector, IsTheCoordinatesOfABallHand) {
  std::mt19937 random(5);
  const Hand hand = make(HandProfile::kBall);
  Eigen::VectorXd q(hand.dof());
  for (double& v : q) v = std::uniform_real_distribution<>(-0.5, 0.5)(random);
  const Eigen::VectorXd vector = pose_vector(hand, pose_from_coordinates(hand, kPlace, q));
  const auto offsets = coordinate_offsets(hand);
  for (int i = 0; i < kPoseJoints; ++i) {
    const int segment = hand.xr_segments[pose_joints()[i]];
    EXPECT_LT((vector.segment<3>(3 * i) - q.segment<3>(offsets[segment])).norm(), kAngleTolerance);
  }
}

TEST(PoseVector, MakesALeftHandTheMirrorImageOfARightOne) {
  std::mt19937 random(8);
  const Hand right = make(HandProfile::kBall), left = mirrored(right);
  const Eigen::VectorXd vector = random_vector(random);
  const auto right_frames = xr_frames(right, pose_from_vector(right, kPlace, vector));
  const auto left_frames = xr_frames(left, pose_from_vector(left, mirror_x(kPlace), vector));
  for (int j = 0; j < kXrJointCount; ++j) {
    EXPECT_LT((mirror_x(right_frames[j].position) - left_frames[j].position).norm(),
              kPositionTolerance);
  }
}

TEST(PoseVector, KeepsAnAnatomicalHandWithinItsHinges) {
  std::mt19937 random(13);
  const Hand hand = make(HandProfile::kAnatomical, Side::kRight, 0.17);
  const CoordinateLimits limits = coordinate_limits(hand);
  const auto offsets = coordinate_offsets(hand);
  Eigen::VectorXd q(hand.dof());
  for (int s = 0; s < hand.segment_count(); ++s) {
    const bool metacarpal =
        hand.segments[s].phalanx == 0 && hand.segments[s].digit != Digit::kThumb;
    for (int i = offsets[s]; i < offsets[s + 1]; ++i) {
      const double u = std::uniform_real_distribution<>(0.0, 1.0)(random);
      q[i] = metacarpal ? 0.0 : limits.lower[i] + u * (limits.upper[i] - limits.lower[i]);
    }
  }
  const Eigen::VectorXd vector = pose_vector(hand, pose_from_coordinates(hand, {}, q));
  double residual = 1.0;
  const Eigen::VectorXd back = coordinates(hand, pose_from_vector(hand, {}, vector), &residual);
  EXPECT_LT((back - q).cwiseAbs().maxCoeff(), 1e-6);
  EXPECT_LT(residual, 1e-7);
}

// A rig without metacarpals: the finger's turn is then taken against the wrist, and rest is zero.
TEST(PoseVector, ReadsRigsWithoutMetacarpals) {
  std::mt19937 random(21);
  const Hand hand = make(HandProfile::kBall);
  Hand rig = hand;
  for (Digit digit : {Digit::kIndex, Digit::kMiddle, Digit::kRing, Digit::kLittle}) {
    rig.xr_segments[5 * static_cast<int>(digit)] = -1;
  }
  EXPECT_LT(pose_vector(rig, rest_pose(rig)).norm(), kAngleTolerance);
  const Eigen::VectorXd vector = random_vector(random);
  const HandPose pose = pose_from_vector(hand, {}, vector);
  EXPECT_LT((pose_vector(rig, pose) - vector).norm(), kAngleTolerance);
  EXPECT_LT((pose_vector(rig, pose_from_vector(rig, {}, vector)) - vector).norm(), kAngleTolerance);
}

TEST(PoseVector, CarriesShapesToAHandMadeByOthers) {
  const auto path = recording("myohand/myohand.xml");
  PREHEND_SKIP_WITHOUT(path);
  const auto file = physics::MjcfHand::load(path.string());
  ASSERT_TRUE(file.ok()) << file.message();
  const Hand& hand = *file->hand();
  const Hand ours = make(HandProfile::kBall);
  std::mt19937 random(34);
  const Eigen::VectorXd vector = random_vector(random);
  const HandPose pose = pose_from_vector(hand, kPlace, vector);
  EXPECT_LT((pose_vector(hand, pose) - vector).norm(), kAngleTolerance);
  // Bones point the same way on both hands: the turns between the joints of a digit agree.
  const auto theirs = xr_frames(hand, pose);
  const auto built = xr_frames(ours, pose_from_vector(ours, {}, vector));
  for (int joint : {7, 8, 12, 13, 17, 18, 22, 23, 2, 3}) {
    const Quat a = theirs[joint - 1].rotation.conjugate() * theirs[joint].rotation;
    const Quat b = built[joint - 1].rotation.conjugate() * built[joint].rotation;
    EXPECT_LT(angle_between(a, b), kAngleTolerance) << xr_joint_names()[joint];
  }
}

}  // namespace
}  // namespace prehend::grasp_space
