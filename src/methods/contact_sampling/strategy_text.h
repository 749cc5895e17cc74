// Beyond the paper: what a solution does, for a person who chooses among many.
#pragma once

#include <string>
#include <vector>

#include "prehend/methods/contact_sampling/solution.h"

namespace prehend::contact_sampling {

// "thumb+index+middle; index slides 0.4-0.7 s"
std::string strategy_text(const Solution& solution, double frame_rate);

// Numbers the solutions' clusters: those that use the same digits, and slide, roll and relocate the
// same ones, are one. Most solutions first.
std::vector<StrategyCluster> cluster(std::vector<Solution>& solutions);

}  // namespace prehend::contact_sampling
