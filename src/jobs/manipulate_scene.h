// A scene with [options.manipulate], as the method takes it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "prehend/io/schema.h"
#include "prehend/methods/manipulation/task.h"

namespace prehend::jobs {

struct ManipulateSetup {
  std::string title;
  manipulation::Problem problem;
  manipulation::Options options;
  std::optional<double> floor_height;
  std::vector<int> grasp_grips;  // of problem.grips, those that came from files
  std::vector<std::string> notes;
};

Result<ManipulateSetup> manipulate_setup(const std::string& scene);

// The keys of [options.manipulate].
const std::vector<io::SchemaKey>& manipulate_keys();

}  // namespace prehend::jobs
