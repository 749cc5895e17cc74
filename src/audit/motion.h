// What an object's recorded poses say about the forces on it.
#pragma once

#include <vector>

#include "prehend/core/clip.h"

namespace prehend::audit {

// Wrench that everything but gravity must give the object, torque about its center of mass, world
// frame. `half_window` frames on either side of each are fitted with a parabola; near the ends the
// window is shifted inwards, not shortened.
std::vector<Wrench> needed_wrenches(const ObjectTrack& track, double frame_rate, int half_window);

// The mean of recorded wrenches that corresponds to needed_wrenches: a parabola's curvature is a
// weighted mean of the acceleration over its window, and forces are weighted alike.
std::vector<Wrench> smoothed(const std::vector<Wrench>& given, int half_window);

// Frames on either side of the middle one for a window of so many seconds.
int half_window(double seconds, double frame_rate, int frame_count);

}  // namespace prehend::audit
