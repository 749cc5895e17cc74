#include "io/rig_fingers.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "prehend/core/text.h"

namespace prehend::io {
namespace {

constexpr double kMoves = 1e-4;  // m

// The rig names its wrist "RightHand" or "hand.R"; fingers are named after it, as OpenXR does.
std::string added_name(const std::string& wrist, const std::string& segment,
                       std::set<std::string>& used) {
  std::string name = fmt::format("{}_{}", wrist, segment);
  std::replace(name.begin(), name.end(), ' ', '_');
  std::replace(name.begin(), name.end(), '-', '_');
  for (int i = 2; !used.insert(name).second; ++i) name = fmt::format("{}_{}_{}", wrist, segment, i);
  return name;
}

class Maker {
 public:
  Maker(const RigSkeleton& rig, const RigHandModel& model, const HandTrack& track)
      : rig_(rig), model_(model), track_(track), hand_(*track.hand) {}

  RigFingers make(const std::function<std::vector<Transform>(int)>& frames) {
    list();
    const int count = static_cast<int>(track_.poses.size());
    for (int f = 0; f < count; ++f) add_frame(frames(f), segment_frames(hand_, track_.poses[f]));
    settle_moves();
    return std::move(out_);
  }

 private:
  bool in_digit(int segment) const { return hand_.segments[segment].digit != Digit::kNone; }

  void list() {
    out_.wrist = model_.rig_joint(hand_.wrist());
    std::set<std::string> used(rig_.names.begin(), rig_.names.end());
    bool own = false;
    for (int s = 0; s < hand_.segment_count(); ++s) own |= in_digit(s) && model_.rig_joint(s) >= 0;
    out_.added = !own;
    std::vector<int> joint_of(hand_.segment_count(), -1);
    for (int s = 0; s < hand_.segment_count(); ++s) {
      // A rig with fingers keeps to the joints that it has.
      if (!in_digit(s) || (own && model_.rig_joint(s) < 0)) continue;
      FingerJoint joint;
      joint.segment = s;
      joint.rig_joint = model_.rig_joint(s);
      for (int above = hand_.segments[s].parent; above >= 0 && joint.parent < 0;
           above = hand_.segments[above].parent)
        joint.parent = joint_of[above];
      joint.above = own ? rig_.parents[joint.rig_joint] : out_.wrist;
      if (!own) {
        joint.name = added_name(rig_.names[out_.wrist], hand_.segments[s].name, used);
        describe_added(s, joint);
      }
      joint_of[s] = static_cast<int>(out_.joints.size());
      out_.joints.push_back(std::move(joint));
    }
    finger_of_.assign(rig_.names.size(), -1);
    for (std::size_t i = 0; i < out_.joints.size(); ++i)
      if (out_.joints[i].rig_joint >= 0) finger_of_[out_.joints[i].rig_joint] = static_cast<int>(i);
    for (FingerJoint& joint : out_.joints) joint.base = !below_finger(joint);
  }

  bool below_finger(const FingerJoint& joint) const {
    if (out_.added) return joint.parent >= 0;
    for (int above = rig_.parents[joint.rig_joint]; above >= 0; above = rig_.parents[above])
      if (finger_of_[above] >= 0) return true;
    return false;
  }

  void describe_added(int segment, FingerJoint& joint) const {
    const double unit = model_.meters_per_unit();
    for (const FingerPad& pad : hand_.pads) {
      if (pad.segment != segment) continue;
      joint.last = true;
      joint.tip = pad.tip / unit;
    }
  }

  // Rig joints below a finger joint follow it, joints between finger joints keep their places.
  void add_frame(std::vector<Transform> rig_world, const std::vector<Transform>& segments_world) {
    const std::vector<Transform> recorded = rig_world;
    std::vector<Transform> worlds(out_.joints.size());
    if (out_.added) {
      for (std::size_t i = 0; i < out_.joints.size(); ++i) {
        FingerJoint& joint = out_.joints[i];
        worlds[i] = model_.in_rig(segments_world[joint.segment]);
        const Transform& above = joint.parent >= 0 ? worlds[joint.parent] : rig_world[joint.above];
        joint.locals.push_back(above.inverse() * worlds[i]);
      }
      return;
    }
    for (std::size_t j = 0; j < rig_.names.size(); ++j) {
      const int parent = rig_.parents[j];
      if (parent < 0) continue;
      Transform local = recorded[parent].inverse() * recorded[j];
      if (const int i = finger_of_[j]; i >= 0) {
        FingerJoint& joint = out_.joints[i];
        const Transform wanted = model_.in_rig(segments_world[joint.segment]);
        if (joint.locals.empty()) joint.offset = local.position;
        local.rotation = rig_world[parent].rotation.conjugate() *
                         model_.joint_rotation(joint.segment, wanted.rotation);
        // Only the first joint of a digit takes the place that the hand has: the bones' lengths are
        // the rig's. A joint that the rig splits has no one place.
        if (joint.base && !model_.split(joint.segment))
          local.position = rig_world[parent].inverse() * wanted.position;
        local.rotation.normalize();
        joint.locals.push_back(local);
      }
      rig_world[j] = rig_world[parent] * local;
    }
  }

  void settle_moves() {
    const double allowed = kMoves / model_.meters_per_unit();
    for (FingerJoint& joint : out_.joints) {
      if (joint.locals.empty()) continue;
      if (out_.added) joint.offset = joint.locals[0].position;
      joint.moves = joint.base &&
                    std::any_of(joint.locals.begin(), joint.locals.end(), [&](const Transform& t) {
                      return (t.position - joint.offset).norm() > allowed;
                    });
    }
  }

  const RigSkeleton& rig_;
  const RigHandModel& model_;
  const HandTrack& track_;
  const Hand& hand_;
  std::vector<int> finger_of_;  // index into the joints, of each of the rig's; -1: none
  RigFingers out_;
};

}  // namespace

RigFingers rig_fingers(const RigSkeleton& rig, const RigHandModel& model, const HandTrack& track,
                       const std::function<std::vector<Transform>(int)>& frames) {
  return Maker(rig, model, track).make(frames);
}

std::string fingers_note(const RigSkeleton& rig, const RigHandModel& model,
                         const RigFingers& fingers) {
  const bool moves = std::any_of(fingers.joints.begin(), fingers.joints.end(),
                                 [](const FingerJoint& joint) { return joint.moves; });
  return fmt::format("{} hand: {} finger joints {} below \"{}\"{}", to_string(model.mapped().side),
                     fingers.joints.size(), fingers.added ? "added" : "turned anew",
                     printable(rig.names[fingers.wrist]),
                     moves ? "; their first ones also move, since the wrist gives" : "");
}

}  // namespace prehend::io
