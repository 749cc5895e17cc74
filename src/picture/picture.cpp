#include "prehend/picture/picture.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include <tbb/blocked_range2d.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "picture/camera.h"
#include "picture/filter.h"
#include "picture/light.h"

namespace prehend::picture {
namespace {

using detail::Color;
using detail::Vec3f;

constexpr int kMaxSize = 8192;  // what the sampler's Morton curve spans
constexpr int kTile = 16;
// From so many samples a pixel on, every second one shares its neighbor's light if it can.
constexpr int kSharedSamples = 8;
// A floor exactly at the content's lowest face would flicker with it.
constexpr double kFloorGap = 5e-4;

struct Box {
  Vec3 low = Vec3::Constant(1e300);
  Vec3 high = Vec3::Constant(-1e300);
  bool empty() const { return low.x() > high.x(); }
  void add(const Vec3& point) {
    low = low.cwiseMin(point);
    high = high.cwiseMax(point);
  }
};

// Lighter in the middle and above, as a lit studio wall.
Color backdrop(const Color& base, float u, float v) {
  const float dx = u - 0.5f, dy = v - 0.42f;
  return base * (1.10f - 0.42f * (dx * dx + dy * dy));
}

// Straight up to 0.7, then bending towards 1, so that colors stay as given and highlights do not
// clip.
float tone(float v) {
  constexpr float kKnee = 0.7f, kRange = 1.0f - kKnee;
  if (v <= kKnee) return std::max(v, 0.0f);
  return kKnee + kRange * (1.0f - std::exp(-(v - kKnee) / kRange));
}

Image to_image(const detail::Film& film) {
  Image image(film.width, film.height);
  for (std::size_t i = 0; i < film.pixels.size(); ++i) {
    for (int c = 0; c < 3; ++c) {
      const float v = detail::srgb_from_linear(tone(film.pixels[i].color[c]));
      image.rgb[3 * i + c] = static_cast<std::uint8_t>(std::clamp(v, 0.0f, 1.0f) * 255.0f + 0.5f);
    }
  }
  return image;
}

// Tents of sample weights make smoother edges than boxes.
float tent(float u) {
  return u < 0.5f ? std::sqrt(2.0f * u) - 1.0f : 1.0f - std::sqrt(2.0f - 2.0f * u);
}

class Renderer {
 public:
  Renderer(const PictureScene& scene, const PictureOptions& options, const Camera& camera,
           const Vec3& center, double floor_height)
      : options_(options),
        samples_(static_cast<int>(std::bit_ceil(unsigned(std::clamp(options.samples, 1, 1024))))),
        frame_(detail::camera_frame(camera)),
        background_(detail::linear_from_srgb(scene.background_srgb)),
        eye_((frame_.eye - center).cast<float>()),
        tracer_(detail::make_parts(scene, center)),
        lighting_(tracer_, {scene.floor, static_cast<float>(floor_height - center.y())},
                  key_direction(), static_cast<float>(options.key_light_radius),
                  frame_.back.cast<float>()) {}

  detail::Film render() const {
    detail::Film film{options_.width, options_.height, {}};
    film.pixels.resize(std::size_t(film.width) * film.height);
    tbb::parallel_for(tbb::blocked_range2d<int>(0, film.height, kTile, 0, film.width, kTile),
                      [&](const tbb::blocked_range2d<int>& tile) {
                        if (options_.stop.stop_requested()) return;
                        for (int y = tile.rows().begin(); y < tile.rows().end(); ++y)
                          for (int x = tile.cols().begin(); x < tile.cols().end(); ++x)
                            film.pixels[std::size_t(y) * film.width + x] = pixel(x, y);
                      });
    return film;
  }

  // Inverse of what a pixel spans on a surface in the middle of the picture.
  float pixels_per_meter(double distance) const {
    const double span = frame_.half_height * (frame_.orthographic ? 1.0 : distance);
    return static_cast<float>(0.5 * options_.height / span);
  }

 private:
  Vec3f key_direction() const {
    if (options_.key_light_world) return options_.key_light_world->normalized().cast<float>();
    const Vec3 level = frame_.right.cross(Vec3::UnitY());  // towards the camera, level
    return (0.55 * level - 0.75 * frame_.right + 1.25 * Vec3::UnitY()).normalized().cast<float>();
  }

  detail::PixelRecord pixel(int x, int y) const {
    detail::PixelRecord record;
    const int per_light = samples_ >= kSharedSamples ? 2 : 1;
    // Light has a sequence of its own: every second point of the other would not be as even.
    detail::PixelSampler sampler(x, y, samples_), light(x, y, samples_ / per_light);
    float sum = 0.0f, squares = 0.0f;
    int lit = 0;
    detail::Shaded shaded;
    for (int s = 0; s < samples_; ++s) {
      sampler.start(s);
      light.start(s / per_light);
      const Eigen::Vector2f u = sampler.pair(0);
      const float px = static_cast<float>(x) + 0.5f + 0.75f * tent(u.x());
      const float py = static_cast<float>(y) + 0.5f + 0.75f * tent(u.y());
      const bool shares = s % per_light != 0;
      shaded = sample(px, py, light, shares ? &shaded : nullptr);
      record.color += shaded.color.min(6.0f);
      record.albedo += shaded.albedo;
      record.normal += shaded.normal;
      record.position += shaded.position;
      if (shares) continue;
      ++lit;
      const float bright = shaded.color.min(6.0f).matrix().dot(Vec3f(0.2126f, 0.7152f, 0.0722f));
      sum += bright;
      squares += bright * bright;
    }
    const float inverse = 1.0f / static_cast<float>(samples_);
    record.color *= inverse;
    record.albedo *= inverse;
    record.normal *= inverse;
    record.position *= inverse;
    const float each = 1.0f / static_cast<float>(lit);
    record.variance = std::max(0.0f, squares * each - sum * sum * each * each) * each;
    return record;
  }

