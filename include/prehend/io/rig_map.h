// Which joints of a rig are which joints of a hand: guessed from names, shown to the user,
// corrected by a map file. Knows names and a tree, not a file format, so that BVH and glTF share
// it.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "prehend/core/hand.h"
#include "prehend/core/result.h"

namespace prehend::io {

// A rig as the guess sees it. Parents come before children.
struct RigSkeleton {
  std::vector<std::string> names;
  std::vector<int> parents;  // -1 for a root
  // With the rig at rest, in any unit and any frame: only ratios are read.
  std::vector<Vec3> positions;
  // Whether a joint ever turns; empty when unknown. A last joint that never does is a fingertip.
  std::vector<bool> turns;
};

enum class UpAxis { kY, kZ };

// What the user knows better. As a map file (TOML):
//   units = "cm"              # m, dm, cm, mm, inch, or meters in a unit: 0.01
//   up = "z"
//   side = "left"             # of a rig with one hand whose names do not tell
//   mirror = true             # the file is in left-handed coordinates: reflect x
//   [joints]
//   "b_r_index1" = "index-proximal"
//   "Wrist_L" = "left/wrist"  # the side, where the name does not tell
//   "twist" = "none"          # keep the guess away from it
struct RigHints {
  std::string name;  // of the map file, for messages
  std::optional<double> meters_per_unit;
  std::optional<UpAxis> up;
  std::optional<Side> side;
  bool mirror = false;
  // Take a wrist whose rig has no fingers for a hand too: bodies are often recorded so.
  bool bare_wrists = false;
  std::map<std::string, std::string> joints;
};
Result<RigHints> parse_rig_hints(std::string_view text, const std::string& name);
Result<RigHints> read_rig_hints(const std::string& path);
// Meters in a unit: "cm", "inch", ... or nothing.
std::optional<double> unit_by_name(std::string_view name);

// One hand found in a rig. Each OpenXR joint may be made of several rig joints, one below the
// other: rigs split a joint by axis. The last of them carries the bone.
struct RigHand {
  Side side = Side::kRight;
  bool side_from_names = false;
  bool side_given = false;                             // by the map file: nothing may contradict it
  bool may_be_bare = false;                            // fingers may be missing
  std::array<std::vector<int>, kXrJointCount> joints;  // empty: missing
  std::array<bool, kXrJointCount> given{};             // by the map file

  int last(int xr_joint) const { return joints[xr_joint].empty() ? -1 : joints[xr_joint].back(); }
  bool has(int xr_joint) const { return !joints[xr_joint].empty(); }
};

// Every hand of the rig, at most one a side. `context` (a file's name) may tell the side when the
// joints do not. No hand is an error that lists what was found; so is a hint that names a missing
// joint of the rig or of the hand.
Result<std::vector<RigHand>> map_rig(const RigSkeleton& rig, const RigHints& hints,
                                     const std::string& context);

// The mapping as lines of text, one an OpenXR joint, missing ones said.
std::string rig_table(const RigSkeleton& rig, const RigHand& hand);

// What one joint's name says by itself; exposed for tests and for messages.
struct JointName {
  std::optional<Side> side;
  Digit digit = Digit::kNone;
  int phalanx = -1;  // 0 to 3 as in Segment, 4 the tip; -1: the name does not say
  int number = -1;   // the last number in the name
  bool wrist = false;
  bool palm = false;
  bool ignored = false;  // twist, roll, helper and inverse-kinematics joints
};
JointName parse_joint_name(const std::string& name);

}  // namespace prehend::io
