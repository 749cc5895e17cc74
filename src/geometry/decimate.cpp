// Garland and Heckbert, "Surface Simplification Using Quadric Error Metrics", SIGGRAPH 1997.
// Implements: sections 3-5 (quadrics, placement, pair contraction along edges) and the constraint
//             planes of section 6 along boundaries.
// Departs:    only edges contract, under the link condition, so that a manifold stays one; planes
//             are weighted by area, so that the result depends little on how the input was cut.
// Symbols:    Q quadric, x^T A x + 2 b^T x + c the squared distance to its planes.
#include "prehend/geometry/decimate.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <queue>

#include "geometry/topology.h"

namespace prehend::geometry {
namespace {

struct Quadric {
  Mat3 A = Mat3::Zero();
  Vec3 b = Vec3::Zero();
  double c = 0.0;

  void add_plane(const Vec3& unit_normal, const Vec3& point, double weight) {
    const double offset = -unit_normal.dot(point);
    A += weight * unit_normal * unit_normal.transpose();
    b += weight * offset * unit_normal;
    c += weight * offset * offset;
  }
  void add(const Quadric& other) {
    A += other.A;
    b += other.b;
    c += other.c;
  }
  double error(const Vec3& x) const { return x.dot(A * x) + 2.0 * b.dot(x) + c; }
};

struct Candidate {
  double cost = 0.0;
  int a = 0, b = 0;
  std::uint32_t stamp = 0;  // of a plus that of b when the candidate was made
  // The queue's top is the cheapest; vertex numbers break ties, so that the result is one.
  bool operator<(const Candidate& o) const {
    if (cost != o.cost) return cost > o.cost;
    return a != o.a ? a > o.a : b > o.b;
  }
};

class Decimator {
 public:
  explicit Decimator(const TriangleMesh& mesh) : mesh_(mesh) {
    center_ = Vec3::Zero();
    for (const Vec3& v : mesh_.vertices) center_ += v / static_cast<double>(mesh_.vertices.size());
    for (Vec3& v : mesh_.vertices) v -= center_;  // quadrics lose digits far from the origin
    const size_t count = mesh_.vertices.size();
    quadrics_.resize(count);
    faces_of_.resize(count);
    stamp_.assign(count, 0);
    mark_.assign(count, 0);
    alive_.assign(mesh_.faces.size(), 1);
    left_ = static_cast<int>(mesh_.faces.size());
    gather_quadrics();
    fill_queue();
  }

  TriangleMesh run(int target) {
    while (left_ > target && !queue_.empty()) {
      const Candidate top = queue_.top();
      queue_.pop();
      if (stamp_[top.a] == kGone || stamp_[top.b] == kGone) continue;
      if (top.stamp != stamp_[top.a] + stamp_[top.b]) continue;
      const Vec3 place = best_place(top.a, top.b);
      if (may_collapse(top.a, top.b, place)) collapse(top.a, top.b, place);
    }
    return result();
  }

 private:
  static constexpr std::uint32_t kGone = 0xFFFFFFFF;

  void gather_quadrics() {
    for (size_t f = 0; f < mesh_.faces.size(); ++f) {
      const auto& t = mesh_.faces[f];
      const Vec3& a = mesh_.vertices[t[0]];
      const Vec3 normal = (mesh_.vertices[t[1]] - a).cross(mesh_.vertices[t[2]] - a);
      const double area = normal.norm();
      for (const int v : t) {
        faces_of_[v].push_back(static_cast<int>(f));
        if (area > 0.0) quadrics_[v].add_plane(normal / area, a, area);
      }
    }
    for_each_edge(sorted_edge_uses(mesh_), [&](const EdgeUse* first, const EdgeUse* last) {
      if (last - first != 1) return;
      const auto& t = mesh_.faces[first->face];
      const Vec3& a = mesh_.vertices[t[0]];
      const Vec3 normal = (mesh_.vertices[t[1]] - a).cross(mesh_.vertices[t[2]] - a);
      const Vec3 along = mesh_.vertices[first->high] - mesh_.vertices[first->low];
      const Vec3 wall = along.cross(normal);
      if (wall.norm() == 0.0) return;
      for (const int v : {first->low, first->high}) {
        quadrics_[v].add_plane(wall.normalized(), mesh_.vertices[first->low],
                               10.0 * along.squaredNorm());
      }
    });
  }

