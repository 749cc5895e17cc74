// Barequet and Sharir, "Filling Gaps in the Boundary of a Polyhedron", 1995.
// Implements: the triangulation of least area of a closed loop, by dynamic programming over its
//             intervals, in time cubic in the length of the loop.
// Departs:    triangles without area are paid for dearly, since in a flat hole all cuts have one
//             area; a diagonal that is an edge of the mesh already is never used (it would have a
//             third face); long loops get a fan around their mean instead.
#include <algorithm>
#include <limits>
#include <set>

#include "geometry/topology.h"
#include "prehend/geometry/repair.h"

namespace prehend::geometry {
namespace {

// 400^3 / 6 areas take some tenths of a second.
constexpr int kLongestExact = 400;

class LoopFiller {
 public:
  LoopFiller(const TriangleMesh& mesh, const std::vector<int>& loop,
             const std::set<std::pair<int, int>>& taken)
      : mesh_(mesh), loop_(loop), taken_(taken), n_(static_cast<int>(loop.size())) {
    cost_.assign(static_cast<size_t>(n_) * n_, 0.0);
    apex_.assign(static_cast<size_t>(n_) * n_, -1);
  }

  // Whether a triangulation exists that uses no edge twice too often.
  bool solve() {
    for (int span = 2; span < n_; ++span) {
      for (int i = 0; i + span < n_; ++i) solve_interval(i, i + span);
    }
    return cost(0, n_ - 1) < kNone;
  }

  void collect(int i, int k, std::vector<std::array<int, 3>>& faces) const {
    std::vector<std::pair<int, int>> stack{{i, k}};
    while (!stack.empty()) {
      const auto [a, c] = stack.back();
      stack.pop_back();
      if (c - a < 2) continue;
      const int b = apex_[index(a, c)];
      faces.push_back({loop_[a], loop_[b], loop_[c]});
      stack.emplace_back(a, b);
      stack.emplace_back(b, c);
    }
  }

 private:
  static constexpr double kNone = std::numeric_limits<double>::infinity();

  size_t index(int i, int k) const { return static_cast<size_t>(i) * n_ + k; }
  double cost(int i, int k) const { return cost_[index(i, k)]; }

  double price(const std::array<int, 3>& face) const {
    const Vec3 &a = mesh_.vertices[face[0]], &b = mesh_.vertices[face[1]],
               &c = mesh_.vertices[face[2]];
    const double area = triangle_area(mesh_, face);
    const double longest =
        std::max({(b - a).squaredNorm(), (c - b).squaredNorm(), (a - c).squaredNorm()});
    return area > 1e-5 * longest ? area : area + 10.0 * longest;
  }

  void solve_interval(int i, int k) {
    double best = kNone;
    int apex = -1;
    const bool closing = i == 0 && k == n_ - 1;
    const auto edge = std::minmax(loop_[i], loop_[k]);
    if (closing || !taken_.contains({edge.first, edge.second})) {
      for (int j = i + 1; j < k; ++j) {
        const double below = cost(i, j) + cost(j, k);
        if (below >= best) continue;
        const double total = below + price({loop_[i], loop_[j], loop_[k]});
        if (total < best) {
          best = total;
          apex = j;
        }
      }
    }
    cost_[index(i, k)] = best;
    apex_[index(i, k)] = apex;
  }

  const TriangleMesh& mesh_;
  const std::vector<int>& loop_;
  const std::set<std::pair<int, int>>& taken_;
  int n_;
  std::vector<double> cost_;
  std::vector<int> apex_;
};

void fill_with_fan(TriangleMesh& mesh, const std::vector<int>& loop) {
  Vec3 mean = Vec3::Zero();
  for (const int v : loop) mean += mesh.vertices[v];
  const int apex = static_cast<int>(mesh.vertices.size());
  mesh.vertices.emplace_back(mean / static_cast<double>(loop.size()));
  for (size_t i = 0; i < loop.size(); ++i) {
    mesh.faces.push_back({loop[i], loop[(i + 1) % loop.size()], apex});
  }
}

}  // namespace

TriangleMesh fill_holes(const TriangleMesh& mesh, int longest_loop) {
  TriangleMesh result = mesh;
  const auto loops = boundary_loops(mesh);
  if (loops.empty()) return result;
  // Edges between vertices of loops are the only ones that a diagonal can meet.
  std::vector<char> on_loop(mesh.vertices.size(), 0);
  for (const auto& loop : loops) {
    for (const int v : loop) on_loop[v] = 1;
  }
  std::set<std::pair<int, int>> taken;
  for (const EdgeUse& use : sorted_edge_uses(mesh)) {
    if (on_loop[use.low] && on_loop[use.high]) taken.emplace(use.low, use.high);
  }
  for (const auto& loop : loops) {
    const int length = static_cast<int>(loop.size());
    if (length < 3 || length > longest_loop) continue;
    if (length <= kLongestExact) {
      LoopFiller filler(result, loop, taken);
      if (filler.solve()) {
        std::vector<std::array<int, 3>> faces;
        filler.collect(0, length - 1, faces);
        for (const auto& f : faces) {
          for (int k = 0; k < 3; ++k) {
            const auto edge = std::minmax(f[k], f[(k + 1) % 3]);
            taken.emplace(edge.first, edge.second);
          }
          result.faces.push_back(f);
        }
        continue;
      }
    }
    fill_with_fan(result, loop);
  }
  return result;
}

}  // namespace prehend::geometry
