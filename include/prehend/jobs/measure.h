// From a capture of motion and force, or from the virtual subject, to an interaction.
#pragma once

#include <optional>

#include "prehend/jobs/job.h"
#include "prehend/jobs/load.h"
#include "prehend/jobs/picture_request.h"
#include "prehend/methods/interaction/measure.h"
#include "prehend/methods/interaction/subject.h"

namespace prehend::jobs {

struct MeasureJob {
  std::vector<std::string> inputs;  // motion; a clip that carries forces needs no file of them
  std::string forces;               // CSV: docs/methods/interaction.md has its columns
  // CSV of forces alone: only the onsets of contact are found, and what it lacks for more is said.
  std::string onsets;
  LoadOptions load;
  std::optional<interaction::SubjectTask> subject;  // instead of inputs
  bool noise = false;                               // the subject's instruments have some
  bool braced = false;           // the subject's wrist is held while it is pushed
  bool perturbation = false;     // the fingertip's second-order system instead of compliances
  std::optional<double> window;  // s of that fit; left empty: the paper's, by the task
  interaction::Task task = interaction::Task::kExploring;  // whose compliances are assumed
  bool assumed_only = false;     // measure no compliance: reference trajectory alone
  std::string compliance;        // a file of compliances that are assumed instead of the task's
  bool estimate_forces = false;  // a clip without forces: the least that explain it
  std::optional<double> grip;    // N beyond them that the hand is taken to squeeze with
  std::optional<double> offset;  // s that the forces' clock is late; left empty: found
  std::string capture_folder;    // write the capture there as files
  interaction::MeasureOptions options;
  PictureRequest picture;
  Settings settings;
};

struct MeasureReport : JobReport {
  interaction::Measurement measurement;
};
Result<MeasureReport> run(const MeasureJob& job, const Monitor& monitor = {});

}  // namespace prehend::jobs