  void fill_queue() {
    std::vector<Candidate> all;
    for_each_edge(sorted_edge_uses(mesh_), [&](const EdgeUse* first, const EdgeUse*) {
      all.push_back(candidate(first->low, first->high));
    });
    queue_ = std::priority_queue<Candidate>(std::less<Candidate>(), std::move(all));
  }

  Candidate candidate(int a, int b) const {
    if (a > b) std::swap(a, b);
    Quadric sum = quadrics_[a];
    sum.add(quadrics_[b]);
    const double error = std::max(sum.error(best_place(a, b)), 0.0);
    // Where many edges cost nothing (a flat side), short ones go first and shapes stay even.
    const double length = (mesh_.vertices[a] - mesh_.vertices[b]).squaredNorm();
    return {error + 1e-9 * length * length, a, b, stamp_[a] + stamp_[b]};
  }

  Vec3 best_place(int a, int b) const {
    Quadric sum = quadrics_[a];
    sum.add(quadrics_[b]);
    const Vec3 &pa = mesh_.vertices[a], &pb = mesh_.vertices[b];
    const Vec3 middle = 0.5 * (pa + pb);
    // A little pull to the middle keeps the point near the edge where the planes do not fix it.
    const double pull = 1e-7 * sum.A.trace();
    const Mat3 A = sum.A + pull * Mat3::Identity();
    const Vec3 best = A.ldlt().solve(pull * middle - sum.b);
    const double length = (pa - pb).norm();
    if (best.allFinite() && (best - middle).norm() <= 2.0 * length) return best;
    return sum.error(pa) < sum.error(pb) ? pa : pb;
  }

  template <typename Visit>
  void for_each_neighbor(int v, Visit visit) {
    ++round_;
    mark_[v] = round_;
    for (const int f : faces_of_[v]) {
      for (const int other : mesh_.faces[f]) {
        if (mark_[other] == round_) continue;
        mark_[other] = round_;
        visit(other);
      }
    }
  }

  // The link condition: the vertices next to both ends are exactly those opposite the edge, and
  // none of these would be left with two faces.
  bool keeps_manifold(int a, int b) {
    int opposite[2];
    int shared = 0;
    for (const int f : faces_of_[a]) {
      const auto& t = mesh_.faces[f];
      if (t[0] != b && t[1] != b && t[2] != b) continue;
      if (shared == 2) return false;
      opposite[shared++] = t[0] + t[1] + t[2] - a - b;
    }
    if (shared == 0 || (shared == 2 && opposite[0] == opposite[1])) return false;
    for (int i = 0; i < shared; ++i) {
      if (faces_of_[opposite[i]].size() <= 3) return false;
    }
    near_.clear();
    for_each_neighbor(b, [&](int v) { near_.push_back(v); });
    const int mine = round_;
    int common = 0;
    // for_each_neighbor marks as it goes: count before the marks of b are lost.
    seen_.clear();
    for (const int f : faces_of_[a]) {
      for (const int v : mesh_.faces[f]) {
        if (v == a || v == b || mark_[v] != mine) continue;
        if (std::find(seen_.begin(), seen_.end(), v) != seen_.end()) continue;
        seen_.push_back(v);
        ++common;
      }
    }
    return common == shared;
  }

  // No face that stays may turn over or lose its area.
  bool keeps_facing(int moved, int other, const Vec3& place) const {
    for (const int f : faces_of_[moved]) {
      const auto& t = mesh_.faces[f];
      if (t[0] == other || t[1] == other || t[2] == other) continue;
      Vec3 before[3], after[3];
      for (int k = 0; k < 3; ++k) {
        before[k] = mesh_.vertices[t[k]];
        after[k] = t[k] == moved ? place : before[k];
      }
      const Vec3 n0 = (before[1] - before[0]).cross(before[2] - before[0]);
      const Vec3 n1 = (after[1] - after[0]).cross(after[2] - after[0]);
      const double longest =
          std::max({(after[1] - after[0]).squaredNorm(), (after[2] - after[1]).squaredNorm(),
                    (after[0] - after[2]).squaredNorm()});
      if (n1.norm() < 0.02 * longest && n1.norm() < 0.5 * n0.norm()) return false;
      if (n0.dot(n1) < 0.2 * n0.norm() * n1.norm() || n1.norm() < 1e-9 * longest) return false;
    }
    return true;
  }

