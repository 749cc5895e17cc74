#include "prehend/geometry/repair.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_map>

#include "geometry/topology.h"
#include "prehend/core/limits.h"

namespace prehend::geometry {

Box3 bounding_box(const TriangleMesh& mesh) {
  Box3 box;
  for (const auto& face : mesh.faces) {
    for (const int v : face) box.extend(mesh.vertices[v]);
  }
  return box;
}

Status validate(const TriangleMesh& mesh) {
  if (mesh.faces.empty()) return Error{"the mesh has no faces"};
  for (size_t i = 0; i < mesh.vertices.size(); ++i) {
    if (!mesh.vertices[i].allFinite()) {
      return Error{fmt::format("vertex {} is not a number; every coordinate must be finite", i)};
    }
    if (mesh.vertices[i].cwiseAbs().maxCoeff() > kFarthest) {
      return Error{
          fmt::format("vertex {} lies more than {:g} m away; lengths are meters", i, kFarthest)};
    }
  }
  const int count = static_cast<int>(mesh.vertices.size());
  for (size_t f = 0; f < mesh.faces.size(); ++f) {
    for (const int v : mesh.faces[f]) {
      if (v < 0 || v >= count) {
        return Error{fmt::format("face {} names vertex {}, but there are {}", f, v, count)};
      }
    }
  }
  return {};
}

namespace {

struct CellKey {
  std::int64_t x, y, z;
  bool operator==(const CellKey&) const = default;
};
struct CellHash {
  size_t operator()(const CellKey& k) const {
    auto h = static_cast<std::uint64_t>(k.x) * 0x9E3779B97F4A7C15ULL;
    h = (h ^ (h >> 29) ^ static_cast<std::uint64_t>(k.y)) * 0xBF58476D1CE4E5B9ULL;
    h = (h ^ (h >> 31) ^ static_cast<std::uint64_t>(k.z)) * 0x94D049BB133111EBULL;
    return h ^ (h >> 30);
  }
};

// For each vertex, the vertex that stands for it: the first equal one.
std::vector<int> equal_vertices(const std::vector<Vec3>& vertices) {
  std::vector<int> order(vertices.size()), stands(vertices.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  const auto less = [&](int a, int b) {
    const Vec3 &p = vertices[a], &q = vertices[b];
    if (p.x() != q.x()) return p.x() < q.x();
    if (p.y() != q.y()) return p.y() < q.y();
    if (p.z() != q.z()) return p.z() < q.z();
    return a < b;
  };
  std::sort(order.begin(), order.end(), less);
  for (size_t i = 0; i < order.size(); ++i) {
    const bool same = i > 0 && vertices[order[i]] == vertices[order[i - 1]];
    stands[order[i]] = same ? stands[order[i - 1]] : order[i];
  }
  return stands;
}

// The same within a tolerance, by a grid whose cells are as wide as it.
std::vector<int> near_vertices(const std::vector<Vec3>& vertices, double tolerance) {
  std::unordered_map<CellKey, std::vector<int>, CellHash> cells;
  std::vector<int> stands(vertices.size());
  for (size_t i = 0; i < vertices.size(); ++i) {
    const Vec3 scaled = vertices[i] / tolerance;
    const CellKey key{std::llround(scaled.x()), std::llround(scaled.y()), std::llround(scaled.z())};
    int found = -1;
    for (int n = 0; n < 27 && found < 0; ++n) {
      const auto it = cells.find({key.x + n % 3 - 1, key.y + n / 3 % 3 - 1, key.z + n / 9 - 1});
      if (it == cells.end()) continue;
      for (const int other : it->second) {
        if ((vertices[other] - vertices[i]).norm() <= tolerance) found = other;
      }
    }
    stands[i] = found < 0 ? static_cast<int>(i) : found;
    if (found < 0) cells[key].push_back(static_cast<int>(i));
  }
  return stands;
}

// Keeps the vertices in use, in the order of the first face that uses them.
TriangleMesh compact(const TriangleMesh& mesh) {
  TriangleMesh result;
  std::vector<int> number(mesh.vertices.size(), -1);
  result.faces.reserve(mesh.faces.size());
  for (const auto& face : mesh.faces) {
    std::array<int, 3> renamed{};
    for (int k = 0; k < 3; ++k) {
      int& n = number[face[k]];
      if (n < 0) {
        n = static_cast<int>(result.vertices.size());
        result.vertices.push_back(mesh.vertices[face[k]]);
      }
      renamed[k] = n;
    }
    result.faces.push_back(renamed);
  }
  return result;
}

// Faces around a vertex that no chain of shared edges joins get a vertex each: two cones that touch
// at their tips are two surfaces. The new vertex moves a hair into its own faces, so that welding
// again does not undo it.
void split_touching_vertices(TriangleMesh& mesh) {
  const std::vector<EdgeUse> uses = sorted_edge_uses(mesh);
  const int corners = static_cast<int>(3 * mesh.faces.size());
  UnionFind fans(corners);
  const auto corner = [&](int face, int vertex) {
    for (int k = 0; k < 3; ++k) {
      if (mesh.faces[face][k] == vertex) return 3 * face + k;
    }
    return 3 * face;
  };
  for_each_edge(uses, [&](const EdgeUse* first, const EdgeUse* last) {
    for (const EdgeUse* use = first + 1; use < last; ++use) {
      fans.join(corner(first->face, first->low), corner(use->face, use->low));
      fans.join(corner(first->face, first->high), corner(use->face, use->high));
    }
  });
  std::vector<int> fan_of_vertex(mesh.vertices.size(), -1), vertex_of_fan(corners, -1);
  for (int c = 0; c < corners; ++c) {
    int& vertex = mesh.faces[c / 3][c % 3];
    const int fan = fans.root(c);
    if (fan_of_vertex[vertex] < 0) {
      fan_of_vertex[vertex] = fan;
      vertex_of_fan[fan] = vertex;
    } else if (vertex_of_fan[fan] < 0) {
      vertex_of_fan[fan] = static_cast<int>(mesh.vertices.size());
      mesh.vertices.push_back(Vec3(mesh.vertices[vertex]));
    }
  }
  const auto first_new = static_cast<int>(fan_of_vertex.size());
  std::vector<Vec3> pull(mesh.vertices.size() - fan_of_vertex.size(), Vec3::Zero());
  std::vector<int> faces(pull.size(), 0);
  for (int c = 0; c < corners; ++c) {
    auto& face = mesh.faces[c / 3];
    face[c % 3] = vertex_of_fan[fans.root(c)];
    if (face[c % 3] < first_new) continue;
    const int copy = face[c % 3] - first_new;
    const Vec3& here = mesh.vertices[face[c % 3]];
    for (const int k : {1, 2}) pull[copy] += mesh.vertices[face[(c % 3 + k) % 3]] - here;
    ++faces[copy];
  }
  for (size_t i = 0; i < pull.size(); ++i) {
    mesh.vertices[first_new + i] += 1e-3 / (2.0 * faces[i]) * pull[i];
  }
}

// Faces at edges that more than two share, or that two share in the same direction: no surface
// passes there, so they go, and the hole that they leave is filled later.
int drop_non_manifold_faces(TriangleMesh& mesh) {
  std::vector<char> drop(mesh.faces.size(), 0);
  for_each_edge(sorted_edge_uses(mesh), [&](const EdgeUse* first, const EdgeUse* last) {
    const bool sound =
        last - first == 1 || (last - first == 2 && first[0].forward != first[1].forward);
    if (sound) return;
    for (const EdgeUse* use = first; use < last; ++use) drop[use->face] = 1;
  });
  const size_t before = mesh.faces.size();
  size_t kept = 0;
  for (size_t f = 0; f < before; ++f) {
    if (!drop[f]) mesh.faces[kept++] = mesh.faces[f];
  }
  mesh.faces.resize(kept);
  return static_cast<int>(before - kept);
}

bool is_closed(const TriangleMesh& mesh) {
  bool closed = !mesh.faces.empty();
  for_each_edge(sorted_edge_uses(mesh), [&](const EdgeUse* first, const EdgeUse* last) {
    closed = closed && last - first == 2 && first[0].forward != first[1].forward;
  });
  return closed;
}

}  // namespace

TriangleMesh weld(const TriangleMesh& mesh, double tolerance) {
  const std::vector<int> stands =
      tolerance > 0.0 ? near_vertices(mesh.vertices, tolerance) : equal_vertices(mesh.vertices);
  TriangleMesh result;
  result.vertices = mesh.vertices;
  result.faces.reserve(mesh.faces.size());
  for (const auto& f : mesh.faces) {
    const std::array<int, 3> face{stands[f[0]], stands[f[1]], stands[f[2]]};
    if (face[0] != face[1] && face[1] != face[2] && face[2] != face[0]) {
      result.faces.push_back(face);
    }
  }
  return compact(result);
}

TriangleMesh without_degenerate_faces(const TriangleMesh& mesh) {
  // Faces on the same three vertices: a turn more one way than the other leaves one face, as many
  // of each leave none (a fin, both of its sides).
  struct Entry {
    std::array<int, 3> sorted;
    int face;
    int direction;
  };
  std::vector<Entry> entries;
  entries.reserve(mesh.faces.size());
  for (size_t f = 0; f < mesh.faces.size(); ++f) {
    if (is_degenerate(mesh, mesh.faces[f])) continue;
    const auto [a, b, c] = mesh.faces[f];
    const bool even = (a < b) + (b < c) + (c < a) == 2;
    std::array<int, 3> sorted = mesh.faces[f];
    std::sort(sorted.begin(), sorted.end());
    entries.push_back({sorted, static_cast<int>(f), even ? 1 : -1});
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& x, const Entry& y) {
    return x.sorted != y.sorted ? x.sorted < y.sorted : x.face < y.face;
  });
  std::vector<char> keep(mesh.faces.size(), 0);
  for (size_t i = 0; i < entries.size();) {
    size_t j = i;
    int net = 0;
    for (; j < entries.size() && entries[j].sorted == entries[i].sorted; ++j) {
      net += entries[j].direction;
    }
    for (size_t k = i; k < j && net != 0; ++k) {
      if ((entries[k].direction > 0) != (net > 0)) continue;
      keep[entries[k].face] = 1;
      break;
    }
    i = j;
  }
  TriangleMesh result;
  result.vertices = mesh.vertices;
  for (size_t f = 0; f < mesh.faces.size(); ++f) {
    if (keep[f]) result.faces.push_back(mesh.faces[f]);
  }
  return compact(result);
}

TriangleMesh orient_outward(const TriangleMesh& mesh) {
  TriangleMesh result = mesh;
  const std::vector<char> flip = faces_to_flip(mesh);
  for (size_t f = 0; f < flip.size(); ++f) {
    if (flip[f]) std::swap(result.faces[f][1], result.faces[f][2]);
  }
  return result;
}

TriangleMesh largest_part(const TriangleMesh& mesh) {
  const std::vector<int> part = face_parts(mesh, sorted_edge_uses(mesh));
  std::vector<int> size;
  for (const int p : part) {
    if (p >= static_cast<int>(size.size())) size.resize(p + 1, 0);
    ++size[p];
  }
  const auto largest = std::max_element(size.begin(), size.end()) - size.begin();
  TriangleMesh result;
  result.vertices = mesh.vertices;
  for (size_t f = 0; f < part.size(); ++f) {
    if (part[f] == largest) result.faces.push_back(mesh.faces[f]);
  }
  return compact(result);
}

Repaired repair(const TriangleMesh& mesh) {
  Repaired result;
  result.mesh = weld(mesh);
  result.welded_vertices = static_cast<int>(mesh.vertices.size() - result.mesh.vertices.size());
  const auto faces_given = static_cast<int>(mesh.faces.size());
  // Slivers without area that sit between two sound faces hold the surface together: a closed mesh
  // keeps them.
  if (!is_closed(result.mesh)) result.mesh = without_degenerate_faces(result.mesh);
  result.dropped_faces = faces_given - static_cast<int>(result.mesh.faces.size());

  const std::vector<char> flips = faces_to_flip(result.mesh);
  result.flipped_faces = static_cast<int>(std::count(flips.begin(), flips.end(), 1));
  result.mesh = orient_outward(result.mesh);
  constexpr int kRounds = 4;
  for (int round = 0; round < kRounds && !is_closed(result.mesh); ++round) {
    result.dropped_faces += drop_non_manifold_faces(result.mesh);
    split_touching_vertices(result.mesh);
    result.filled_holes += static_cast<int>(boundary_loops(result.mesh).size());
    result.mesh = orient_outward(fill_holes(compact(result.mesh)));
  }
  result.closed = is_closed(result.mesh);
  if (result.closed) split_touching_vertices(result.mesh);
  return result;
}

}  // namespace prehend::geometry
