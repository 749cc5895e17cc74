// A mesh with a normal at each vertex, cut open along its sharp edges.
#pragma once

#include <vector>

#include "prehend/core/mesh.h"

namespace prehend::io {

struct ShadedMesh {
  std::vector<Vec3> vertices;
  std::vector<Vec3> normals;              // unit
  std::vector<std::array<int, 3>> faces;  // in the mesh's order
  std::vector<int> source;                // vertex of the mesh that each one came from
};

// Faces that meet at less than `crease_rad` shade smoothly into each other; vertices at the same
// place count as one. Vertices that no face uses are kept, so that the mesh can be had back.
ShadedMesh shaded_mesh(const TriangleMesh& mesh, double crease_rad);

}  // namespace prehend::io
