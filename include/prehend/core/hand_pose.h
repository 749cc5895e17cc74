// A pose of a hand, its kinematics, and the way between rotations and joint coordinates.
#pragma once

#include <span>
#include <vector>

#include "prehend/core/hand.h"

namespace prehend {

// Where the root stands and how each segment is turned against its parent (what a glTF node
// stores). rotations[0] belongs to the root and is the identity: root_world carries its rotation.
struct HandPose {
  Transform root_world;
  std::vector<Quat> rotations;
};

HandPose rest_pose(const Hand& hand);

// World frames of all segments, root first. `frames_world` has hand.segment_count() entries.
void segment_frames(const Hand& hand, const HandPose& pose, std::span<Transform> frames_world);
std::vector<Transform> segment_frames(const Hand& hand, const HandPose& pose);

// World frames of the 25 OpenXR joints, tips included; joints that the hand lacks repeat their
// parent.
std::array<Transform, kXrJointCount> xr_frames(const Hand& hand, const HandPose& pose);

// Joint coordinates, segment by segment, joint by joint: an angle for a hinge, an exponential map
// for a ball. To coordinates is the nearest pose that the hinges can make; `residual_rad`, if
// given, is the largest angle left over.
Eigen::VectorXd coordinates(const Hand& hand, const HandPose& pose, double* residual_rad = nullptr);
HandPose pose_from_coordinates(const Hand& hand, const Transform& root_world,
                               const Eigen::VectorXd& q);
// First coordinate of each segment, and the total last.
std::vector<int> coordinate_offsets(const Hand& hand);

// Lower and upper limit of every coordinate.
struct CoordinateLimits {
  Eigen::VectorXd lower;
  Eigen::VectorXd upper;
};
CoordinateLimits coordinate_limits(const Hand& hand);
double limit_violation(const CoordinateLimits& limits, const Eigen::VectorXd& q);

HandPose interpolate(const HandPose& a, const HandPose& b, double fraction);

// Takes the root so that the wrist stands at `wrist_world` while the joints keep their angles.
void place_wrist(const Hand& hand, const Transform& wrist_world, HandPose& pose);

// The same pose on another hand, segment by segment by OpenXR name; what the target lacks stays at
// rest.
HandPose retarget(const Hand& from, const HandPose& pose, const Hand& to);

// Deepest overlap of two capsules of the hand, in meters (0 if none), leaving out
// Hand::overlapping.
struct SelfPenetration {
  double depth = 0.0;
  int segment_a = -1;
  int segment_b = -1;
};
SelfPenetration self_penetration(const Hand& hand, const HandPose& pose);

}  // namespace prehend
