// Points to ask distances at, the same on every run.
#pragma once

#include <algorithm>
#include <random>
#include <vector>

#include "prehend/core/mesh.h"

namespace prehend::geometry::testing {

inline Vec3 random_direction(std::mt19937& random) {
  std::normal_distribution<double> normal;
  Vec3 v(normal(random), normal(random), normal(random));
  return v.normalized();
}

// Spread evenly over the surface, then moved up to `reach` in any direction.
inline std::vector<Vec3> points_near(const TriangleMesh& mesh, double reach, int count,
                                     unsigned seed = 1) {
  std::vector<double> area_until;
  double total = 0.0;
  for (const auto& f : mesh.faces) {
    const Vec3& a = mesh.vertices[f[0]];
    total += (mesh.vertices[f[1]] - a).cross(mesh.vertices[f[2]] - a).norm();
    area_until.push_back(total);
  }
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  std::vector<Vec3> points;
  for (int i = 0; i < count; ++i) {
    const auto at = std::lower_bound(area_until.begin(), area_until.end(), uniform(random) * total);
    const auto& f = mesh.faces[at - area_until.begin()];
    double s = uniform(random), t = uniform(random);
    if (s + t > 1.0) {
      s = 1.0 - s;
      t = 1.0 - t;
    }
    const Vec3& a = mesh.vertices[f[0]];
    const Vec3 on = a + s * (mesh.vertices[f[1]] - a) + t * (mesh.vertices[f[2]] - a);
    points.push_back(on + reach * std::cbrt(uniform(random)) * random_direction(random));
  }
  return points;
}

inline std::vector<Vec3> points_in_box(double half, int count, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-half, half);
  std::vector<Vec3> points;
  for (int i = 0; i < count; ++i) {
    points.emplace_back(uniform(random), uniform(random), uniform(random));
  }
  return points;
}

}  // namespace prehend::geometry::testing
