// Dammertz et al., "Edge-avoiding A-trous wavelet transform for fast global illumination
// filtering", HPG 2010, with the variance-guided luminance weight of Schied et al., "Spatiotemporal
// variance-guided filtering", HPG 2017, and no time.
#include "picture/filter.h"

#include <algorithm>
#include <cmath>

#include <tbb/parallel_for.h>

namespace prehend::picture::detail {
namespace {

constexpr int kPasses = 3;
constexpr float kKernel[3] = {0.375f, 0.25f, 0.0625f};
// Standard deviations of luminance that still count as noise.
constexpr float kLuminanceWidth = 2.5f;

float luminance(const Color& c) { return 0.2126f * c[0] + 0.7152f * c[1] + 0.0722f * c[2]; }

// A few samples estimate their own variance badly; the neighborhood's mean does better.
float smoothed_variance(const Film& film, int x, int y) {
  float sum = 0.0f, weight = 0.0f;
  for (int dy = -1; dy <= 1; ++dy) {
    for (int dx = -1; dx <= 1; ++dx) {
      const int px = x + dx, py = y + dy;
      if (px < 0 || py < 0 || px >= film.width || py >= film.height) continue;
      const float w = (dx == 0 ? 2.0f : 1.0f) * (dy == 0 ? 2.0f : 1.0f);
      sum += w * film.pixels[std::size_t(py) * film.width + px].variance;
      weight += w;
    }
  }
  return sum / weight;
}

// Falls as exp(-x) does, at a fifth of its cost.
float falloff(float x) { return 1.0f / (1.0f + x * (1.0f + x * (0.5f + x * 0.25f))); }

// How far a neighbor is from being the same surface in the same light; 0 when it is.
float difference(const PixelRecord& p, const PixelRecord& q, float pixels_per_meter,
                 float per_luminance) {
  // Off the tangent plane: another surface, however near in the picture.
  const float off = p.normal.dot(p.position - q.position) * pixels_per_meter;
  return 12.0f * (p.normal - q.normal).squaredNorm() +
         200.0f * (p.albedo - q.albedo).square().sum() + off * off +
         per_luminance * std::abs(luminance(p.color) - luminance(q.color));
}

void filter_pixel(const Film& in, int x, int y, int step, float pixels_per_meter, Film& out) {
  const std::size_t here = std::size_t(y) * in.width + x;
  const PixelRecord& p = in.pixels[here];
  out.pixels[here] = p;
  const float variance = smoothed_variance(in, x, y);
  if (variance <= 1e-9f) return;
  const float per_luminance = 1.0f / (kLuminanceWidth * std::sqrt(variance));
  Color sum = Color::Zero();
  float total = 0.0f, total_variance = 0.0f;
  for (int dy = -2; dy <= 2; ++dy) {
    const int py = y + dy * step;
    if (py < 0 || py >= in.height) continue;
    for (int dx = -2; dx <= 2; ++dx) {
      const int px = x + dx * step;
      if (px < 0 || px >= in.width) continue;
      const PixelRecord& q = in.pixels[std::size_t(py) * in.width + px];
      const float w = kKernel[std::abs(dx)] * kKernel[std::abs(dy)] *
                      falloff(difference(p, q, pixels_per_meter, per_luminance));
      sum += w * q.color;
      total += w;
      total_variance += w * w * q.variance;
    }
  }
  out.pixels[here].color = sum / total;
  out.pixels[here].variance = total_variance / (total * total);
}

}  // namespace

void denoise(Film& film, float pixels_per_meter, const std::stop_token& stop) {
  Film other = film;
  for (int pass = 0; pass < kPasses; ++pass) {
    tbb::parallel_for(0, film.height, [&](int y) {
      for (int x = 0; x < film.width && !stop.stop_requested(); ++x)
        filter_pixel(film, x, y, 1 << pass, pixels_per_meter, other);
    });
    film.pixels.swap(other.pixels);
  }
}

}  // namespace prehend::picture::detail
