// Spherical proximity sensors of a hand, in groups that oppose each other.
#pragma once

#include <vector>

#include "prehend/core/hand_pose.h"
#include "prehend/methods/grasp_space/grasp_space.h"

namespace prehend::grasp_space {

// Sensors of different groups are antagonists: they can push against each other.
enum class Opposition { kThumb, kFingers, kPalm };

struct Sensor {
  int segment = -1;
  Vec3 center = Vec3::Zero();  // in the segment's frame
  double radius = 0.0;         // touches when the object is this near to the center
  Opposition group = Opposition::kFingers;
};

// One on every segment of the digits (the paper's figure 3) and three on the palm, inside the
// hand's contact capsules.
std::vector<Sensor> default_sensors(const Hand& hand);

// Frames of the segments from a point of a grasp space, without allocation: the inner loop's hand.
class ShapeKinematics {
 public:
  ShapeKinematics(const Hand& hand, const GraspSpace& space);

  // Frames with the wrist at the origin.
  const std::vector<Transform>& frames_wrist(const Eigen::Ref<const Eigen::VectorXd>& reduced);
  // The whole pose with the wrist at the origin.
  HandPose pose(const Eigen::Ref<const Eigen::VectorXd>& reduced) const;

 private:
  void rotations(const Eigen::Ref<const Eigen::VectorXd>& reduced, std::vector<Quat>& out) const;

  const Hand& hand_;
  const GraspSpace& space_;
  HandPose straight_;                          // at the zero vector
  std::array<int, kPoseJoints> segment_of_{};  // -1: the hand lacks it
  std::vector<Quat> rotations_;
  std::vector<Transform> frames_;
};

}  // namespace prehend::grasp_space
