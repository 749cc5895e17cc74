// A grasp space as a soft term on a hand's joint coordinates.
#pragma once

#include "prehend/methods/contact_sampling/options.h"
#include "prehend/methods/grasp_space/grasp_space.h"

namespace prehend::jobs {

// The Gaussian over the hand's coordinates with the mean and the covariance of the space's shapes.
contact_sampling::PosePrior pose_prior(const grasp_space::GraspSpace& space, const Hand& hand);

}  // namespace prehend::jobs
