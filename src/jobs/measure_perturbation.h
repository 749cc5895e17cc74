// prehend measure --perturbation: a fingertip's mass, damping and stiffness (the paper's table 2).
#pragma once

#include "jobs/job_context.h"
#include "prehend/jobs/measure.h"
#include "prehend/methods/interaction/perturbation.h"

namespace prehend::jobs {

// Fits, prints, reports and writes the outputs: .png is figure 7 with the fit, .json the numbers.
Result<Outcome> measure_perturbation(const MeasureJob& job, const interaction::Capture& capture,
                                     const interaction::HandCompliance& compliance,
                                     JobContext& context);

}  // namespace prehend::jobs
