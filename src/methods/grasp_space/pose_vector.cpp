// Ben Amor, Heumer, Jung and Vitzthum, "Grasp synthesis from low-dimensional probabilistic grasp
// models", Computer Animation and Virtual Worlds 19, 2008, "Data Acquisition".
// Implements: hand shapes as exponential maps of three ball joints a digit, 45 numbers.
// Departs:    turns are counted from the rest pose of the built-in hand and between frames that
//             mean the same on every hand, so that one space serves hands of any make and of both
//             sides.
#include "prehend/methods/grasp_space/pose_vector.h"

#include "prehend/core/assert.h"
#include "prehend/core/hand_builder.h"

namespace prehend::grasp_space {

namespace {

// Orientations of the OpenXR joints of the built-in right hand at rest.
const std::array<Quat, kXrJointCount>& rest_orientations() {
  static const std::array<Quat, kXrJointCount> kOrientations = [] {
    const Hand hand = build_hand().value();
    const auto frames = xr_frames(hand, rest_pose(hand));
    std::array<Quat, kXrJointCount> orientations;
    for (int j = 0; j < kXrJointCount; ++j) orientations[j] = frames[j].rotation;
    return orientations;
  }();
  return kOrientations;
}

// The nearest joint towards the wrist that the hand has with a segment of its own: rigs often lack
// the metacarpals.
int present_parent(const Hand& hand, int joint) {
  int parent = xr_joint_parent(joint);
  while (parent > 0 &&
         (hand.xr_segments[parent] < 0 || hand.xr_segments[parent] == hand.xr_segments[joint])) {
    parent = xr_joint_parent(parent);
  }
  return parent;
}

Quat rest_between(int parent, int joint) {
  return rest_orientations()[parent].conjugate() * rest_orientations()[joint];
}

// From the segment's parent up to, but not including, `ancestor`.
Quat rotation_up_to(const Hand& hand, const HandPose& pose, int segment, int ancestor) {
  Quat between = Quat::Identity();
  for (int s = hand.segments[segment].parent; s != ancestor && s >= 0;
       s = hand.segments[s].parent) {
    between = pose.rotations[s] * between;
  }
  return between;
}

}  // namespace

const std::array<int, kPoseJoints>& pose_joints() {
  static const std::array<int, kPoseJoints> kJoints = {1,  2,  3,  6,  7,  8,  11, 12,
                                                       13, 16, 17, 18, 21, 22, 23};
  return kJoints;
}

Eigen::VectorXd pose_vector(const Hand& hand, const HandPose& pose) {
  PREHEND_ASSERT(pose.rotations.size() == hand.segments.size());
  Eigen::VectorXd vector = Eigen::VectorXd::Zero(kPoseSize);
  for (int i = 0; i < kPoseJoints; ++i) {
    const int joint = pose_joints()[i], parent = present_parent(hand, joint);
    const int segment = hand.xr_segments[joint], ancestor = hand.xr_segments[parent];
    if (segment < 0 || ancestor < 0) continue;
    Quat turn = rotation_up_to(hand, pose, segment, ancestor) * pose.rotations[segment];
    if (hand.side == Side::kLeft) turn = mirror_x(turn);
    vector.segment<3>(3 * i) = log_map(rest_between(parent, joint).conjugate() * turn);
  }
  return vector;
}

HandPose pose_from_vector(const Hand& hand, const Transform& root_world,
                          const Eigen::Ref<const Eigen::VectorXd>& vector) {
  PREHEND_ASSERT(vector.size() == kPoseSize);
  HandPose pose = rest_pose(hand);
  pose.root_world = root_world;
  for (int i = 0; i < kPoseJoints; ++i) {
    const int joint = pose_joints()[i], parent = present_parent(hand, joint);
    const int segment = hand.xr_segments[joint], ancestor = hand.xr_segments[parent];
    if (segment < 0 || ancestor < 0) continue;
    Quat turn = rest_between(parent, joint) * exp_map(vector.segment<3>(3 * i));
    if (hand.side == Side::kLeft) turn = mirror_x(turn);
    pose.rotations[segment] = rotation_up_to(hand, pose, segment, ancestor).conjugate() * turn;
  }
  return pose;
}

}  // namespace prehend::grasp_space
