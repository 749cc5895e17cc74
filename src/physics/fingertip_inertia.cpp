#include "prehend/physics/fingertip_inertia.h"

#include <algorithm>

#include "prehend/core/hand_kinematics.h"
#include "prehend/core/hand_pose.h"

namespace prehend::physics {

std::vector<double> fingertip_inertia(const Hand& hand, double mass) {
  const std::vector<Transform> frames = segment_frames(hand, rest_pose(hand));
  std::vector<double> inertia;
  for (int s = 0; s < hand.segment_count(); ++s) {
    const Segment& segment = hand.segments[s];
    double added = 0.0;
    if (segment.digit != Digit::kNone) {
      const FingerPad& pad = hand.pads[static_cast<size_t>(segment.digit)];
      const auto moves = [&](const Segment& other) {
        return other.digit == segment.digit && !other.joints.empty();
      };
      const auto joints = std::count_if(hand.segments.begin(), hand.segments.end(), moves);
      if (pad.segment >= 0) {
        const Vec3 arm = frames[pad.segment] * pad.point - frames[s].position;
        added = static_cast<double>(joints) * mass * arm.squaredNorm();
      }
    }
    inertia.insert(inertia.end(), segment.joints.size(), added);
  }
  return inertia;
}

}  // namespace prehend::physics
