// How often a surface winds around a point: 1 inside, 0 outside, in between near a hole.
// Barill, Dickson, Schmidt, Levin and Jacobson, "Fast Winding Numbers for Soups and Clouds", 2018.
// Implements: the tree of dipoles for triangle soups, sum over far clusters, exact near by.
// Departs:    dipoles only (no second-order terms). The sign asks whether the number is above one
//             half, and for a closed mesh the dipoles leave it within a few hundredths of 0 or 1.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "prehend/core/mesh.h"

namespace prehend::geometry {

// Of a triangle seen from the origin, positive when it is seen from behind (from inside).
double solid_angle(const Vec3& a, const Vec3& b, const Vec3& c);

class WindingNumber {
 public:
  explicit WindingNumber(const TriangleMesh& mesh);

  double operator()(const Vec3& point) const;

 private:
  struct Node {
    Vec3 center = Vec3::Zero();  // mean of the triangles, weighted by area
    Vec3 dipole = Vec3::Zero();  // sum of area times normal
    double reach_squared = 0.0;  // nearer than this, open the node
    std::int32_t first = 0;      // triangle of a leaf, or left child; the right one follows it
    std::int32_t count = 0;      // of triangles; 0 in an inner node
  };
  struct Corners {
    Vec3 a, b, c;
  };

  static Node cluster(std::span<const std::int32_t> members, const TriangleMesh& mesh);
  void build(std::int32_t node, std::vector<std::int32_t>& order, std::int32_t begin,
             std::int32_t end, const TriangleMesh& mesh, const std::vector<Vec3>& centers);

  std::vector<Node> nodes_;
  std::vector<Corners> corners_;  // of the triangles in the order of the leaves
};

}  // namespace prehend::geometry
