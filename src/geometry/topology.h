// Who shares which edge, shared by inspection, repair and decimation.
#pragma once

#include <vector>

#include "prehend/core/mesh.h"

namespace prehend::geometry {

// One side of one face. `forward`: the face runs from `low` to `high`.
struct EdgeUse {
  int low = 0;
  int high = 0;
  int face = 0;
  bool forward = true;
};

// All sides of all faces, those of one edge next to each other, in order of their faces.
std::vector<EdgeUse> sorted_edge_uses(const TriangleMesh& mesh);

// Calls visit(first, last) with the uses of each edge.
template <typename Visit>
void for_each_edge(const std::vector<EdgeUse>& uses, Visit visit) {
  for (size_t i = 0; i < uses.size();) {
    size_t j = i + 1;
    while (j < uses.size() && uses[j].low == uses[i].low && uses[j].high == uses[i].high) ++j;
    visit(uses.data() + i, uses.data() + j);
    i = j;
  }
}

class UnionFind {
 public:
  explicit UnionFind(int count);
  int root(int i);
  void join(int a, int b);

 private:
  std::vector<int> parent_;
};

// The part (0, 1, ...) of each face; faces that share an edge are in one part.
std::vector<int> face_parts(const TriangleMesh& mesh, const std::vector<EdgeUse>& uses);

// Which faces to turn so that neighbors agree (by a majority within each part) and parts enclose a
// positive volume. Used alike to count and to repair.
std::vector<char> faces_to_flip(const TriangleMesh& mesh);

// Loops of vertices around the holes, each in the direction in which a face that fills it runs.
std::vector<std::vector<int>> boundary_loops(const TriangleMesh& mesh);

double triangle_area(const TriangleMesh& mesh, const std::array<int, 3>& face);

// Of no area beside the square of its longest side, or naming a vertex twice.
bool is_degenerate(const TriangleMesh& mesh, const std::array<int, 3>& face);

}  // namespace prehend::geometry
