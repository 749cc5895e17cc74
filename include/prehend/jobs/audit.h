// Is this clip physically true? Of any clip, whoever made it.
#pragma once

#include <optional>

#include "prehend/audit/audit.h"
#include "prehend/jobs/job.h"
#include "prehend/jobs/load.h"

namespace prehend::jobs {

struct AuditJob {
  std::vector<std::string> inputs;  // clips that belong together
  LoadOptions load;
  std::optional<double> floor_height;      // m, of a floor that the clip does not hold
  bool any_forces = false;                 // could any forces do it, even where some are recorded?
  std::optional<double> contact_distance;  // m; nearer than this touches
  std::optional<double> window;            // s of motion that accelerations are taken from
  Settings settings;                       // outputs: .json .csv .png
};

struct AuditJobReport : JobReport {
  audit::AuditReport audit;
};
Result<AuditJobReport> run(const AuditJob& job, const Monitor& monitor = {});

}  // namespace prehend::jobs
