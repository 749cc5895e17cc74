// A simulation as reports, people and pictures see it.
#pragma once

#include <string>
#include <vector>

#include "jobs/moments.h"
#include "jobs/simulate_scene.h"
#include "prehend/io/value.h"

namespace prehend::jobs {

io::Value run_value(const SimulateSetup& setup, const example_control::RunReport& report);
// What happened, and a line a state.
std::string run_text(const SimulateSetup& setup, const example_control::RunReport& report);

// The middle of every state of the first hand, more of the grip; without states, evenly over time.
std::vector<Moment> moments_of(const Clip& clip,
                               const std::vector<example_control::PhaseSpan>& phases);

}  // namespace prehend::jobs
