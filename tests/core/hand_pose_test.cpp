#include "prehend/core/hand_pose.h"

#include <random>

#include <gtest/gtest.h>

#include "prehend/core/hand_builder.h"

namespace prehend {
namespace {

Hand make(HandProfile profile) {
  HandOptions options;
  options.profile = profile;
  return build_hand(options).value();
}

Eigen::VectorXd random_coordinates(const Hand& hand, std::mt19937& random) {
  const CoordinateLimits limits = coordinate_limits(hand);
  Eigen::VectorXd q(hand.dof());
  for (int i = 0; i < q.size(); ++i) {
    q[i] = std::uniform_real_distribution<>(limits.lower[i], limits.upper[i])(random);
  }
  return q;
}

TEST(HandPose, CoordinatesSurviveTheWayThroughRotations) {
  std::mt19937 random(7);
  for (HandProfile profile : {HandProfile::kBall, HandProfile::kAnatomical, HandProfile::kArm}) {
    const Hand hand = make(profile);
    for (int trial = 0; trial < 50; ++trial) {
      const Eigen::VectorXd q = random_coordinates(hand, random);
      double residual = 1.0;
      const Eigen::VectorXd back = coordinates(hand, pose_from_coordinates(hand, {}, q), &residual);
      EXPECT_LT((q - back).cwiseAbs().maxCoeff(), 1e-7) << to_string(profile);
      EXPECT_LT(residual, 1e-7);
    }
  }
}

TEST(HandPose, HingesTakeTheNearestRotationAndSayWhatIsLeft) {
  const Hand hand = make(HandProfile::kAnatomical);
  HandPose pose = rest_pose(hand);
  const int segment = hand.find("index-intermediate");
  pose.rotations[segment] = pose.rotations[segment] * exp_map({-0.5, 0.0, 0.2});
  double residual = 0.0;
  const Eigen::VectorXd q = coordinates(hand, pose, &residual);
  EXPECT_NEAR(residual, 0.2, 0.01);
  EXPECT_NEAR(q[coordinate_offsets(hand)[segment]], 0.5, 0.01);
}

TEST(HandPose, FlexionTakesFingertipsTowardsThePalm) {
  const Hand hand = make(HandProfile::kAnatomical);
  const auto rest = xr_frames(hand, rest_pose(hand));
  for (Digit digit : {Digit::kIndex, Digit::kMiddle, Digit::kRing, Digit::kLittle}) {
    Eigen::VectorXd q = Eigen::VectorXd::Zero(hand.dof());
    const int proximal = hand.find(std::string(to_string(digit)) + "-proximal");
    q[coordinate_offsets(hand)[proximal]] = radians(60);
    const auto bent = xr_frames(hand, pose_from_coordinates(hand, {}, q));
    const int tip = xr_tip_of(digit);
    EXPECT_LT(bent[tip].position.y(), rest[tip].position.y() - 0.03);
  }
}

TEST(HandPose, PlacingTheWristMovesTheWholeArm) {
  const Hand hand = make(HandProfile::kArm);
  std::mt19937 random(3);
  HandPose pose = pose_from_coordinates(hand, {}, random_coordinates(hand, random));
  const Transform wanted{exp_map({0.3, -0.7, 0.2}), {0.1, 0.9, -0.3}};
  place_wrist(hand, wanted, pose);
  const auto frames = segment_frames(hand, pose);
  EXPECT_LT((frames[hand.wrist()].position - wanted.position).norm(), 1e-12);
  EXPECT_LT(angle_between(frames[hand.wrist()].rotation, wanted.rotation), 1e-7);
}

TEST(HandPose, RetargetingToAnotherProfileKeepsEveryJointInPlace) {
  const Hand from = make(HandProfile::kAnatomical), to = make(HandProfile::kArm);
  std::mt19937 random(5);
  const HandPose pose = pose_from_coordinates(from, {exp_map({0.1, 0.2, 0.3}), {1, 2, 3}},
                                              random_coordinates(from, random));
  const auto a = xr_frames(from, pose);
  const auto b = xr_frames(to, retarget(from, pose, to));
  for (int j = 0; j < kXrJointCount; ++j) EXPECT_LT((a[j].position - b[j].position).norm(), 1e-9);
}

TEST(HandPose, InterpolationMeetsItsEnds) {
  const Hand hand = make(HandProfile::kBall);
  std::mt19937 random(9);
  const HandPose a = pose_from_coordinates(hand, {}, random_coordinates(hand, random));
  const HandPose b = pose_from_coordinates(hand, Transform::from_position({0, 1, 0}),
                                           random_coordinates(hand, random));
  const HandPose middle = interpolate(a, b, 0.5);
  EXPECT_LT((middle.root_world.position - Vec3(0, 0.5, 0)).norm(), 1e-12);
  for (size_t i = 0; i < a.rotations.size(); ++i) {
    EXPECT_LT(angle_between(interpolate(a, b, 0.0).rotations[i], a.rotations[i]), 1e-7);
    EXPECT_LT(angle_between(interpolate(a, b, 1.0).rotations[i], b.rotations[i]), 1e-7);
    EXPECT_NEAR(angle_between(middle.rotations[i], a.rotations[i]),
                0.5 * angle_between(b.rotations[i], a.rotations[i]), 1e-7);
  }
}

TEST(HandPose, SelfPenetrationOfAFingerFoldedIntoItselfIsFound) {
  const Hand hand = make(HandProfile::kAnatomical);
  Eigen::VectorXd q = Eigen::VectorXd::Zero(hand.dof());
  const auto offsets = coordinate_offsets(hand);
  q[offsets[hand.find("middle-intermediate")]] = radians(175);
  const SelfPenetration worst = self_penetration(hand, pose_from_coordinates(hand, {}, q));
  EXPECT_GT(worst.depth, 0.003);
}

}  // namespace
}  // namespace prehend
