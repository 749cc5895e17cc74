// Grasps that held, looked at again: by a referee, and for their margins.
#pragma once

#include "jobs/grasp_setup.h"
#include "jobs/job_context.h"

namespace prehend::jobs {

// As far as the job asks for it; the report and the result say what came out.
Status look_again(const GraspJob& job, const GraspSetup& setup, JobContext& context,
                  GraspReport& result);

}  // namespace prehend::jobs
