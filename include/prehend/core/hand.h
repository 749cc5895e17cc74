// The hand: a tree of rigid segments with joints, contact shapes, masses and names.
//
// Segments carry OpenXR's joint names ("wrist", "index-proximal", ...). A segment's frame sits at
// the joint that moves it, -Z along the bone towards the fingertip and +Y out of the back of the
// hand, so flexion turns about -X in every segment of either hand.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include "prehend/core/capsule.h"
#include "prehend/core/math.h"

namespace prehend {

enum class Side { kLeft, kRight };
enum class Digit { kThumb, kIndex, kMiddle, kRing, kLittle, kNone };
inline constexpr int kDigitCount = 5;
inline constexpr std::array<Digit, kDigitCount> kDigits = {
    Digit::kThumb, Digit::kIndex, Digit::kMiddle, Digit::kRing, Digit::kLittle};

const char* to_string(Side side);
const char* to_string(Digit digit);

// OpenXR's joints without its palm: the wrist, then the digits from the thumb on, base to tip.
// A joint of this list names the segment that it moves; the five tips end the distal segments.
inline constexpr int kXrJointCount = 25;
const std::array<std::string_view, kXrJointCount>& xr_joint_names();
// Parent in that list; -1 for the wrist.
int xr_joint_parent(int xr_joint);
int xr_tip_of(Digit digit);
// A digit's joint by its phalanx: 0 metacarpal, 1 proximal, 2 intermediate (a thumb has none: the
// distal joint's), 3 distal, 4 tip.
int xr_joint_of(Digit digit, int phalanx);

enum class JointType { kHinge, kBall };

// What moves a segment against its parent, about the segment's origin. A segment without joints is
// welded; one with several hinges turns about the first axis, then about the second as moved by the
// first, and so on: rotation = rest * R(axis_0, q_0) * R(axis_1, q_1) ...
struct Joint {
  std::string name;
  JointType type = JointType::kHinge;
  Vec3 axis = -Vec3::UnitX();  // unit, in the segment's frame; unused by a ball joint
  // Range of the coordinates: of the angle for a hinge (first entry), of each component of the
  // exponential map for a ball.
  Vec3 lower = Vec3::Zero();
  Vec3 upper = Vec3::Zero();
  // What muscles can give, N m; 0 means unknown.
  double max_torque = 0.0;
  double passive_stiffness = 0.0;  // N m / rad
  double damping = 0.0;            // N m s / rad

  int dof() const { return type == JointType::kBall ? 3 : 1; }
};

struct Segment {
  std::string name;
  int parent = -1;        // index into Hand::segments, smaller than its own; -1 for the root
  Transform rest_parent;  // the frame in its parent's, with every joint at zero
  std::vector<Joint> joints;
  std::vector<Capsule> capsules;  // contact shapes, in the segment's frame
  double mass = 0.0;
  Vec3 center_of_mass = Vec3::Zero();
  Mat3 inertia = Mat3::Zero();  // about the center of mass, in the segment's frame
  Digit digit = Digit::kNone;
  // 0 metacarpal, 1 proximal, 2 intermediate, 3 distal (a thumb has no 2); -1 outside the digits.
  int phalanx = -1;

  int dof() const;
};

// Where a digit meets things: the pulp of its last segment.
struct FingerPad {
  int segment = -1;
  Vec3 point = Vec3::Zero();         // on the skin, in the segment's frame
  Vec3 normal = -Vec3::UnitY();      // out of the pulp
  Vec3 nail_normal = Vec3::UnitY();  // out of the nail
  Vec3 tip = Vec3::Zero();           // the far end of the digit, on the skin
};

struct Hand {
  std::string name;
  std::string profile;  // "ball", "anatomical", "arm", or "custom"
  Side side = Side::kRight;
  double length = 0.0;   // wrist crease to middle fingertip
  double breadth = 0.0;  // across the metacarpal heads
  std::vector<Segment> segments;
  std::array<FingerPad, kDigitCount> pads;
  // Segment that carries each OpenXR joint; a tip maps to the distal segment that it ends; -1:
  // absent.
  std::array<int, kXrJointCount> xr_segments;
  // Pairs (smaller index first, sorted) whose capsules overlap by construction and never count as
  // self-penetration; a segment and its parent need not be listed.
  std::vector<std::pair<int, int>> overlapping;

  int segment_count() const { return static_cast<int>(segments.size()); }
  int dof() const;  // of the joints, without the free root
  double mass() const;
  int find(std::string_view segment_name) const;  // -1 if there is none
  int wrist() const { return xr_segments[0]; }
  bool may_overlap(int segment_a, int segment_b) const;
};

using HandPtr = std::shared_ptr<const Hand>;

// The hand without those joints that turn by less than `range`: segments, names and poses are the
// same, coordinates fewer.
Hand without_small_joints(const Hand& hand, double range);

}  // namespace prehend
