// Where the finger joints of a rig, its own or added ones, stand so that they show a hand's pose.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "io/rig_hand.h"
#include "prehend/core/clip.h"

namespace prehend::io {

// A finger joint to write. Its motion is against its parent, in the rig's unit.
struct FingerJoint {
  int segment = -1;               // of the hand
  int rig_joint = -1;             // of the rig, or -1: to be added
  int parent = -1;                // index into RigFingers::joints, or -1: below `above`
  int above = -1;                 // rig joint that it hangs from, where `parent` is -1
  std::string name;               // of one to be added
  bool base = false;              // no finger joint lies above it: its place can be the hand's
  bool moves = false;             // its place in its parent changes
  Vec3 offset = Vec3::Zero();     // its place in its parent where it does not move
  Vec3 tip = Vec3::Zero();        // of one that ends a digit and is to be added: the fingertip
  bool last = false;              // it ends a digit
  std::vector<Transform> locals;  // one a frame of the hand's track
};

struct RigFingers {
  std::vector<FingerJoint> joints;  // parents first; those of one digit one after the other
  int wrist = -1;                   // rig joint
  bool added = false;               // none of them is the rig's own
};

// `frames` gives the rig's world frames in a frame of the track. A place that changes by less than
// a tenth of a millimeter does not count as moving.
RigFingers rig_fingers(const RigSkeleton& rig, const RigHandModel& model, const HandTrack& track,
                       const std::function<std::vector<Transform>(int)>& frames);

// "right hand: 4 finger joints added below \"RightHand\"".
std::string fingers_note(const RigSkeleton& rig, const RigHandModel& model,
                         const RigFingers& fingers);

}  // namespace prehend::io
