// A simulation as reports, people and pictures see it.
#pragma once

#include <string>

#include "jobs/simulate_scene.h"
#include "prehend/io/value.h"
#include "prehend/picture/picture.h"

namespace prehend::jobs {

// The one member of a report that a clock measured.
inline constexpr const char* kWallClock = "realtime_factor";

io::Value run_value(const SimulateSetup& setup, const example_control::RunReport& report);
// What happened, and a line a state.
std::string run_text(const SimulateSetup& setup, const example_control::RunReport& report);

struct Moment {
  double time;
  std::string label;
};
// The middle of every state of the first hand, more of the grip; without states, evenly over time.
std::vector<Moment> moments_of(const Clip& clip,
                               const std::vector<example_control::PhaseSpan>& phases);
// Moments of the clip side by side; empty when it is stopped.
picture::Image moments_picture(const Clip& clip, const std::vector<Moment>& moments,
                               const picture::PictureOptions& options, const Monitor& monitor);

}  // namespace prehend::jobs
