// From a recorded grasp to a controller that grasps.
#pragma once

#include <optional>

#include "prehend/jobs/job.h"
#include "prehend/jobs/load.h"
#include "prehend/jobs/picture_request.h"
#include "prehend/methods/example_control/fit.h"

namespace prehend::jobs {

struct FitJob {
  std::vector<std::string> inputs;   // recordings of a hand and an object, or of two hands
  std::vector<std::string> library;  // more motion of that hand
  LoadOptions load;
  std::string track;         // the hand, by name or number; empty: the first
  std::string other;         // what it grasps, by name; empty: the first object, or the other hand
  std::string name;          // of the controller; empty: the output's or the clip's
  std::optional<int> grasp;  // which of the grasps in it, from 0; left empty: the first whole one
  double start = 0.0;        // s of the recording
  std::optional<double> end;
  std::optional<double> d1, d2;  // m, both or none; left empty: searched for the best fit
  std::optional<double> stiffness, damping, limit_stiffness;
  bool list = false;            // only say which grasps there are
  std::string examples_folder;  // write the clips that the library brings there, and stop
  PictureRequest picture;
  Settings settings;
};

struct FitReport : JobReport {
  std::vector<example_control::FitResult> fits;
  std::vector<example_control::GraspSpan> grasps;  // of `list`
};
Result<FitReport> run(const FitJob& job, const Monitor& monitor = {});

}  // namespace prehend::jobs
