// A hand made from its size, or looked into.
#pragma once

#include <optional>

#include "prehend/core/hand_builder.h"
#include "prehend/jobs/job.h"
#include "prehend/jobs/picture_request.h"

namespace prehend::jobs {

// The posture's name for all of them at once.
inline constexpr const char* kAllPostures = "all";

struct HandJob {
  std::string file;  // .xml .glb; empty: one is built
  std::optional<double> length, breadth;
  std::optional<Side> side;
  std::optional<HandProfile> profile;
  std::string posture = "rest";
  bool capsules = false;  // with all postures: contact shapes instead of skin
  PictureRequest picture;
  Settings settings;
};

struct HandReport : JobReport {
  HandPtr hand;
};
Result<HandReport> run(const HandJob& job, const Monitor& monitor = {});

}  // namespace prehend::jobs
