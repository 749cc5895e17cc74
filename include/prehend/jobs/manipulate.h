// Hands that make objects do what a scene's goals say.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "prehend/audit/audit.h"
#include "prehend/jobs/job.h"
#include "prehend/jobs/picture_request.h"
#include "prehend/methods/manipulation/proof.h"

namespace prehend::jobs {

// What is left empty is the scene's [options.manipulate].
struct ManipulateJob {
  std::string scene;                  // .toml
  std::optional<double> timestep;     // s
  std::optional<double> attenuation;  // 0 to 1, of what a hand expects, each step
  bool prove = false;                 // replay the motion under simulation
  std::vector<std::string> proven;    // files for the simulated motion; any of them: prove
  PictureRequest picture;
  Settings settings;
};

struct ManipulateReport : JobReport {
  Clip clip;
  manipulation::Report result;
  std::optional<audit::AuditReport> audit;
  std::optional<manipulation::Proof> proof;
};
Result<ManipulateReport> run(const ManipulateJob& job, const Monitor& monitor = {});

}  // namespace prehend::jobs
