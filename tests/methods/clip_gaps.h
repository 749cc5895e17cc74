// How far a clip's hand is from its object, for tests of clips that the program makes.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "prehend/core/clip.h"
#include "prehend/geometry/signed_distance.h"

namespace prehend {

// Of every segment of the first hand from the first object; negative inside.
inline std::vector<double> gaps(const Clip& clip, int frame) {
  const Hand& hand = *clip.hands[0].hand;
  const auto frames = segment_frames(hand, clip.hands[0].poses[frame]);
  const auto distance = geometry::exact_distance(clip.objects[0].object->shape);
  const Transform object_from_world = clip.objects[0].poses_world[frame].inverse();
  std::vector<double> least(hand.segments.size(), INFINITY);
  for (std::size_t s = 0; s < least.size(); ++s) {
    for (const Capsule& local : hand.segments[s].capsules) {
      const Capsule capsule = object_from_world * (frames[s] * local);
      for (double along = 0.0; along <= 1.0; along += 0.05) {
        const Vec3 point = capsule.a + along * (capsule.b - capsule.a);
        least[s] = std::min(least[s], distance->sample(point).distance - capsule.radius);
      }
    }
  }
  return least;
}

}  // namespace prehend
