// A fitted controller as reports, people, pictures and players see it.
#pragma once

#include <string>
#include <vector>

#include "prehend/io/value.h"
#include "prehend/methods/example_control/fit.h"
#include "prehend/picture/picture.h"

namespace prehend::jobs {

// Seconds of the recording that were cut off before the example began are added to all times.
io::Value grasps_found_value(const std::vector<example_control::GraspSpan>& grasps,
                             double frame_rate, double start);
std::string grasps_found_text(const std::vector<example_control::GraspSpan>& grasps,
                              double frame_rate, double start);

io::Value fit_value(const example_control::FitResult& fit, double start);
// What was fitted, how well, and a line a state.
std::string fit_text(const example_control::FitResult& fit, double start);

// Flexion of thumb, index and middle finger over time, the example's and the controller's, with the
// states marked.
picture::Image fit_picture(const std::vector<example_control::FitResult>& fits, double start);

// The example's hand and, beside it, the controller's in free motion, each with what was grasped if
// that was an object.
Clip fit_clip(const example_control::FitResult& fit, const Clip& example, int object);

}  // namespace prehend::jobs
