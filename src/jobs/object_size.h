// How large an object is, for people who may have meant another unit.
#pragma once

#include <string>

#include <fmt/format.h>

#include "prehend/core/object.h"
#include "prehend/geometry/repair.h"

namespace prehend::jobs {

// "8.2 x 11.5 x 7.9 cm"
inline std::string size_text(const Object& object) {
  const Vec3 size = 100.0 * Vec3(geometry::bounding_box(*object.shape.mesh).sizes());
  return fmt::format("{:.3g} x {:.3g} x {:.3g} cm", size.x(), size.y(), size.z());
}

}  // namespace prehend::jobs
