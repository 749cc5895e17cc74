#include "io/mesh_normals.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace prehend::io {
namespace {

// Number of the place of each vertex: equal for vertices at exactly the same place.
std::vector<int> weld(const std::vector<Vec3>& vertices) {
  std::vector<int> order(vertices.size());
  std::iota(order.begin(), order.end(), 0);
  const auto less = [&](int a, int b) {
    return std::lexicographical_compare(vertices[a].begin(), vertices[a].end(), vertices[b].begin(),
                                        vertices[b].end());
  };
  std::sort(order.begin(), order.end(), less);
  std::vector<int> place(vertices.size());
  int count = -1;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || less(order[i - 1], order[i])) ++count;
    place[order[i]] = count;
  }
  return place;
}

struct Corner {
  int face = 0;
  int corner = 0;
  Vec3 weighted = Vec3::Zero();  // face normal times the angle of the face here
};

// Corners sorted by place; `first[p]` to `first[p + 1]` belong to place p.
struct CornersByPlace {
  std::vector<Corner> corners;
  std::vector<int> first;
};

CornersByPlace collect_corners(const TriangleMesh& mesh, const std::vector<int>& place,
                               const std::vector<Vec3>& face_normals) {
  const int places = place.empty() ? 0 : *std::max_element(place.begin(), place.end()) + 1;
  CornersByPlace result;
  result.first.assign(places + 1, 0);
  for (const auto& face : mesh.faces)
    for (int vertex : face) ++result.first[place[vertex] + 1];
  std::partial_sum(result.first.begin(), result.first.end(), result.first.begin());
  result.corners.resize(3 * mesh.faces.size());
  std::vector<int> next = result.first;
  for (std::size_t f = 0; f < mesh.faces.size(); ++f) {
    for (int c = 0; c < 3; ++c) {
      const int vertex = mesh.faces[f][c];
      const Vec3 a = mesh.vertices[mesh.faces[f][(c + 1) % 3]] - mesh.vertices[vertex];
      const Vec3 b = mesh.vertices[mesh.faces[f][(c + 2) % 3]] - mesh.vertices[vertex];
      const double angle = std::atan2(a.cross(b).norm(), a.dot(b));
      result.corners[next[place[vertex]]++] = {static_cast<int>(f), c, angle * face_normals[f]};
    }
  }
  return result;
}

Vec3 face_normal(const TriangleMesh& mesh, const std::array<int, 3>& face) {
  const Vec3& a = mesh.vertices[face[0]];
  const Vec3 normal = (mesh.vertices[face[1]] - a).cross(mesh.vertices[face[2]] - a);
  const double length = normal.norm();
  return length > 0.0 ? Vec3(normal / length) : Vec3::Zero();
}

}  // namespace

ShadedMesh shaded_mesh(const TriangleMesh& mesh, double crease_rad) {
  const double cos_crease = std::cos(crease_rad);
  constexpr double kSameNormal = 1.0 - 1e-6;
  std::vector<Vec3> face_normals;
  face_normals.reserve(mesh.faces.size());
  for (const auto& face : mesh.faces) face_normals.push_back(face_normal(mesh, face));
  const CornersByPlace by_place = collect_corners(mesh, weld(mesh.vertices), face_normals);

  ShadedMesh shaded;
  shaded.faces.resize(mesh.faces.size());
  std::vector<bool> used(mesh.vertices.size(), false);
  const auto add = [&](int source, const Vec3& normal) {
    shaded.vertices.push_back(mesh.vertices[source]);
    shaded.normals.push_back(normal);
    shaded.source.push_back(source);
    used[source] = true;
    return static_cast<int>(shaded.vertices.size()) - 1;
  };
  for (std::size_t p = 0; p + 1 < by_place.first.size(); ++p) {
    const int begin = by_place.first[p], end = by_place.first[p + 1];
    const int made_from = static_cast<int>(shaded.vertices.size());
    for (int i = begin; i < end; ++i) {
      const Corner& here = by_place.corners[i];
      const Vec3& own = face_normals[here.face];
      Vec3 normal = Vec3::Zero();
      for (int k = begin; k < end; ++k) {
        const Corner& other = by_place.corners[k];
        if (own.dot(face_normals[other.face]) >= cos_crease) normal += other.weighted;
      }
      const double length = normal.norm();
      normal = length > 1e-12 ? Vec3(normal / length) : own.isZero() ? Vec3::UnitY() : own;
      const int source = mesh.faces[here.face][here.corner];
      int vertex = made_from;
      const int made_to = static_cast<int>(shaded.vertices.size());
      while (vertex < made_to &&
             (shaded.source[vertex] != source || shaded.normals[vertex].dot(normal) < kSameNormal))
        ++vertex;
      shaded.faces[here.face][here.corner] = vertex < made_to ? vertex : add(source, normal);
    }
  }
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v)
    if (!used[v]) add(static_cast<int>(v), Vec3::UnitY());
  return shaded;
}

}  // namespace prehend::io
