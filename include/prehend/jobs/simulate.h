// Hands that run fitted controllers, in a simulated world.
#pragma once

#include <optional>

#include "prehend/audit/audit.h"
#include "prehend/jobs/job.h"
#include "prehend/jobs/load.h"
#include "prehend/jobs/margins.h"
#include "prehend/jobs/picture_request.h"
#include "prehend/methods/example_control/run.h"

namespace prehend::jobs {

// What is left empty is the scene's [options.simulate].
struct SimulateJob {
  std::string scene;  // .toml
  // A name or a file, instead of the scene's first; "recorded": what the controller was fitted on.
  std::string object;
  // How the object may be turned to be presented: none, upright or any; empty: the scene's.
  std::string turn;
  // How hand and object come together: example, search or rehearse; empty: the scene's.
  std::string present;
  std::optional<double> mass;
  // A file of a hand (.xml .glb .bvh .csv .tsv) that takes the place of the first; empty: the
  // scene's, or the one that the controller was fitted on.
  std::string hand;
  // How that file and the object's are read: unit, mirror and side. A side alone mirrors the hand
  // and its controller. The mesh that a controller was fitted on is read as `fit` read it, unless
  // a unit is given.
  LoadOptions load;
  std::vector<std::string> controllers;  // files, for the hands in order
  std::optional<example_control::Grip> grip;
  std::optional<double> alpha, timestep;
  std::vector<std::string> without;  // of arm, gravity, limits, passive, active
  std::vector<double> gains;         // k_S, k_D and perhaps k_JL
  std::string compliance;   // a file of joint compliances that the springs of all hands get
  bool tune_gains = false;  // in a drop test: find them
  bool free = false;        // along the example's wrist, touching nothing
  bool heaviest = false;    // also find the heaviest object that each grip holds
  // Also find the least friction, the greatest mass, offset of the wrist and delay at which it
  // still holds, and which digits it could spare (margins.h).
  bool margins = false;
  PictureRequest picture;
  Settings settings;
};

struct SimulateReport : JobReport {
  Clip clip;
  bool held = false;
  std::optional<audit::AuditReport> audit;
  std::optional<Margins> margins;
};
Result<SimulateReport> run(const SimulateJob& job, const Monitor& monitor = {});

}  // namespace prehend::jobs
