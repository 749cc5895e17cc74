// Points spread evenly over a surface.
#pragma once

#include <vector>

#include "prehend/core/mesh.h"
#include "prehend/core/random.h"

namespace prehend::geometry {

struct SurfacePoint {
  Vec3 point = Vec3::Zero();
  Vec3 normal = Vec3::UnitY();  // of the face, outward
};

// Draws faces by area and points evenly within them.
class SurfaceSampler {
 public:
  explicit SurfaceSampler(const TriangleMesh& mesh);
  SurfacePoint draw(Random& random) const;
  double area() const { return area_until_.empty() ? 0.0 : area_until_.back(); }

 private:
  const TriangleMesh& mesh_;
  std::vector<double> area_until_;
};

}  // namespace prehend::geometry
