// Example motions that the program contains: a performer model closes and opens the hand on things
// of many sizes, one kind of grasp of Schlesinger's taxonomy at a time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "prehend/core/clip.h"
#include "prehend/core/result.h"
#include "prehend/core/summary.h"

namespace prehend::grasp_space {

// "cylindrical", "spherical", "palmar", "lateral", "tip", "hook".
const std::vector<std::string>& grasp_types();
// Those, and "general" last: all of them together.
const std::vector<std::string>& model_names();

struct ExampleOptions {
  double frame_rate = 60.0;
  // Repetitions of each size of thing, each with its own tempo and variation of the joints.
  int repetitions = 2;
  std::uint64_t seed = 1;
};

// Clips of a right hand with the thing that it closes on, open - closed - open. `name` is a type or
// "general". A stop leaves clips empty.
Result<std::vector<Clip>> example_motions(const std::string& name,
                                          const ExampleOptions& options = {},
                                          const Monitor& monitor = {});

}  // namespace prehend::grasp_space
