// Grasps as reports, files, people and pictures see them.
#pragma once

#include <string>

#include "jobs/grasp_setup.h"
#include "prehend/core/clip.h"
#include "prehend/io/value.h"
#include "prehend/picture/picture.h"

namespace prehend::jobs {

// A grasp's qualities, for the report.
io::Value grasp_value(const grasp_space::Grasp& grasp, bool verified);
// How many candidates passed each stage in turn.
io::Value stages_value(const grasp_space::GraspReport& report);
// All grasps with poses, touches and forces, for programs that use them.
// The table under the object, in its frame; nothing in the air.
io::Value table_value(const GraspSetup& setup);
io::Value grasps_value(const GraspSetup& setup, const grasp_space::GraspReport& report);
// A line a grasp.
std::string grasps_text(const GraspSetup& setup, const grasp_space::GraspReport& report);
// The touching hand and the object, with the planned forces, as a clip of one frame.
Clip grasp_still(const GraspSetup& setup, const grasp_space::Grasp& grasp);
// A picture a grasp, with its margins if there are some, at most `most`; empty when it is stopped.
picture::Image grasps_picture(const GraspSetup& setup, const grasp_space::GraspReport& report,
                              const std::vector<Margins>& margins,
                              const picture::PictureOptions& options, int most);

}  // namespace prehend::jobs
