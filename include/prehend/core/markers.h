// A recording of optical markers: names, and where each was at every frame.
#pragma once

#include <string>
#include <vector>

#include "prehend/core/math.h"

namespace prehend {

struct MarkerRecording {
  double frame_rate = 100.0;  // Hz
  std::vector<std::string> names;
  // By frame, then marker; meters, Y up. Not a number where the cameras lost it.
  std::vector<std::vector<Vec3>> positions_world;

  int frame_count() const { return static_cast<int>(positions_world.size()); }
};

}  // namespace prehend
