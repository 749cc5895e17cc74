// Clips that the program makes itself, by a model of a performer: what a person with markers on the
// hand would have delivered.
#pragma once

#include <cstdint>

#include "prehend/core/clip.h"

namespace prehend::example_control {

struct PerformanceOptions {
  double frame_rate = 60.0;
  double noise = radians(0.1);  // of the tracker, at each joint
  std::uint64_t seed = 1;
};

// A right hand reaches for a standing cylinder of 60 mm, grasps, lifts, sets down, lets go, leaves.
Clip cylinder_grasp(const PerformanceOptions& options = {});
// Every joint to both ends of its range, digit by digit, then all together.
Clip range_of_motion(const PerformanceOptions& options = {});
// Two right hands (tracks "first" and "second") meet, shake three times, part.
Clip handshake(const PerformanceOptions& options = {});

}  // namespace prehend::example_control
