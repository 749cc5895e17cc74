#include "prehend/geometry/surface_points.h"

#include <algorithm>

#include "prehend/core/assert.h"

namespace prehend::geometry {

SurfaceSampler::SurfaceSampler(const TriangleMesh& mesh) : mesh_(mesh) {
  double total = 0.0;
  area_until_.reserve(mesh.faces.size());
  for (const auto& f : mesh.faces) {
    const Vec3& a = mesh.vertices[f[0]];
    total += 0.5 * (mesh.vertices[f[1]] - a).cross(mesh.vertices[f[2]] - a).norm();
    area_until_.push_back(total);
  }
}

SurfacePoint SurfaceSampler::draw(Random& random) const {
  PREHEND_ASSERT(area() > 0.0);
  const auto at =
      std::upper_bound(area_until_.begin(), area_until_.end() - 1, random.uniform() * area());
  const auto& f = mesh_.faces[at - area_until_.begin()];
  double s = random.uniform(), t = random.uniform();
  if (s + t > 1.0) {
    s = 1.0 - s;
    t = 1.0 - t;
  }
  const Vec3& a = mesh_.vertices[f[0]];
  const Vec3 ab = mesh_.vertices[f[1]] - a, ac = mesh_.vertices[f[2]] - a;
  return {a + s * ab + t * ac, ab.cross(ac).normalized()};
}

}  // namespace prehend::geometry
