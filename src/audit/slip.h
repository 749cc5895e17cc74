// How far touching segments slide over objects.
#pragma once

#include <vector>

#include "prehend/core/clip.h"

namespace prehend::audit {

// contacts[f] lists who touches in frame f. A stretch of contact is a run of frames in which a
// segment keeps touching an object; its slip is the net tangential way of the segment's skin over
// the object.
double largest_slip(const Clip& clip, const std::vector<std::vector<Contact>>& contacts);

}  // namespace prehend::audit
