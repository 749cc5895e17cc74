// What --cut keeps of a clip.
#pragma once

#include <string>

#include "prehend/core/clip.h"

namespace prehend::jobs {

// Both included.
struct FrameCut {
  int first = 0, last = 0;
};
// "FROM:TO" in seconds, or in frames as "10f:200f"; either end may be left out.
Result<FrameCut> cut_range(const Clip& clip, const std::string& text);

}  // namespace prehend::jobs
