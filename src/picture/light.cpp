#include "picture/light.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace prehend::picture::detail {
namespace {

constexpr float kPiF = 3.14159265f;
const Color kKeyColor(0.92f, 0.86f, 0.78f);
const Color kZenith(0.40f, 0.415f, 0.44f);
const Color kHorizon(0.47f, 0.46f, 0.45f);
const Color kNadir(0.20f, 0.19f, 0.18f);
const Color kRim(0.75f, 0.78f, 0.85f);
const Color kFloorAlbedo(0.55f, 0.54f, 0.52f);
// What reaches a surface seen by a bounced ray besides the key light: about half the open sky.
const Color kBounceAmbient(0.28f, 0.28f, 0.29f);
constexpr int kMaxLayers = 8;
// How much of a mark shows through what hides it.
constexpr float kMarkThrough = 0.5f;
// Cosine of the angle up to which two places of a part within a pixel share their light.
constexpr float kSameNormal = 0.95f;

void tangents(const Vec3f& n, Vec3f& t, Vec3f& b) {
  // Duff et al., "Building an orthonormal basis, revisited", JCGT 2017.
  const float sign = std::copysign(1.0f, n.z());
  const float a = -1.0f / (sign + n.z());
  const float c = n.x() * n.y() * a;
  t = Vec3f(1.0f + sign * n.x() * n.x() * a, sign * c, -sign * n.x());
  b = Vec3f(c, sign + n.y() * n.y() * a, -n.y());
}

Vec3f disc(const Eigen::Vector2f& u) {
  const float r = std::sqrt(u.x()), phi = 2.0f * kPiF * u.y();
  return {r * std::cos(phi), r * std::sin(phi), 0.0f};
}

Vec3f cosine_direction(const Vec3f& n, const Eigen::Vector2f& u) {
  Vec3f t, b;
  tangents(n, t, b);
  const Vec3f d = disc(u);
  return d.x() * t + d.y() * b + std::sqrt(std::max(0.0f, 1.0f - u.x())) * n;
}

float smooth_step(float low, float high, float x) {
  const float t = std::clamp((x - low) / (high - low), 0.0f, 1.0f);
  return t * t * (3.0f - 2.0f * t);
}

float fresnel(float cosine) {
  const float f0 = 0.04f, m = 1.0f - std::clamp(cosine, 0.0f, 1.0f);
  return f0 + (1.0f - f0) * m * m * m * m * m;
}

// Light that enters next to the terminator leaves beyond it, red farther than blue.
Color wrapped_cosine(float cosine, float subsurface) {
  const Color wrap = subsurface * Color(0.45f, 0.18f, 0.12f);
  return ((cosine + wrap) / ((1.0f + wrap) * (1.0f + wrap))).max(0.0f);
}

}  // namespace

Lighting::Lighting(const Tracer& tracer, const Floor& floor, const Vec3f& key_direction,
                   float key_radius, const Vec3f& camera_back)
    : tracer_(tracer), floor_(floor), key_direction_(key_direction), key_radius_(key_radius) {
  tangents(key_direction_, key_tangent_, key_bitangent_);
  // Behind the content, opposite to the key light, so that dark sides keep an outline.
  const Vec3f side = Vec3f::UnitY().cross(camera_back).normalized();
  const float away = key_direction.dot(side) > 0.0f ? -1.0f : 1.0f;
  rim_direction_ = (away * 0.9f * side - 0.45f * camera_back + 0.35f * Vec3f::UnitY()).normalized();
  sky_up_ = sky_irradiance_up();
}

Color Lighting::sky(const Vec3f& direction) const {
  const float up = direction.y();
  const Color base = up > 0.0f ? Color(kHorizon + (kZenith - kHorizon) * up)
                               : Color(kHorizon + (kNadir - kHorizon) * std::min(1.0f, -3.0f * up));
  return base + kRim * smooth_step(0.70f, 0.98f, direction.dot(rim_direction_));
}

Color Lighting::sky_irradiance_up() const {
  constexpr int kSide = 64;
  Color sum = Color::Zero();
  for (int i = 0; i < kSide * kSide; ++i) {
    const Eigen::Vector2f u((i % kSide + 0.5f) / kSide, (i / kSide + 0.5f) / kSide);
    sum += sky(cosine_direction(Vec3f::UnitY(), u));
  }
  return sum / float(kSide * kSide);
}

