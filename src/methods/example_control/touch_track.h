// Beyond the paper: how near each part of a recorded hand is to an object, frame by frame.
#pragma once

#include "prehend/core/clip.h"
#include "prehend/geometry/prepared_object.h"
#include "prehend/methods/example_control/grasp_spans.h"

namespace prehend::example_control {

struct MeasuredTouch {
  TouchTrack track;
  std::vector<double> second_digit;  // gap of the second nearest digit, m
};

// On the hand's own bones, whatever its profile.
MeasuredTouch measure_touch(const HandTrack& hand, const ObjectTrack& object,
                            const geometry::PreparedObject& prepared, double frame_rate,
                            double smoothing_seconds);

}  // namespace prehend::example_control
