// Fewer faces of nearly the same shape, or more of exactly the same.
#pragma once

#include "prehend/core/mesh.h"

namespace prehend::geometry {

// Collapses edges, the least visible first, until at most `target_faces` are left or no edge can go
// without tearing or folding the surface. A closed manifold stays one; rims of holes keep their
// shape.
TriangleMesh decimate(const TriangleMesh& mesh, int target_faces);

// Each face becomes four, `rounds` times; the shape stays.
TriangleMesh subdivide(const TriangleMesh& mesh, int rounds = 1);

}  // namespace prehend::geometry
