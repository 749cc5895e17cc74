// Contact forces as CSV, one row a sample of a finger:
//   time_s, finger, point_x_m, point_y_m, point_z_m, force_x_N, force_y_N, force_z_N
// `finger` is a digit ("index": its last segment) or a segment's name; the point is in the
// segment's
// frame and may be left out (the pad is taken); the force acts on the finger, in the world's frame.
// A sensor that measures one direction has force_N instead of three, along normal_x, normal_y,
// normal_z in the segment's frame (left out: into the pad).
#pragma once

#include <string>

#include "prehend/core/result.h"
#include "prehend/methods/interaction/capture.h"

namespace prehend::jobs {

// The forces as channels of a capture whose hand and motion are there.
Status read_forces(const std::string& path, interaction::Capture& capture);
Status write_forces(const std::string& path, const interaction::Capture& capture);

}  // namespace prehend::jobs
