// What a grasp space looks like: its density over the first two components, and the hands there.
#pragma once

#include "prehend/methods/grasp_space/train.h"
#include "prehend/picture/picture.h"

namespace prehend::jobs {

// Log density over the plane of the first two components (what the others add is taken at its
// best), the samples, and the line at which shapes stop being natural.
picture::Image density_picture(const grasp_space::TrainReport& report, int width, int height);

// Hands of the built-in kind from -2 to 2 standard deviations along the first two components; those
// that are not natural are gray. Empty when it is stopped.
picture::Image hands_picture(const grasp_space::GraspSpace& space,
                             const picture::PictureOptions& options);

}  // namespace prehend::jobs
