#include "geometry/topology.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "geometry/winding_number.h"

namespace prehend::geometry {

std::vector<EdgeUse> sorted_edge_uses(const TriangleMesh& mesh) {
  std::vector<EdgeUse> uses;
  uses.reserve(3 * mesh.faces.size());
  for (size_t f = 0; f < mesh.faces.size(); ++f) {
    for (int k = 0; k < 3; ++k) {
      const int a = mesh.faces[f][k];
      const int b = mesh.faces[f][(k + 1) % 3];
      if (a == b) continue;
      uses.push_back({std::min(a, b), std::max(a, b), static_cast<int>(f), a < b});
    }
  }
  std::sort(uses.begin(), uses.end(), [](const EdgeUse& a, const EdgeUse& b) {
    return std::tie(a.low, a.high, a.face, a.forward) < std::tie(b.low, b.high, b.face, b.forward);
  });
  return uses;
}

UnionFind::UnionFind(int count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0); }

int UnionFind::root(int i) {
  while (parent_[i] != i) {
    parent_[i] = parent_[parent_[i]];
    i = parent_[i];
  }
  return i;
}

void UnionFind::join(int a, int b) {
  a = root(a);
  b = root(b);
  if (a != b) parent_[std::max(a, b)] = std::min(a, b);
}

std::vector<int> face_parts(const TriangleMesh& mesh, const std::vector<EdgeUse>& uses) {
  const int count = static_cast<int>(mesh.faces.size());
  UnionFind sets(count);
  for_each_edge(uses, [&](const EdgeUse* first, const EdgeUse* last) {
    for (const EdgeUse* use = first + 1; use < last; ++use) sets.join(first->face, use->face);
  });
  std::vector<int> number(count, -1), part(count);
  int next = 0;
  for (int f = 0; f < count; ++f) {
    int& n = number[sets.root(f)];
    if (n < 0) n = next++;
    part[f] = n;
  }
  return part;
}