Vec3f Lighting::key_sample(const Eigen::Vector2f& u) const {
  const Vec3f d = key_radius_ * disc(u);
  return (key_direction_ + d.x() * key_tangent_ + d.y() * key_bitangent_).normalized();
}

float Lighting::floor_distance(const Vec3f& origin, const Vec3f& direction) const {
  if (!floor_.present || direction.y() >= -1e-6f || origin.y() <= floor_.height)
    return std::numeric_limits<float>::infinity();
  return (floor_.height - origin.y()) / direction.y();
}

Color Lighting::gather(const Vec3f& origin, const Vec3f& direction, const Eigen::Vector2f& u,
                       bool& sees_sky) const {
  Hit hit;
  const bool solid = tracer_.intersect(origin, direction, 0.0f, hit);
  const float to_floor = floor_distance(origin, direction);
  sees_sky = false;
  if (solid && hit.distance < to_floor) {
    Color in = kBounceAmbient;
    const Vec3f key = key_sample(u);
    const float cosine = hit.normal.dot(key);
    if (cosine > 0.0f) in += kKeyColor * (cosine * tracer_.transmittance(hit.lifted, key, 0.0f));
    const Color solid_part = hit.material->albedo * in;
    const float opacity = hit.material->opacity;
    return opacity >= 1.0f ? solid_part : Color(opacity * solid_part + (1.0f - opacity) * sky_up_);
  }
  if (to_floor < std::numeric_limits<float>::infinity()) {
    const Vec3f key = key_sample(u);
    Vec3f point = origin + to_floor * direction;
    point.y() = floor_.height + tracer_.epsilon();
    return kFloorAlbedo * (0.8f * sky_up_ + kKeyColor * (std::max(0.0f, key.y()) *
                                                         tracer_.transmittance(point, key, 0.0f)));
  }
  sees_sky = true;
  return sky(direction);
}

Color Lighting::specular(const Hit& hit, const Vec3f& view, const Incoming& in) const {
  const float nv = std::max(1e-3f, hit.normal.dot(view));
  // The disc of the key light widens the lobe about as much as its radius does.
  const float alpha =
      std::min(1.0f, hit.material->roughness * hit.material->roughness + 0.35f * key_radius_);
  Color result = Color::Zero();
  const float nl = hit.normal.dot(in.key_sample);
  if (nl > 0.0f) {
    const Vec3f half = (view + in.key_sample).normalized();
    const float nh = std::max(0.0f, hit.normal.dot(half));
    const float a2 = alpha * alpha, q = nh * nh * (a2 - 1.0f) + 1.0f;
    const float distribution =
        a2 / (q * q);  // over pi, as the key's radiance is its irradiance / pi
    const float k = 0.5f * alpha;
    const float shadowing = 1.0f / (4.0f * (nl * (1.0f - k) + k) * (nv * (1.0f - k) + k));
    result += in.key * (nl * distribution * shadowing * fresnel(half.dot(view)));
  }
  const Vec3f mirror = (2.0f * nv * hit.normal - view).normalized();
  const float gloss = 1.0f - 0.75f * hit.material->roughness;
  return result + sky(mirror) * (fresnel(nv) * gloss * in.sky_share);
}

Color Lighting::shade(const Hit& hit, const Vec3f& direction, const PixelSampler& sampler,
                      std::uint32_t dimension) const {
  const SurfaceMaterial& material = *hit.material;
  Incoming in;
  in.key_sample = key_sample(sampler.pair(dimension));
  in.key = Color::Zero();
  in.diffuse = Color::Zero();
  const float cosine = hit.normal.dot(in.key_sample);
  const Color wrapped = wrapped_cosine(cosine, material.subsurface);
  if (wrapped.maxCoeff() > 0.0f) {
    // Light travels some millimeters through skin: nearer walls do not stop it.
    const float through = material.subsurface * 400.0f * tracer_.epsilon();
    in.key = kKeyColor * tracer_.transmittance(hit.lifted, in.key_sample, through);
    in.diffuse += in.key * wrapped;
  }
  Vec3f normal = hit.normal;
  if (normal.dot(hit.geometric) < 0.05f) normal = hit.geometric;
  bool sees_sky = false;
  const Vec3f sky_sample = cosine_direction(normal, sampler.pair(dimension + 1));
  in.diffuse += gather(hit.lifted, sky_sample, sampler.pair(dimension + 2), sees_sky);
  in.sky_share = sees_sky ? 1.0f : 0.3f;
  return material.albedo * in.diffuse + specular(hit, -direction, in);
}

