// A hand made of a mapped rig: the rig's proportions in frames of OpenXR's convention.
//
// A rig's own axes mean nothing: the pose with all channels at zero may twist every finger, and
// joints carry arbitrary turns. What is known are joint centers in motion. So a bone's -Z is the
// way to the next joint center, the back of the palm follows from the knuckles and the side, and
// the back of each phalanx is carried along the chain in the poses of the recording, then aligned
// with the axis about which the recording bends it.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "prehend/core/hand_pose.h"
#include "prehend/core/result.h"
#include "prehend/io/rig_map.h"

namespace prehend::io {

struct RigMotion {
  const RigSkeleton* rig = nullptr;
  int frame_count = 0;
  // World frames of all joints, in the rig's unit and its own up axis; frame -1 is the rest pose.
  std::function<void(int frame, std::span<Transform> frames_world)> frames;
  // Where the bone of a last joint ends, in its frame; zero when unknown.
  std::vector<Vec3> end_sites;
};

class RigHandModel {
 public:
  // `meters_per_unit` is 0 to have it found. `name` stands in messages.
  static Result<RigHandModel> build(const RigMotion& motion, RigHand mapped, double meters_per_unit,
                                    UpAxis up, const std::string& name);

  HandPtr hand() const { return hand_; }
  const RigHand& mapped() const { return mapped_; }
  double meters_per_unit() const { return meters_per_unit_; }
  const std::vector<std::string>& notes() const { return notes_; }
  // Its name says one side and its fingers bend as the other's.
  bool left_handed() const { return left_handed_; }

  HandPose pose(std::span<const Transform> frames_rig) const;
  // The rig joint that carries a segment, -1 if there is none; whether others share its work.
  int rig_joint(int segment) const { return links_[segment].rig_joint; }
  bool split(int segment) const { return links_[segment].aim_rig_joint >= 0; }
  // A segment's frame as the rig sees it, and the frame that its joint of the rig then has.
  Transform in_rig(const Transform& segment_world) const;
  Quat joint_rotation(int segment, const Quat& segment_rotation_rig_world) const {
    return (segment_rotation_rig_world * links_[segment].segment_rotation_rig.conjugate())
        .normalized();
  }
  // Largest distance between a joint center of the hand so posed and the rig's own, in meters.
  double residual(std::span<const Transform> frames_rig) const;

 private:
  friend class RigHandBuilder;
  Transform to_world(const Transform& frame_rig) const;

  // How a rig joint carries a segment.
  struct Link {
    int rig_joint = -1;         // -1: the segment keeps its rest
    Quat segment_rotation_rig;  // segment frame in the rig joint's
    int aim_rig_joint = -1;     // of a joint split in two: where its bone must end
  };
  RigHand mapped_;
  HandPtr hand_;
  std::vector<Link> links_;  // one a segment
  double meters_per_unit_ = 1.0;
  Quat up_ = Quat::Identity();
  std::vector<std::string> notes_;
  bool left_handed_ = false;
};

// Meters in the unit in which a hand of this length is human, preferring metric ones; 0 if none.
double guess_unit(double hand_length_units);

}  // namespace prehend::io
