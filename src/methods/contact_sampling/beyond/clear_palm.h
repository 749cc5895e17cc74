// Beyond the paper: captured palms enter objects as they come and go, where no opening of the
// fingers helps.
#pragma once

#include <vector>

#include "methods/contact_sampling/beyond/wrist_give.h"

namespace prehend::contact_sampling {

// Moves the wrist out of what the palm enters in frames outside of all holds, smoothly in time and
// no farther from the captured wrist than the holds around allow. `held` as faded_wrist takes it.
void clear_palm(const Scene& scene, int hand, const std::vector<HeldWrist>& held,
                std::vector<Transform>& wrist_world);

}  // namespace prehend::contact_sampling
