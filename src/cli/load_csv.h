// Clips from tables of numbers.
#pragma once

#include <string>

#include "prehend/cli/load.h"

namespace prehend::cli {

// "NAME=OBJECT" or "MOTION.bvh=OBJECT" taken apart.
struct ObjectArgument {
  std::string motion;
  std::string object;
  bool from_bvh() const;
};
Result<ObjectArgument> parse_object_argument(const std::string& text);

// A clip that was written as CSV. Shapes of its objects come from the options.
Result<Loaded> load_csv(const std::string& path, const LoadOptions& options);

}  // namespace prehend::cli
