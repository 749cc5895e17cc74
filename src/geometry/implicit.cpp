#include "geometry/implicit.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace prehend::geometry {
namespace {

constexpr int kBlock = 8;  // cells skipped together

class SurfaceNets {
 public:
  SurfaceNets(const Implicit& implicit, const Box3& box, double cell)
      : implicit_(implicit), cell_(cell), lower_(box.min()) {
    for (int k = 0; k < 3; ++k) {
      const int blocks = static_cast<int>(std::ceil(box.sizes()[k] / (cell * kBlock))) + 1;
      count_[k] = blocks * kBlock + 1;
    }
    values_.assign(static_cast<size_t>(count_[0]) * count_[1] * count_[2], kFar);
    vertex_.assign(values_.size(), -1);
  }

  TriangleMesh run() {
    sample();
    place_vertices();
    join_cells();
    pull_to_surface();
    return std::move(mesh_);
  }

 private:
  static constexpr float kFar = std::numeric_limits<float>::max();

  size_t index(int x, int y, int z) const {
    return (static_cast<size_t>(z) * count_[1] + y) * count_[0] + x;
  }
  Vec3 node(int x, int y, int z) const { return lower_ + cell_ * Vec3(x, y, z); }

  template <typename Visit>
  void for_each_block(Visit visit) const {
    for (int z = 0; z + 1 < count_[2]; z += kBlock) {
      for (int y = 0; y + 1 < count_[1]; y += kBlock) {
        for (int x = 0; x + 1 < count_[0]; x += kBlock) visit(x, y, z);
      }
    }
  }

  void sample() {
    const double half_diagonal = std::sqrt(3.0) * cell_ * kBlock / 2.0;
    for_each_block([&](int x, int y, int z) {
      const Vec3 center = node(x, y, z) + Vec3::Constant(cell_ * kBlock / 2.0);
      const double middle = implicit_(center);
      const bool near = std::abs(middle) < 1.1 * half_diagonal;
      for (int c = 0; c <= kBlock; ++c) {
        for (int b = 0; b <= kBlock; ++b) {
          for (int a = 0; a <= kBlock; ++a) {
            float& value = values_[index(x + a, y + b, z + c)];
            if (value != kFar) continue;
            if (near) value = static_cast<float>(implicit_(node(x + a, y + b, z + c)));
          }
        }
      }
      if (!near && middle < 0.0) deep_.push_back({x, y, z});
    });
    // Nodes deep inside that no near block touched.
    for (const auto& [x, y, z] : deep_) {
      for (int c = 0; c <= kBlock; ++c) {
        for (int b = 0; b <= kBlock; ++b) {
          for (int a = 0; a <= kBlock; ++a) {
            float& value = values_[index(x + a, y + b, z + c)];
            if (value == kFar) value = -1.0F;
          }
        }
      }
    }
  }

  void place_vertices() {
    for (int z = 0; z + 1 < count_[2]; ++z) {
      for (int y = 0; y + 1 < count_[1]; ++y) {
        for (int x = 0; x + 1 < count_[0]; ++x) place_vertex(x, y, z);
      }
    }
  }

  // At the mean of where the cell's edges cross the surface.
  void place_vertex(int x, int y, int z) {
    float corner[8];
    int inside = 0;
    for (int i = 0; i < 8; ++i) {
      corner[i] = values_[index(x + (i & 1), y + (i >> 1 & 1), z + (i >> 2))];
      inside += corner[i] < 0.0F;
    }
    if (inside == 0 || inside == 8) return;
    Vec3 sum = Vec3::Zero();
    int crossings = 0;
    for (int i = 0; i < 8; ++i) {
      for (int axis = 0; axis < 3; ++axis) {
        const int j = i | 1 << axis;
        if (j == i || (corner[i] < 0.0F) == (corner[j] < 0.0F)) continue;
        Vec3 p(i & 1, i >> 1 & 1, i >> 2);
        p[axis] += corner[i] / (corner[i] - corner[j]);
        sum += p;
        ++crossings;
      }
    }
    vertex_[index(x, y, z)] = static_cast<int>(mesh_.vertices.size());
    mesh_.vertices.push_back(node(x, y, z) + cell_ * sum / crossings);
  }

  // Each grid edge that crosses the surface is shared by four cells: their vertices make two faces.
  void join_cells() {
    for (int z = 1; z + 1 < count_[2]; ++z) {
      for (int y = 1; y + 1 < count_[1]; ++y) {
        for (int x = 1; x + 1 < count_[0]; ++x) {
          const bool here = values_[index(x, y, z)] < 0.0F;
          for (int axis = 0; axis < 3; ++axis) {
            const int step[3] = {axis == 0, axis == 1, axis == 2};
            const bool there = values_[index(x + step[0], y + step[1], z + step[2])] < 0.0F;
            if (here != there) add_quad(x, y, z, axis, here);
          }
        }
      }
    }
  }

