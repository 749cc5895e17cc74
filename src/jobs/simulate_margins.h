// When a simulated grasp would drop.
#pragma once

#include <optional>

#include "jobs/simulate_scene.h"
#include "prehend/jobs/margins.h"

namespace prehend::jobs {

// Whether the staged grasp of `setup` holds under other conditions, by this grip. The controller
// knows friction and mass, as it does in the grasp itself.
Result<bool> holds_under(const SimulateSetup& setup, example_control::Grip grip,
                         const GraspConditions& conditions, const Monitor& monitor);
// The conditions that it was made for.
GraspConditions conditions_of(const SimulateSetup& setup);

Result<Margins> simulate_margins(const SimulateSetup& setup, const Monitor& monitor);
// The heaviest that the same grasp carries by this grip; nothing if not even a gram.
Result<std::optional<double>> heaviest(const SimulateSetup& setup, example_control::Grip grip,
                                       const Monitor& monitor);

}  // namespace prehend::jobs
