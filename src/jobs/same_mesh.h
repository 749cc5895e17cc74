// Whether two meshes are one thing, read in different units or mirrored.
#pragma once

#include <optional>

#include "prehend/core/object.h"

namespace prehend::jobs {

struct MeshReading {
  double unit = 1.0;  // what the first mesh's lengths are multiplied by
  bool mirrored = false;
};

// How `mesh` must be read to be `known`; nothing if they are different things.
std::optional<MeshReading> same_mesh(const TriangleMesh& mesh, const TriangleMesh& known);

}  // namespace prehend::jobs
