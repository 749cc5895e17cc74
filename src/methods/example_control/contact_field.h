// The distance to an object that presenting it and simulating it both read, so that what one has
// sampled of a mesh the other finds done.
#pragma once

#include <memory>

#include "prehend/geometry/signed_distance.h"

namespace prehend::example_control {

// Of a mesh's samples, m: capsules read it a finger's radius away from the surface, where it is
// smooth, and finer samples take long to fill.
inline constexpr double kFieldSpacing = 0.003;

inline std::shared_ptr<const geometry::SignedDistance> contact_field(
    const std::shared_ptr<const geometry::ExactDistance>& exact, const Shape& shape) {
  if (shape.kind != ShapeKind::kMesh) return exact;
  return geometry::brick_field(exact, shape, {kFieldSpacing});
}

}  // namespace prehend::example_control