  detail::Shaded sample(float px, float py, const detail::PixelSampler& light,
                        const detail::Shaded* before) const {
    const float w = static_cast<float>(options_.width), h = static_cast<float>(options_.height);
    const float sx = (px - 0.5f * w) / (0.5f * h) * static_cast<float>(frame_.half_height);
    const float sy = (0.5f * h - py) / (0.5f * h) * static_cast<float>(frame_.half_height);
    const Vec3f across = sx * frame_.right.cast<float>() + sy * frame_.up.cast<float>();
    const Vec3f back = frame_.back.cast<float>();
    const Color behind = backdrop(background_, px / w, py / h);
    if (frame_.orthographic) return lighting_.trace(eye_ + across, -back, behind, light, before);
    return lighting_.trace(eye_, (across - back).normalized(), behind, light, before);
  }

  const PictureOptions& options_;
  int samples_;
  detail::CameraFrame frame_;
  Color background_;
  Vec3f eye_;
  detail::Tracer tracer_;
  detail::Lighting lighting_;
};

}  // namespace

Image::Image(int w, int h, const Vec3& color_srgb)
    : width(w), height(h), rgb(3 * std::size_t(w) * std::size_t(h)) {
  for (std::size_t i = 0; i < rgb.size(); ++i)
    rgb[i] = static_cast<std::uint8_t>(std::clamp(color_srgb[i % 3], 0.0, 1.0) * 255.0 + 0.5);
}

Material skin_material() { return {{0.84, 0.63, 0.52}, 0.48, 1.0, 0.6}; }

Material object_material(int index) {
  static const Vec3 kColors[] = {{0.24, 0.47, 0.68}, {0.88, 0.60, 0.20}, {0.35, 0.60, 0.42},
                                 {0.72, 0.33, 0.36}, {0.52, 0.44, 0.68}, {0.30, 0.62, 0.64},
                                 {0.70, 0.62, 0.48}, {0.45, 0.47, 0.50}};
  return {kColors[static_cast<std::size_t>(index) % std::size(kColors)], 0.38};
}

std::vector<Vec3> framing_points(const PictureScene& scene) {
  std::vector<Vec3> points;
  for (const PictureMesh& mesh : scene.meshes) {
    if (!mesh.mesh || mesh.mesh->empty()) continue;
    for (const Vec3& v : mesh.mesh->vertices) points.push_back(mesh.world_from_mesh * v);
  }
  const auto add_ball = [&points](const Vec3& center, double radius) {
    for (int axis = 0; axis < 3; ++axis) {
      points.push_back(center + radius * Vec3::Unit(axis));
      points.push_back(center - radius * Vec3::Unit(axis));
    }
  };
  for (const PictureCapsule& capsule : scene.capsules) {
    add_ball(capsule.a_world, capsule.radius);
    add_ball(capsule.b_world, capsule.radius);
  }
  for (const PictureArrow& arrow : scene.arrows) {
    points.push_back(arrow.tail_world);
    points.push_back(arrow.tail_world + arrow.vector_world);
  }
  std::erase_if(points, [](const Vec3& p) { return !p.allFinite(); });
  return points;
}

Image render(const PictureScene& scene, const PictureOptions& options) {
  PREHEND_ASSERT(options.width > 0 && options.width <= kMaxSize);
  PREHEND_ASSERT(options.height > 0 && options.height <= kMaxSize);
  const std::vector<Vec3> points = framing_points(scene);
  Box box;
  for (const Vec3& point : points) box.add(point);
  if (box.empty()) box.add(Vec3::Zero());
  const Vec3 center = 0.5 * (box.low + box.high);
  const double floor_height =
      scene.floor_height.value_or(box.low.y() - kFloorGap * (box.high - box.low).norm());
  const Camera camera = framed(options.camera, points, double(options.width) / options.height);
  Image image;
  const int cores = tbb::this_task_arena::max_concurrency();
  tbb::task_arena arena(options.threads > 0 ? std::min(options.threads, cores) : cores);
  arena.execute([&] {
    const Renderer renderer(scene, options, camera, center, floor_height);
    detail::Film film = renderer.render();
    if (options.stop.stop_requested()) return;
    if (options.denoise)
      detail::denoise(film, renderer.pixels_per_meter(*camera.distance), options.stop);
    if (!options.stop.stop_requested()) image = to_image(film);
  });
  return image;
}

}  // namespace prehend::picture
