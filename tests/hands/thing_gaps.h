// Gaps between digits and a thing, by points along the capsules' axes: another way than the
// performer's own.
#pragma once

#include <algorithm>
#include <cmath>

#include "prehend/hands/performer.h"

namespace prehend::hands {

// Meters between a capsule and the thing, negative by the overlap; too large by less than a
// hundredth of a millimeter for capsules of a hand.
inline double gap(const Capsule& capsule_wrist, const Thing& thing) {
  constexpr int kPoints = 200;
  const Capsule capsule = thing.place_wrist.inverse() * capsule_wrist;
  double least = INFINITY;
  for (int i = 0; i <= kPoints; ++i) {
    const Vec3 point = capsule.a + (i / double(kPoints)) * (capsule.b - capsule.a);
    least = std::min(least, thing.distance->sample(point).distance - capsule.radius);
  }
  return least;
}

// The least of a digit's phalanges, or of all segments for Digit::kNone.
inline double gap(const Performer& performer, Digit digit, const Eigen::VectorXd& q,
                  const Thing& thing) {
  const Performer::Flesh flesh = performer.flesh(q);
  double least = INFINITY;
  for (size_t s = 0; s < flesh.size(); ++s) {
    const Segment& segment = performer.hand()->segments[s];
    if (digit != Digit::kNone && (segment.digit != digit || segment.phalanx < 1)) continue;
    for (const Capsule& capsule : flesh[s]) least = std::min(least, gap(capsule, thing));
  }
  return least;
}

}  // namespace prehend::hands