  bool may_collapse(int a, int b, const Vec3& place) {
    return keeps_manifold(a, b) && keeps_facing(a, b, place) && keeps_facing(b, a, place);
  }

  void collapse(int a, int b, const Vec3& place) {
    mesh_.vertices[a] = place;
    quadrics_[a].add(quadrics_[b]);
    for (const int f : faces_of_[b]) {
      auto& t = mesh_.faces[f];
      if (t[0] == a || t[1] == a || t[2] == a) {
        alive_[f] = 0;
        --left_;
        for (const int v : t) {
          if (v != b) std::erase(faces_of_[v], f);
        }
      } else {
        std::replace(t.begin(), t.end(), b, a);
        faces_of_[a].push_back(f);
      }
    }
    faces_of_[b] = {};
    stamp_[b] = kGone;
    ++stamp_[a];
    near_.clear();
    for_each_neighbor(a, [&](int v) { near_.push_back(v); });
    for (const int v : near_) queue_.push(candidate(a, v));
  }

  TriangleMesh result() const {
    TriangleMesh out;
    std::vector<int> number(mesh_.vertices.size(), -1);
    for (size_t f = 0; f < mesh_.faces.size(); ++f) {
      if (!alive_[f]) continue;
      std::array<int, 3> face{};
      for (int k = 0; k < 3; ++k) {
        int& n = number[mesh_.faces[f][k]];
        if (n < 0) {
          n = static_cast<int>(out.vertices.size());
          out.vertices.push_back(mesh_.vertices[mesh_.faces[f][k]] + center_);
        }
        face[k] = n;
      }
      out.faces.push_back(face);
    }
    return out;
  }

  TriangleMesh mesh_;
  Vec3 center_;
  std::vector<Quadric> quadrics_;
  std::vector<std::vector<int>> faces_of_;
  std::vector<std::uint32_t> stamp_;
  std::vector<int> mark_;
  std::vector<char> alive_;
  std::vector<int> near_, seen_;
  std::priority_queue<Candidate> queue_;
  int left_ = 0;
  int round_ = 0;
};

}  // namespace

TriangleMesh decimate(const TriangleMesh& mesh, int target_faces) {
  if (static_cast<int>(mesh.faces.size()) <= target_faces) return mesh;
  return Decimator(mesh).run(std::max(target_faces, 4));
}

TriangleMesh subdivide(const TriangleMesh& mesh, int rounds) {
  TriangleMesh result = mesh;
  for (int round = 0; round < rounds; ++round) {
    const TriangleMesh coarse = std::move(result);
    result = {};
    result.vertices = coarse.vertices;
    // The midpoint opposite each corner of each face.
    std::vector<std::array<int, 3>> middle(coarse.faces.size());
    for_each_edge(sorted_edge_uses(coarse), [&](const EdgeUse* first, const EdgeUse* last) {
      const int made = static_cast<int>(result.vertices.size());
      result.vertices.emplace_back(0.5 *
                                   (coarse.vertices[first->low] + coarse.vertices[first->high]));
      for (const EdgeUse* use = first; use < last; ++use) {
        for (int k = 0; k < 3; ++k) {
          const int v = coarse.faces[use->face][k];
          if (v != use->low && v != use->high) middle[use->face][k] = made;
        }
      }
    });
    for (size_t f = 0; f < coarse.faces.size(); ++f) {
      const auto& [a, b, c] = coarse.faces[f];
      const auto& [bc, ca, ab] = middle[f];
      result.faces.push_back({a, ab, ca});
      result.faces.push_back({ab, b, bc});
      result.faces.push_back({ca, bc, c});
      result.faces.push_back({ab, bc, ca});
    }
  }
  return result;
}

}  // namespace prehend::geometry
