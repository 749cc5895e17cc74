// What a hand and an object can be. Beyond these sizes a number in a file is a mistake or an
// attack: sums over it overflow, work that grows with a length never ends, and files written from
// it hold infinities.
#pragma once

#include "prehend/core/hand.h"
#include "prehend/core/object.h"
#include "prehend/core/result.h"

namespace prehend {

// m, of any point of a hand's segment in the segment's frame. A hand drawn in centimeters and read
// as meters has segments of 10 m.
inline constexpr double kLargestSegment = 100.0;
// m, of any point in the world or in an object's frame. Floats, which glTF holds, are 8 mm apart
// there.
inline constexpr double kFarthest = 1e5;
// kg; 0.1 kg to 10 kg are usual. A cube of water of 100 m.
inline constexpr double kHeaviest = 1e9;

// Finite numbers within these sizes. The message names the part: "hand right: index-distal,
// capsule 0: ...".
Status check_sizes(const Hand& hand);
Status check_sizes(const Object& object);

}  // namespace prehend
