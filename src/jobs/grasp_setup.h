// What a grasp job asks for, as the method takes it.
#pragma once

#include "prehend/jobs/grasp.h"

namespace prehend::jobs {

struct GraspSetup {
  grasp_space::GraspProblem problem;
  grasp_space::GraspOptions options;
  Transform object_world;          // as the scene has it
  std::vector<std::string> notes;  // what was mended or assumed
  std::string mass_from;           // who says what the object weighs
  std::string stands;              // which side of it is up, and who says so
};

// What the job leaves empty, a scene's [options.grasp] says.
Result<GraspSetup> grasp_setup(GraspJob job);

}  // namespace prehend::jobs
