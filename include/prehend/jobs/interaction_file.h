// Interaction trajectories as files: JSON, format "prehend interaction", version 1. The compliances
// in it are those of joints by name, so that other programs read them without the rest.
#pragma once

#include <string>

#include "prehend/core/result.h"
#include "prehend/io/value.h"
#include "prehend/methods/interaction/trajectory.h"

namespace prehend::jobs {

// Frames at `rate` (at most the trajectory's own): the reference is smooth, and a replay
// interpolates. Six decimals: a micrometer, a microradian.
io::Value interaction_value(const interaction::InteractionTrajectory& trajectory, double rate);
Status write_interaction(const std::string& path,
                         const interaction::InteractionTrajectory& trajectory, double rate = 100.0);

// `file` stands in messages. A hand that the builder did not make is read from `hand_file`.
Result<interaction::InteractionTrajectory> parse_interaction(const io::Value& value,
                                                             const std::string& file,
                                                             const std::string& hand_file = "");
Result<interaction::InteractionTrajectory> load_interaction(const std::string& path,
                                                            const std::string& hand_file = "");

}  // namespace prehend::jobs
