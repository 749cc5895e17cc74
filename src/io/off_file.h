// OFF files. Ours, because assimp 5.2 writes past its arrays when fewer faces follow than promised.
#pragma once

#include <string_view>
#include <vector>

#include "prehend/core/mesh.h"
#include "prehend/core/result.h"

namespace prehend::io {

struct PolygonMesh {
  std::vector<Vec3> vertices;
  std::vector<std::vector<int>> polygons;  // corners in range; fewer than 3 enclose nothing
};

// Text of the forms OFF, NOFF, COFF, STOFF and their combinations, of which positions and faces
// are taken. A message names the line.
Result<PolygonMesh> parse_off(std::string_view bytes);

}  // namespace prehend::io
