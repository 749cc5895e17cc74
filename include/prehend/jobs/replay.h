// An interaction replayed on objects.
#pragma once

#include <optional>

#include "prehend/audit/audit.h"
#include "prehend/jobs/job.h"
#include "prehend/jobs/picture_request.h"
#include "prehend/methods/interaction/replay.h"

namespace prehend::jobs {

// What is left empty is the scene's [options.replay].
struct ReplayJob {
  std::string input;        // a scene (.toml) or an interaction (.json), on what it was made with
  std::string interaction;  // file, instead of the scene's
  std::string hand;         // file of a hand that the builder did not make
  std::string compliance;   // a file of compliances, instead of the interaction's
  std::string object;       // a name or a file, instead of the first that can move
  std::optional<double> scale, mass, friction, timestep;
  std::optional<double> hold;  // s that the last pose is kept, after the motion came to rest
  std::optional<int> edges;
  std::optional<interaction::GripAdjustment> grip;
  bool uncertainty = false;  // also with the compliances at both ends of their bounds
  PictureRequest picture;
  Settings settings;
};

struct ReplayJobReport : JobReport {
  interaction::ReplayReport replay;
  std::optional<audit::AuditReport> audit;
};
Result<ReplayJobReport> run(const ReplayJob& job, const Monitor& monitor = {});

}  // namespace prehend::jobs
