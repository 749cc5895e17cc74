// Is this clip physically true? Of any clip, whoever made it.
#pragma once

#include <optional>

#include "prehend/audit/audit.h"
#include "prehend/audit/rest.h"
#include "prehend/jobs/job.h"
#include "prehend/jobs/load.h"

namespace prehend::jobs {

struct AuditJob {
  std::vector<std::string> inputs;  // clips that belong together
  LoadOptions load;
  std::optional<double> floor_height;  // m, of a floor that the clip does not hold
  bool find_floor = false;             // at the height at which objects rest without a support
  // Which depth of penetration is judged; left empty: the soft hand's where no forces are recorded,
  // which is how recordings of people come, and the rigid hand's otherwise.
  std::optional<audit::Tissue> tissue;
  bool any_forces = false;                 // could any forces do it, even where some are recorded?
  std::optional<double> contact_distance;  // m; nearer than this touches
  std::optional<double> window;            // s of motion that accelerations are taken from
  Settings settings;                       // outputs: .json .csv .png .glb .html
};

struct AuditJobReport : JobReport {
  audit::AuditReport audit;
  // A support that the objects' rest shows and the clip lacks, and the audit with it.
  std::optional<audit::Support> proposed;
  std::optional<audit::AuditReport> with_proposed;
};
Result<AuditJobReport> run(const AuditJob& job, const Monitor& monitor = {});

}  // namespace prehend::jobs
