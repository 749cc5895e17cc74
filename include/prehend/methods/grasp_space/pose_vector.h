// A hand's shape as 45 numbers: exponential maps of three ball joints a digit, the same for any
// hand that has OpenXR's joints.
#pragma once

#include <array>

#include <Eigen/Core>

#include "prehend/core/hand_pose.h"

namespace prehend::grasp_space {

inline constexpr int kPoseJoints = 15;
inline constexpr int kPoseSize = 3 * kPoseJoints;

// OpenXR joints in the vector's order: from the thumb on, base to tip (thumb-metacarpal, -proximal,
// -distal; index-proximal, -intermediate, -distal; ...).
const std::array<int, kPoseJoints>& pose_joints();

// Turns against the rest pose of the built-in right hand. A left hand's are reflected, so that the
// same numbers mean the same shape of either hand.
Eigen::VectorXd pose_vector(const Hand& hand, const HandPose& pose);

// Back, for any hand of either side; what the vector does not say (metacarpals) stays at rest. The
// rotations are free: `coordinates` gives the nearest that hinges can make.
HandPose pose_from_vector(const Hand& hand, const Transform& root_world,
                          const Eigen::Ref<const Eigen::VectorXd>& vector);

}  // namespace prehend::grasp_space
