// Example motions that the program contains: a performer model closes and opens the hand on things
// of many sizes, one kind of grasp of Schlesinger's taxonomy at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "prehend/core/clip.h"
#include "prehend/core/result.h"
#include "prehend/core/summary.h"
#include "prehend/hands/closed_hand.h"

namespace prehend::grasp_space {

// The names of the kinds of grasp, and "general" last: all of them together.
const std::vector<std::string>& model_names();
// The kind that a model of this name knows; none for "general", which knows all.
Result<std::optional<hands::GraspKind>> kind_of_model(const std::string& name);

struct ExampleOptions {
  double frame_rate = 60.0;
  // Repetitions of each size of thing, each with its own tempo and variation of the joints.
  int repetitions = 2;
  std::uint64_t seed = 1;
};

// Clips of a right hand with the thing that it closes on, open - closed - open: of one kind of
// grasp, or of all if none is given. A stop leaves clips empty.
std::vector<Clip> example_motions(std::optional<hands::GraspKind> kind = std::nullopt,
                                  const ExampleOptions& options = {}, const Monitor& monitor = {});

}  // namespace prehend::grasp_space
