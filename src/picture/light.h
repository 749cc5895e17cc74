// Light: a key light (a distant disc), a sky, one bounce, and how surfaces answer to them.
#pragma once

#include <limits>

#include "picture/sampler.h"
#include "picture/tracer.h"

namespace prehend::picture::detail {

struct Floor {
  bool present = false;
  float height = 0.0f;
};

// What the first surface along a ray looks like, and what tells it from its neighbors.
struct Shaded {
  static constexpr int kMixed = -1;  // see-through layers, or nothing at all
  static constexpr int kFloor = -2;
  int part = kMixed;
  float distance = std::numeric_limits<float>::infinity();  // to the first surface
  Color color = Color::Zero();
  Color albedo = Color::Zero();
  Vec3f normal = Vec3f::Zero();
  Vec3f position = Vec3f::Zero();
};

class Lighting {
 public:
  // `camera_back` points from the content towards the camera: the fill and the rim light stand in
  // relation to it.
  Lighting(const Tracer& tracer, const Floor& floor, const Vec3f& key_direction, float key_radius,
           const Vec3f& camera_back);

  // `background` is what the pixel shows where there is nothing; the floor is the background with
  // the light that it misses taken away. A ray that meets the same surface as `before`, which may
  // be null, takes its light: edges need more rays than light does.
  Shaded trace(const Vec3f& origin, const Vec3f& direction, const Color& background,
               const PixelSampler& sampler, const Shaded* before) const;

 private:
  Shaded trace_things(const Vec3f& origin, const Vec3f& direction, const Color& background,
                      const PixelSampler& sampler, const Shaded* before) const;
  struct Incoming {
    Color diffuse;    // irradiance over pi: times the albedo gives the radiance
    Color key;        // the key light's part, before the cosine
    float sky_share;  // fraction of the sky samples that saw the sky
    Vec3f key_sample;
  };

  Color sky(const Vec3f& direction) const;
  Color sky_irradiance_up() const;
  Color shade(const Hit& hit, const Vec3f& direction, const PixelSampler& sampler,
              std::uint32_t dimension) const;
  Color specular(const Hit& hit, const Vec3f& view, const Incoming& in) const;
  // Radiance that arrives against `direction` from the surroundings.
  Color gather(const Vec3f& origin, const Vec3f& direction, const Eigen::Vector2f& u,
               bool& sees_sky) const;
  Color floor_color(const Vec3f& point, const Color& background, const PixelSampler& sampler,
                    std::uint32_t dimension) const;
  float floor_distance(const Vec3f& origin, const Vec3f& direction) const;
  Vec3f key_sample(const Eigen::Vector2f& u) const;

  const Tracer& tracer_;
  Floor floor_;
  Vec3f key_direction_, key_tangent_, key_bitangent_;
  Vec3f rim_direction_;
  float key_radius_;
  Color sky_up_;  // irradiance over pi of a level surface under the open sky
};

}  // namespace prehend::picture::detail
