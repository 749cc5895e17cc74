// Which segment is which part of which digit, points of the skin, and capsules where a pose puts
// them.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "prehend/core/hand.h"

namespace prehend::hands {

// The segment of a digit by Segment::phalanx (0 metacarpal ... 3 distal); -1 if the hand has none.
int segment_of(const Hand& hand, Digit digit, int phalanx);
// All segments of a digit, base to tip.
std::vector<int> segments_of(const Hand& hand, Digit digit);

// A point of the hand's skin, which moves with a segment.
struct SkinPoint {
  int segment = -1;
  Vec3 point_segment = Vec3::Zero();
  Vec3 normal_segment = -Vec3::UnitY();  // unit, out of the skin
};

// The pulp of a fingertip; nothing if the hand lacks the digit.
std::optional<SkinPoint> pad_of(const Hand& hand, Digit digit);

// The point of a segment's capsule at `fraction` of the way from its end a to its end b, on the
// side of `direction_segment`. At an end the skin is a half ball and follows the direction; between
// the ends the part of the direction along the axis does not count.
SkinPoint skin_point(const Hand& hand, int segment, int capsule, double fraction,
                     const Vec3& direction_segment);

// A capsule of a segment where a pose puts it.
struct PlacedCapsule {
  int segment = -1;
  Capsule capsule_world;
};
// Segment by segment, in the order in which the segments list them. `frames_world` has one frame a
// segment. Replaces what `placed` held; allocates only if it had less room.
void placed_capsules(const Hand& hand, std::span<const Transform> frames_world,
                     std::vector<PlacedCapsule>& placed);

}  // namespace prehend::hands