// The open floor's light is known; only what blocks it is sampled, so an empty floor has no noise.
Color Lighting::floor_color(const Vec3f& point, const Color& background,
                            const PixelSampler& sampler, std::uint32_t dimension) const {
  const Vec3f key = key_sample(sampler.pair(dimension));
  const Color key_open = kKeyColor * std::max(0.0f, key_direction_.y());
  Color lost = key_open * (1.0f - tracer_.transmittance(point, key, 0.0f));
  bool sees_sky = false;
  const Vec3f direction = cosine_direction(Vec3f::UnitY(), sampler.pair(dimension + 1));
  const Color seen = gather(point, direction, sampler.pair(dimension + 2), sees_sky);
  if (!sees_sky) lost += sky(direction) - seen;
  return background * (1.0f - lost / (key_open + sky_up_));
}

// A mark hides what is behind it, and shows half through what is before it.
Shaded Lighting::trace(const Vec3f& origin, const Vec3f& direction, const Color& background,
                       const PixelSampler& sampler, const Shaded* before) const {
  Shaded result = trace_things(origin, direction, background, sampler, before);
  Hit mark;
  if (!tracer_.has_marks() || !tracer_.intersect(origin, direction, 0.0f, mark, Meets::kMarks) ||
      mark.distance > floor_distance(origin, direction))
    return result;
  const float covers = mark.distance <= result.distance ? 1.0f : kMarkThrough;
  const float bright = 0.45f + 0.65f * std::max(0.0f, mark.normal.dot(key_direction_));
  const Color& albedo = mark.material->albedo;
  result.color += covers * (albedo * bright - result.color);
  result.albedo += covers * (albedo - result.albedo);
  result.part = Shaded::kMixed;
  if (covers == 1.0f) {
    result.normal = mark.normal;
    result.position = mark.position;
  }
  return result;
}

Shaded Lighting::trace_things(const Vec3f& origin, const Vec3f& direction, const Color& background,
                              const PixelSampler& sampler, const Shaded* before) const {
  Shaded result;
  float passes = 1.0f, near = 0.0f;
  const float to_floor = floor_distance(origin, direction);
  for (std::uint32_t layer = 0; layer < kMaxLayers; ++layer) {
    const std::uint32_t dimension = 1 + 3 * layer;
    Hit hit;
    if (!tracer_.intersect(origin, direction, near, hit) || hit.distance > to_floor) break;
    if (before && layer == 0 && hit.part == before->part &&
        hit.normal.dot(before->normal) > kSameNormal) {
      result = *before;
      result.distance = hit.distance;
      result.normal = hit.normal;
      result.position = hit.position;
      return result;
    }
    const float grazing = 1.0f - std::abs(hit.normal.dot(direction));
    const float opacity = hit.material->opacity;
    // Thin see-through walls look denser where the line of sight runs along them.
    const float covers = opacity + (1.0f - opacity) * 0.6f * grazing * grazing * grazing;
    result.color += passes * covers * shade(hit, direction, sampler, dimension);
    result.albedo += passes * covers * hit.material->albedo;
    if (layer == 0) {
      result.distance = hit.distance;
      result.normal = hit.normal;
      result.position = hit.position;
    }
    passes *= 1.0f - covers;
    if (passes < 0.01f) {
      if (layer == 0) result.part = hit.part;
      return result;
    }
    near = hit.distance + tracer_.epsilon();
  }
  Color behind = background;
  if (to_floor < std::numeric_limits<float>::infinity()) {
    Vec3f point = origin + to_floor * direction;
    point.y() = floor_.height + tracer_.epsilon();
    const bool bare = passes == 1.0f;
    const bool known = bare && before && before->part == Shaded::kFloor;
    behind = known ? before->color : floor_color(point, background, sampler, 1 + 3 * kMaxLayers);
    if (bare) {
      result.part = Shaded::kFloor;
      result.normal = Vec3f::UnitY();
      result.position = point;
    }
  }
  result.color += passes * behind;
  return result;
}

}  // namespace prehend::picture::detail
