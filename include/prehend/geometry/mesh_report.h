// What is wrong with a mesh, in words a person can act on.
#pragma once

#include <string>
#include <vector>

#include "prehend/core/mesh.h"

namespace prehend::geometry {

struct MeshReport {
  int vertices = 0;
  int faces = 0;
  int degenerate_faces = 0;
  int boundary_edges = 0;      // used by one face: a hole's rim
  int holes = 0;               // closed loops of boundary edges
  int non_manifold_edges = 0;  // used by more than two faces
  int flipped_faces = 0;       // against their neighbors; all, if the mesh is inside out
  int parts = 0;               // connected components
  Vec3 lower = Vec3::Zero();
  Vec3 upper = Vec3::Zero();
  bool closed() const { return boundary_edges == 0 && non_manifold_edges == 0; }
  // One sentence each ("97 m tall; did you mean millimeters?"); empty for a sound mesh.
  std::vector<std::string> warnings;
};

// Vertices at the same place count as one, as files without indices (STL) repeat them.
MeshReport inspect(const TriangleMesh& mesh);

}  // namespace prehend::geometry
