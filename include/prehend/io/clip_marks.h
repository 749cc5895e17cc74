// Stretches of a clip that someone should look at: a page shows them under its time line, and a GLB
// carries them in the extras of its animation. They are not part of the clip: reading it again
// leaves them out.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "prehend/core/math.h"

namespace prehend::io {

struct ClipMark {
  std::string kind;                 // one row of the page's strip each
  int first = 0;                    // frame
  int last = 0;                     // frame, included
  int worst = 0;                    // frame that a click jumps to
  std::string text;                 // one line for people
  std::optional<Vec3> point_world;  // where to look in the worst frame
};
using ClipMarks = std::vector<ClipMark>;

}  // namespace prehend::io
