#include "prehend/core/hand.h"

#include <algorithm>

namespace prehend {

namespace {

constexpr std::array<std::string_view, kXrJointCount> kXrNames = {
    "wrist",
    "thumb-metacarpal",
    "thumb-proximal",
    "thumb-distal",
    "thumb-tip",
    "index-metacarpal",
    "index-proximal",
    "index-intermediate",
    "index-distal",
    "index-tip",
    "middle-metacarpal",
    "middle-proximal",
    "middle-intermediate",
    "middle-distal",
    "middle-tip",
    "ring-metacarpal",
    "ring-proximal",
    "ring-intermediate",
    "ring-distal",
    "ring-tip",
    "little-metacarpal",
    "little-proximal",
    "little-intermediate",
    "little-distal",
    "little-tip",
};

}  // namespace

const char* to_string(Side side) { return side == Side::kLeft ? "left" : "right"; }

const char* to_string(Digit digit) {
  switch (digit) {
    case Digit::kThumb:
      return "thumb";
    case Digit::kIndex:
      return "index";
    case Digit::kMiddle:
      return "middle";
    case Digit::kRing:
      return "ring";
    case Digit::kLittle:
      return "little";
    case Digit::kNone:
      break;
  }
  return "none";
}

const std::array<std::string_view, kXrJointCount>& xr_joint_names() { return kXrNames; }

int xr_joint_parent(int xr_joint) {
  if (xr_joint == 0) return -1;
  const bool first_of_digit = xr_joint == 1 || (xr_joint >= 5 && xr_joint % 5 == 0);
  return first_of_digit ? 0 : xr_joint - 1;
}

int xr_tip_of(Digit digit) { return 4 + 5 * static_cast<int>(digit); }

int xr_joint_of(Digit digit, int phalanx) {
  const int tip = xr_tip_of(digit);
  if (digit != Digit::kThumb) return tip - 4 + phalanx;
  return phalanx <= 1 ? tip - 3 + phalanx : tip - 4 + phalanx;
}

int Segment::dof() const {
  int total = 0;
  for (const Joint& joint : joints) total += joint.dof();
  return total;
}

int Hand::dof() const {
  int total = 0;
  for (const Segment& segment : segments) total += segment.dof();
  return total;
}

double Hand::mass() const {
  double total = 0.0;
  for (const Segment& segment : segments) total += segment.mass;
  return total;
}

int Hand::find(std::string_view segment_name) const {
  const auto found = std::find_if(segments.begin(), segments.end(),
                                  [&](const Segment& s) { return s.name == segment_name; });
  return found == segments.end() ? -1 : static_cast<int>(found - segments.begin());
}

bool Hand::may_overlap(int segment_a, int segment_b) const {
  if (segment_a == segment_b) return true;
  if (segments[segment_a].parent == segment_b || segments[segment_b].parent == segment_a) {
    return true;
  }
  const std::pair<int, int> key = std::minmax(segment_a, segment_b);
  return std::binary_search(overlapping.begin(), overlapping.end(), key);
}

Hand without_small_joints(const Hand& hand, double range) {
  Hand stiff = hand;
  for (Segment& segment : stiff.segments) {
    std::erase_if(segment.joints, [&](const Joint& joint) {
      return joint.type == JointType::kHinge && joint.upper[0] - joint.lower[0] < range;
    });
  }
  return stiff;
}

}  // namespace prehend
