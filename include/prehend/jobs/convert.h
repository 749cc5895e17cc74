// Clips from any form to any other; several inputs become one clip.
#pragma once

#include <optional>

#include "prehend/jobs/job.h"
#include "prehend/jobs/load.h"

namespace prehend::jobs {

struct ConvertJob {
  std::vector<std::string> inputs;
  LoadOptions load;
  std::string cut;             // "FROM:TO" in seconds, or in frames as "10f:200f"; empty: all
  std::optional<double> rate;  // Hz; left empty: the input's
  // The hand that all hands become: a file (.xml .glb .bvh) or a built-in profile. Digits that
  // touch an object touch the same places of it. Empty: each its own.
  std::string onto;
  bool capsules = false;  // hands as contact shapes instead of skin
  Settings settings;
};

struct ConvertReport : JobReport {
  Clip clip;
};
Result<ConvertReport> run(const ConvertJob& job, const Monitor& monitor = {});

}  // namespace prehend::jobs
