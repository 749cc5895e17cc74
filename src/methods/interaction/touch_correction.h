// Recorded poses moved so that the segments which bear forces touch the object.
#pragma once

#include <span>
#include <vector>

#include "prehend/geometry/prepared_object.h"
#include "prehend/hands/hand_gaps.h"
#include "prehend/methods/interaction/capture.h"

namespace prehend::interaction {

struct TouchCorrection {
  double largest_rad = 0.0, largest_m = 0.0;
};
// Corrects `capture`'s poses in place. `loads` are normal forces in newtons by segment, then frame;
// `poses_world` are the object's. `distance` is how far away a segment may be that is drawn to it.
TouchCorrection correct_touches(Capture& capture, const geometry::PreparedObject& object,
                                std::span<const Transform> poses_world,
                                const std::vector<std::vector<double>>& loads, double distance,
                                double smoothing);

}  // namespace prehend::interaction
