// Moments of a clip side by side in one picture.
#pragma once

#include <string>
#include <vector>

#include "prehend/core/clip.h"
#include "prehend/core/summary.h"
#include "prehend/picture/picture.h"

namespace prehend::jobs {

struct Moment {
  double time;  // s
  std::string label;
};

// Empty when it is stopped.
picture::Image moments_picture(const Clip& clip, const std::vector<Moment>& moments,
                               const picture::PictureOptions& options, const Monitor& monitor);

}  // namespace prehend::jobs
