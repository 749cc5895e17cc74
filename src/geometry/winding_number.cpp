#include "geometry/winding_number.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace prehend::geometry {
namespace {

constexpr int kLeafSize = 8;
// A cluster counts as one dipole beyond this many of its radii.
constexpr double kFar = 2.0;

// atan2(y, x), by series where the angle is small, which is almost everywhere.
inline double angle_of(double y, double x) {
  if (x > 0.0 && std::abs(y) < 0.12 * x) {
    const double t = y / x;
    const double s = t * t;
    return t * (1.0 - s * (1.0 / 3.0 - s * (1.0 / 5.0 - s * (1.0 / 7.0 - s / 9.0))));
  }
  return std::atan2(y, x);
}

}  // namespace

// Van Oosterom and Strackee: tan(angle / 2) = [a b c] / (|a||b||c| + (a.b)|c| + (b.c)|a| +
// (c.a)|b|)
double solid_angle(const Vec3& a, const Vec3& b, const Vec3& c) {
  const double la = a.norm(), lb = b.norm(), lc = c.norm();
  const double volume = a.dot(b.cross(c));
  const double base = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
  // On a corner, or in the plane of the triangle: no side to choose.
  if (volume == 0.0) return 0.0;
  return 2.0 * angle_of(volume, base);
}

WindingNumber::WindingNumber(const TriangleMesh& mesh) {
  const auto count = static_cast<std::int32_t>(mesh.faces.size());
  std::vector<Vec3> centers;
  centers.reserve(count);
  for (const auto& f : mesh.faces) {
    centers.push_back((mesh.vertices[f[0]] + mesh.vertices[f[1]] + mesh.vertices[f[2]]) / 3.0);
  }
  std::vector<std::int32_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  corners_.reserve(count);
  nodes_.reserve(count / 2 + 1);
  nodes_.emplace_back();
  build(0, order, 0, count, mesh, centers);
}

WindingNumber::Node WindingNumber::cluster(std::span<const std::int32_t> members,
                                           const TriangleMesh& mesh) {
  Vec3 dipole = Vec3::Zero(), weighted = Vec3::Zero(), mean = Vec3::Zero();
  double area = 0.0;
  for (const std::int32_t face : members) {
    const auto& f = mesh.faces[face];
    const Vec3 &a = mesh.vertices[f[0]], &b = mesh.vertices[f[1]], &c = mesh.vertices[f[2]];
    const Vec3 normal = 0.5 * (b - a).cross(c - a);
    dipole += normal;
    weighted += normal.norm() * (a + b + c) / 3.0;
    mean += (a + b + c) / (3.0 * static_cast<double>(members.size()));
    area += normal.norm();
  }
  Node node;
  node.dipole = dipole;
  node.center = area > 0.0 ? Vec3(weighted / area) : mean;
  double radius_squared = 0.0;
  for (const std::int32_t face : members) {
    for (const int v : mesh.faces[face]) {
      radius_squared = std::max(radius_squared, (mesh.vertices[v] - node.center).squaredNorm());
    }
  }
  node.reach_squared = kFar * kFar * radius_squared;
  return node;
}

void WindingNumber::build(std::int32_t node, std::vector<std::int32_t>& order, std::int32_t begin,
                          std::int32_t end, const TriangleMesh& mesh,
                          const std::vector<Vec3>& centers) {
  const std::span members(order.data() + begin, order.data() + end);
  Node made = cluster(members, mesh);
  if (end - begin <= kLeafSize) {
    made.first = static_cast<std::int32_t>(corners_.size());
    made.count = end - begin;
    for (std::int32_t i = begin; i < end; ++i) {
      const auto& f = mesh.faces[order[i]];
      corners_.push_back({mesh.vertices[f[0]], mesh.vertices[f[1]], mesh.vertices[f[2]]});
    }
    nodes_[node] = made;
    return;
  }
  Eigen::AlignedBox3d box;
  for (const std::int32_t face : members) box.extend(centers[face]);
  int axis = 0;
  box.sizes().maxCoeff(&axis);
  const std::int32_t middle = begin + (end - begin) / 2;
  std::nth_element(order.begin() + begin, order.begin() + middle, order.begin() + end,
                   [&](std::int32_t i, std::int32_t j) {
                     const double x = centers[i][axis], y = centers[j][axis];
                     return x < y || (x == y && i < j);
                   });
  made.first = static_cast<std::int32_t>(nodes_.size());
  nodes_[node] = made;
  nodes_.resize(nodes_.size() + 2);
  build(made.first, order, begin, middle, mesh, centers);
  build(made.first + 1, order, middle, end, mesh, centers);
}

double WindingNumber::operator()(const Vec3& point) const {
  double total = 0.0;
  std::int32_t stack[64];  // medians halve the count: depth stays below 32
  int top = 0;
  stack[top++] = 0;
  while (top > 0) {
    const Node& node = nodes_[stack[--top]];
    const Vec3 away = node.center - point;
    const double squared = away.squaredNorm();
    if (squared > node.reach_squared) {
      total += node.dipole.dot(away) / (squared * std::sqrt(squared));
    } else if (node.count > 0) {
      for (std::int32_t i = node.first; i < node.first + node.count; ++i) {
        const Corners& t = corners_[i];
        total += solid_angle(t.a - point, t.b - point, t.c - point);
      }
    } else {
      stack[top++] = node.first;
      stack[top++] = node.first + 1;
    }
  }
  return total / (4.0 * kPi);
}

}  // namespace prehend::geometry
