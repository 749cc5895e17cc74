// Takes the noise of few samples out of a picture, across surfaces and not over their edges.
#pragma once

#include <stop_token>
#include <vector>

#include "picture/tracer.h"

namespace prehend::picture::detail {

// Means over a pixel's samples.
struct PixelRecord {
  Color color = Color::Zero();
  Color albedo = Color::Zero();
  Vec3f normal = Vec3f::Zero();
  Vec3f position = Vec3f::Zero();
  float variance = 0.0f;  // of the color's mean luminance
};

struct Film {
  int width = 0;
  int height = 0;
  std::vector<PixelRecord> pixels;
};

// Filters the colors in place. `pixels_per_meter` says how far off a surface's tangent plane a
// neighbor may lie and still belong to it: about a pixel.
// Ends early, with whatever the colors are then, when `stop` is requested.
void denoise(Film& film, float pixels_per_meter, const std::stop_token& stop);

}  // namespace prehend::picture::detail