namespace {

struct Neighbor {
  int face;
  bool agrees;
};

// Faces across edges of exactly two faces, in compressed rows.
struct Neighbors {
  std::vector<int> start;
  std::vector<Neighbor> list;
};

Neighbors manifold_neighbors(const TriangleMesh& mesh, const std::vector<EdgeUse>& uses) {
  Neighbors result;
  result.start.assign(mesh.faces.size() + 1, 0);
  for_each_edge(uses, [&](const EdgeUse* first, const EdgeUse* last) {
    if (last - first != 2) return;
    ++result.start[first[0].face + 1];
    ++result.start[first[1].face + 1];
  });
  std::partial_sum(result.start.begin(), result.start.end(), result.start.begin());
  result.list.resize(result.start.back());
  std::vector<int> at(result.start.begin(), result.start.end() - 1);
  for_each_edge(uses, [&](const EdgeUse* first, const EdgeUse* last) {
    if (last - first != 2) return;
    const bool agrees = first[0].forward != first[1].forward;
    result.list[at[first[0].face]++] = {first[1].face, agrees};
    result.list[at[first[1].face]++] = {first[0].face, agrees};
  });
  return result;
}

// Makes the faces reached from `seed` agree with it, then lets the majority keep its direction.
// Returns the faces reached.
std::vector<int> agree_from(int seed, const Neighbors& neighbors, std::vector<char>& seen,
                            std::vector<char>& flip) {
  std::vector<int> reached{seed};
  seen[seed] = 1;
  size_t flipped = 0;
  for (size_t i = 0; i < reached.size(); ++i) {
    const int f = reached[i];
    for (int k = neighbors.start[f]; k < neighbors.start[f + 1]; ++k) {
      const Neighbor& n = neighbors.list[k];
      if (seen[n.face]) continue;
      seen[n.face] = 1;
      flip[n.face] = n.agrees ? flip[f] : !flip[f];
      flipped += flip[n.face];
      reached.push_back(n.face);
    }
  }
  if (2 * flipped > reached.size()) {
    for (const int f : reached) flip[f] = !flip[f];
  }
  return reached;
}

struct Patch {
  std::vector<int> faces;
  Eigen::AlignedBox3d box;
  double volume = 0.0;
  bool closed = true;
};

Patch measure(const TriangleMesh& mesh, std::vector<int> faces, const std::vector<char>& flip) {
  Patch patch;
  for (const int f : faces) {
    for (const int v : mesh.faces[f]) patch.box.extend(mesh.vertices[v]);
  }
  const Vec3 center = patch.box.center();
  for (const int f : faces) {
    const auto& t = mesh.faces[f];
    const Vec3 a = mesh.vertices[t[0]] - center;
    const double v = a.dot((mesh.vertices[t[1]] - center).cross(mesh.vertices[t[2]] - center));
    patch.volume += flip[f] ? -v : v;
  }
  patch.faces = std::move(faces);
  return patch;
}

// Whether the point lies inside the patch, whichever way the patch faces.
bool encloses(const TriangleMesh& mesh, const Patch& patch, const std::vector<char>& flip,
              const Vec3& point) {
  double turns = 0.0;
  for (const int f : patch.faces) {
    const auto& t = mesh.faces[f];
    const double angle = solid_angle(mesh.vertices[t[0]] - point, mesh.vertices[t[1]] - point,
                                     mesh.vertices[t[2]] - point);
    turns += flip[f] ? -angle : angle;
  }
  return std::abs(turns) > 2.0 * kPi;
}

bool is_cavity(const TriangleMesh& mesh, const std::vector<Patch>& patches, size_t which,
               const std::vector<char>& flip) {
  if (!patches[which].closed) return false;
  const Vec3& point = mesh.vertices[mesh.faces[patches[which].faces[0]][0]];
  for (size_t i = 0; i < patches.size(); ++i) {
    if (i != which && patches[i].box.contains(patches[which].box) &&
        encloses(mesh, patches[i], flip, point)) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::vector<char> faces_to_flip(const TriangleMesh& mesh) {
  const int count = static_cast<int>(mesh.faces.size());
  const std::vector<EdgeUse> uses = sorted_edge_uses(mesh);
  const Neighbors neighbors = manifold_neighbors(mesh, uses);
  std::vector<char> seen(count, 0), flip(count, 0), knotted(count, 0);
  for_each_edge(uses, [&](const EdgeUse* first, const EdgeUse* last) {
    for (const EdgeUse* use = first; last - first > 2 && use < last; ++use) knotted[use->face] = 1;
  });
  std::vector<Patch> patches;
  for (int f = 0; f < count; ++f) {
    if (seen[f]) continue;
    patches.push_back(measure(mesh, agree_from(f, neighbors, seen, flip), flip));
    Patch& patch = patches.back();
    bool in_knot = false;
    for (const int member : patch.faces) {
      patch.closed = patch.closed && neighbors.start[member + 1] - neighbors.start[member] == 3;
      in_knot = in_knot || knotted[member];
    }
    // A shred between edges of many faces has no volume of its own to go by.
    if (in_knot && 2 * patch.faces.size() < mesh.faces.size()) patch.volume = 0.0;
  }
  for (size_t i = 0; i < patches.size(); ++i) {
    // A flat patch has no inside; its volume about its own center is rounding.
    const double noise = 1e-9 * std::pow(patches[i].box.sizes().maxCoeff(), 3);
    if (patches[i].volume >= -noise || is_cavity(mesh, patches, i, flip)) continue;
    for (const int f : patches[i].faces) flip[f] = !flip[f];
  }
  return flip;
}

std::vector<std::vector<int>> boundary_loops(const TriangleMesh& mesh) {
  // Directed against the face on the other side: so runs the face that fills the hole.
  std::vector<std::pair<int, int>> sides;
  for_each_edge(sorted_edge_uses(mesh), [&](const EdgeUse* first, const EdgeUse* last) {
    if (last - first != 1) return;
    sides.emplace_back(first->forward ? first->high : first->low,
                       first->forward ? first->low : first->high);
  });
  std::sort(sides.begin(), sides.end());
  std::vector<char> used(sides.size(), 0);
  const auto next_side = [&](int vertex) {
    auto it = std::lower_bound(sides.begin(), sides.end(), std::make_pair(vertex, -1));
    for (; it != sides.end() && it->first == vertex; ++it) {
      if (!used[it - sides.begin()]) return static_cast<int>(it - sides.begin());
    }
    return -1;
  };
  std::vector<std::vector<int>> loops;
  for (size_t start = 0; start < sides.size(); ++start) {
    std::vector<int> path;
    int side = used[start] ? -1 : static_cast<int>(start);
    while (side >= 0) {
      used[side] = 1;
      const int from = sides[side].first;
      path.push_back(from);
      const int to = sides[side].second;
      // Where holes touch at a vertex the path meets itself: cut the loop out and go on.
      const auto met = std::find(path.begin(), path.end(), to);
      if (met != path.end()) {
        loops.emplace_back(met, path.end());
        path.erase(met, path.end());
      }
      side = next_side(to);
    }
  }
  return loops;
}

double triangle_area(const TriangleMesh& mesh, const std::array<int, 3>& face) {
  const Vec3& a = mesh.vertices[face[0]];
  return 0.5 * (mesh.vertices[face[1]] - a).cross(mesh.vertices[face[2]] - a).norm();
}

bool is_degenerate(const TriangleMesh& mesh, const std::array<int, 3>& face) {
  const auto [i, j, k] = face;
  if (i == j || j == k || k == i) return true;
  const Vec3 &a = mesh.vertices[i], &b = mesh.vertices[j], &c = mesh.vertices[k];
  const double longest =
      std::max({(b - a).squaredNorm(), (c - b).squaredNorm(), (a - c).squaredNorm()});
  return !(triangle_area(mesh, face) > 1e-10 * longest);
}

}  // namespace prehend::geometry
