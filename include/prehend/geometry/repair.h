// Makes a sound mesh of a careless one: one vertex a place, no slivers without area, faces that
// agree and look outward, holes filled.
#pragma once

#include <Eigen/Geometry>

#include "prehend/core/mesh.h"
#include "prehend/core/result.h"

namespace prehend::geometry {

using Box3 = Eigen::AlignedBox3d;

Box3 bounding_box(const TriangleMesh& mesh);

// Finite vertices, at least one face, and faces that name vertices that exist.
Status validate(const TriangleMesh& mesh);

// Vertices closer than `tolerance` become one (0: only those that are equal); vertices that no face
// uses go. Faces that then name a vertex twice go too.
TriangleMesh weld(const TriangleMesh& mesh, double tolerance = 0.0);

// Without faces of no area (beside the square of their longest side), faces given twice, and fins
// (two faces back to back).
TriangleMesh without_degenerate_faces(const TriangleMesh& mesh);

// Faces that share an edge agree, and each connected part encloses a positive volume unless it lies
// inside another, where it is a cavity and keeps the orientation it came with.
TriangleMesh orient_outward(const TriangleMesh& mesh);

// Closes every loop of boundary edges with triangles of least area and bend. A loop longer than
// `longest_loop` edges is left open.
TriangleMesh fill_holes(const TriangleMesh& mesh, int longest_loop = 2000);

// The connected part with the most faces: scans carry crumbs.
TriangleMesh largest_part(const TriangleMesh& mesh);

struct Repaired {
  TriangleMesh mesh;
  int welded_vertices = 0;
  int dropped_faces = 0;
  int flipped_faces = 0;
  int filled_holes = 0;
  bool closed = false;  // every edge has two faces that agree
};

// All of the above, in that order. What cannot be closed comes back open, and says so.
Repaired repair(const TriangleMesh& mesh);

}  // namespace prehend::geometry
