// By how much the soft tissue of a hand gives where it is pressed.
#pragma once

#include "prehend/core/clip.h"

namespace prehend::audit {

// m, of one segment pressed from a direction (unit, out of the hand, in the segment's frame):
// palmar tissue gives the most, the back of the hand the least, the sides in between.
double tissue_give(const Segment& segment, const Vec3& out_segment);
// m, of both sides of a contact together: things and floors give nothing.
double tissue_give(const Clip& clip, const ClipMoment& moment, const Contact& contact);

}  // namespace prehend::audit
