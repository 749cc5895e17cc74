// prehend measure --onsets: where contact begins in a file of forces without motion.
#pragma once

#include "jobs/job_context.h"
#include "prehend/jobs/measure.h"

namespace prehend::jobs {

Result<Outcome> measure_onsets(const MeasureJob& job, JobContext& context);

}  // namespace prehend::jobs