  void add_quad(int x, int y, int z, int axis, bool inside_first) {
    const int at[3] = {x, y, z};
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    int quad[4];
    const int shift[4][2] = {{-1, -1}, {0, -1}, {0, 0}, {-1, 0}};
    for (int i = 0; i < 4; ++i) {
      int cell[3] = {at[0], at[1], at[2]};
      cell[u] += shift[i][0];
      cell[v] += shift[i][1];
      quad[i] = vertex_[index(cell[0], cell[1], cell[2])];
    }
    if (!inside_first) std::swap(quad[1], quad[3]);
    const auto gap = [&](int i, int j) {
      return (mesh_.vertices[quad[i]] - mesh_.vertices[quad[j]]).squaredNorm();
    };
    if (gap(0, 2) <= gap(1, 3)) {
      mesh_.faces.push_back({quad[0], quad[1], quad[2]});
      mesh_.faces.push_back({quad[0], quad[2], quad[3]});
    } else {
      mesh_.faces.push_back({quad[1], quad[2], quad[3]});
      mesh_.faces.push_back({quad[1], quad[3], quad[0]});
    }
  }

  void pull_to_surface() {
    const double h = 1e-3 * cell_;
    for (Vec3& vertex : mesh_.vertices) {
      for (int round = 0; round < 4; ++round) {
        const double value = implicit_(vertex);
        if (std::abs(value) < 1e-4 * cell_) break;
        Vec3 slope;
        for (int k = 0; k < 3; ++k) {
          const Vec3 step = h * Vec3::Unit(k);
          slope[k] = (implicit_(vertex + step) - implicit_(vertex - step)) / (2.0 * h);
        }
        // At a crease the slope of a sum of distances vanishes; a step stays within half a cell.
        Vec3 move = -value * slope / std::max(slope.squaredNorm(), 0.25);
        if (move.norm() > 0.5 * cell_) move *= 0.5 * cell_ / move.norm();
        vertex += move;
      }
    }
  }

  const Implicit& implicit_;
  double cell_;
  Vec3 lower_;
  int count_[3] = {};
  std::vector<float> values_;
  std::vector<int> vertex_;
  std::vector<std::array<int, 3>> deep_;
  TriangleMesh mesh_;
};

double segment_distance_squared(const Point2& p, const Point2& a, const Point2& b) {
  const Point2 ab = b - a;
  const double length = ab.squaredNorm();
  const double t = length > 0.0 ? std::clamp((p - a).dot(ab) / length, 0.0, 1.0) : 0.0;
  return (p - a - t * ab).squaredNorm();
}

}  // namespace

TriangleMesh mesh_implicit(const Implicit& implicit, const Box3& box, double cell) {
  return SurfaceNets(implicit, box, cell).run();
}

double smooth_min(double a, double b, double radius) {
  if (radius <= 0.0) return std::min(a, b);
  const double h = std::max(radius - std::abs(a - b), 0.0) / radius;
  return std::min(a, b) - h * h * radius / 4.0;
}

double polygon_distance(const Point2& p, const std::vector<Point2>& polygon) {
  double squared = std::numeric_limits<double>::infinity();
  bool inside = false;
  for (size_t i = 0, j = polygon.size() - 1; i < polygon.size(); j = i++) {
    const Point2 &a = polygon[i], &b = polygon[j];
    squared = std::min(squared, segment_distance_squared(p, a, b));
    if ((a.y() > p.y()) != (b.y() > p.y()) &&
        p.x() < (b.x() - a.x()) * (p.y() - a.y()) / (b.y() - a.y()) + a.x()) {
      inside = !inside;
    }
  }
  return inside ? -std::sqrt(squared) : std::sqrt(squared);
}

double chain_distance(const Point2& p, const std::vector<Point2>& chain) {
  double squared = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i + 1 < chain.size(); ++i) {
    squared = std::min(squared, segment_distance_squared(p, chain[i], chain[i + 1]));
  }
  return std::sqrt(squared);
}

double rounded_box_distance(const Vec3& point, const Vec3& half_extents, double radius) {
  const Vec3 q = point.cwiseAbs() - half_extents + Vec3::Constant(radius);
  return q.cwiseMax(0.0).norm() + std::min(q.maxCoeff(), 0.0) - radius;
}

double tapered_capsule_distance(const Vec3& point, const Vec3& a, const Vec3& b, double radius_a,
                                double radius_b) {
  const Vec3 ab = b - a;
  const double t = std::clamp((point - a).dot(ab) / ab.squaredNorm(), 0.0, 1.0);
  return (point - a - t * ab).norm() - (radius_a + t * (radius_b - radius_a));
}

double band_distance(const Vec3& point, const std::vector<Point2>& chain, double thick, double wide,
                     double radius) {
  const double off = chain_distance({point.x(), point.y()}, chain);
  const Point2 q(off - thick + radius, std::abs(point.z()) - wide + radius);
  return q.cwiseMax(0.0).norm() + std::min(q.maxCoeff(), 0.0) - radius;
}

}  // namespace prehend::geometry
