// A hand that grips, lifts and turns a cylinder, by simulation: a clip to try everything else on.
#pragma once

#include "prehend/core/clip.h"
#include "prehend/jobs/job.h"

namespace prehend::jobs {

struct DemoJob {
  double hand_length = 0.19;  // m
  Side side = Side::kRight;
  double mass = 0.2;  // kg, of the cylinder
  Settings settings;
};

struct DemoReport : JobReport {
  Clip clip;
};
Result<DemoReport> run(const DemoJob& job, const Monitor& monitor = {});

}  // namespace prehend::jobs
