// The scene as the ray tracer sees it: triangles with normals and linear colors, in floats about
// the scene's center.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <embree3/rtcore.h>

#include "prehend/picture/picture.h"

namespace prehend::picture::detail {

using Color = Eigen::Array3f;
using Vec3f = Eigen::Vector3f;

float linear_from_srgb(float value);
float srgb_from_linear(float value);
Color linear_from_srgb(const Vec3& color_srgb);

struct SurfaceMaterial {
  Color albedo;
  float roughness;
  float opacity;
  float subsurface;
};

// Triangles with a normal at every corner.
struct Part {
  std::vector<Vec3f> vertices;
  std::vector<std::array<std::uint32_t, 3>> faces;
  std::vector<std::array<Vec3f, 3>> normals;
  SurfaceMaterial material;
  bool mark = false;  // arrows and points: seen by the camera only
};

// Corner normals: the mean, weighted by angle, of the faces around the corner's point that meet
// the corner's face at less than `crease`. Points are compared by position, so seams of a mesh
// with doubled vertices stay smooth.
void set_corner_normals(double crease, Part& part);

std::vector<Part> make_parts(const PictureScene& scene, const Vec3& center);

struct Hit {
  float distance = 0.0f;
  Vec3f position;
  Vec3f normal;     // shading normal, turned towards the ray's origin
  Vec3f geometric;  // of the triangle, likewise
  // Where shadow rays start: lifted towards the curved surface that the normals suggest, so that a
  // coarse mesh does not show its facets along the terminator.
  Vec3f lifted;
  const SurfaceMaterial* material = nullptr;
  int part = -1;
};

// What a ray can meet.
enum class Meets { kThings, kMarks };

class Tracer {
 public:
  explicit Tracer(std::vector<Part> parts);
  ~Tracer();
  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;

  bool intersect(const Vec3f& origin, const Vec3f& direction, float near, Hit& hit,
                 Meets meets = Meets::kThings) const;
  bool has_marks() const { return has_marks_; }
  // Fraction of light that passes.
  float transmittance(const Vec3f& origin, const Vec3f& direction, float near) const;
  // The scene's size: distances below a hundred-thousandth of it count as none.
  float epsilon() const { return epsilon_; }

 private:
  void fill_hit(const RTCRayHit& ray, Hit& hit) const;

  std::vector<Part> parts_;
  RTCDevice device_ = nullptr;
  RTCScene scene_ = nullptr;
  bool has_transparent_ = false;
  bool has_marks_ = false;
  float epsilon_ = 1e-6f;
};

}  // namespace prehend::picture::detail
