// Clips from tables of numbers.
#pragma once

#include <string>

#include "prehend/jobs/load.h"

namespace prehend::jobs {

// "NAME=OBJECT" or "MOTION.bvh=OBJECT" taken apart.
struct ObjectArgument {
  std::string motion;
  std::string object;
  bool from_bvh() const;
  bool sized() const;  // "sphere:0.24" says its size itself
};
Result<ObjectArgument> parse_object_argument(const std::string& text);

// A clip that was written as CSV or, with options.hand, a table whose columns name the joints of
// that hand ("flexion_rad") and objects' poses ("obj_x_m" to "obj_qz"). Shapes of the objects come
// from the options.
Result<Loaded> load_csv(const std::string& path, const LoadOptions& options);

}  // namespace prehend::jobs
