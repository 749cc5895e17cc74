// Beyond the paper: a baseline without any search, as tools of the trade work. In every frame of a
// hold the digits close on the object from the stretched hand, with the wrist where it was
// captured.
#pragma once

#include "methods/contact_sampling/search.h"

namespace prehend::contact_sampling {

// One way through the whole hold. Whether forces at its contacts explain the motion is not asked.
HoldSearch close_on_nearest(const Scene& scene, const HoldPlan& plan);

}  // namespace prehend::contact_sampling
