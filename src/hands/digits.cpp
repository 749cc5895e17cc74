#include "prehend/hands/digits.h"

#include "prehend/core/assert.h"

namespace prehend::hands {

int segment_of(const Hand& hand, Digit digit, int phalanx) {
  for (int s = 0; s < hand.segment_count(); ++s) {
    const Segment& segment = hand.segments[s];
    if (segment.digit == digit && segment.phalanx == phalanx) return s;
  }
  return -1;
}

std::vector<int> segments_of(const Hand& hand, Digit digit) {
  std::vector<int> found;  // parents come before children in a hand
  for (int s = 0; s < hand.segment_count(); ++s) {
    if (hand.segments[s].digit == digit) found.push_back(s);
  }
  return found;
}

std::optional<SkinPoint> pad_of(const Hand& hand, Digit digit) {
  if (digit == Digit::kNone) return std::nullopt;
  const FingerPad& pad = hand.pads[static_cast<int>(digit)];
  if (pad.segment < 0) return std::nullopt;
  return SkinPoint{pad.segment, pad.point, pad.normal};
}

SkinPoint skin_point(const Hand& hand, int segment, int capsule, double fraction,
                     const Vec3& direction_segment) {
  const Capsule& shape = hand.segments.at(segment).capsules.at(capsule);
  PREHEND_ASSERT(fraction >= 0.0 && fraction <= 1.0);
  const Vec3 line = shape.b - shape.a;
  Vec3 normal = direction_segment;
  const double along = line.dot(direction_segment);
  // Out of an end the half ball is met in every direction, back along the capsule only its side.
  const bool beyond = (fraction == 0.0 && along < 0.0) || (fraction == 1.0 && along > 0.0);
  if (!beyond && line.squaredNorm() > 0.0) normal -= along / line.squaredNorm() * line;
  PREHEND_ASSERT(normal.norm() > 0.0);
  normal.normalize();
  return {segment, shape.a + fraction * line + shape.radius * normal, normal};
}

void placed_capsules(const Hand& hand, std::span<const Transform> frames_world,
                     std::vector<PlacedCapsule>& placed) {
  PREHEND_ASSERT(frames_world.size() == hand.segments.size());
  placed.clear();
  for (int s = 0; s < hand.segment_count(); ++s) {
    for (const Capsule& capsule : hand.segments[s].capsules) {
      placed.push_back({s, frames_world[s] * capsule});
    }
  }
}

}  // namespace prehend::hands
