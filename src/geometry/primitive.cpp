#include "prehend/geometry/primitive.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace prehend::geometry {
namespace {

const char* kind_name(ShapeKind kind) {
  switch (kind) {
    case ShapeKind::kSphere:
      return "sphere";
    case ShapeKind::kBox:
      return "box";
    case ShapeKind::kCylinder:
      return "cylinder";
    case ShapeKind::kCapsule:
      return "capsule";
    case ShapeKind::kMesh:
      return "mesh";
  }
  return "shape";
}

int dimensions_of(ShapeKind kind) {
  return kind == ShapeKind::kSphere ? 1 : kind == ShapeKind::kBox ? 3 : 2;
}

// Principal moments of inertia of mass 1 kg.
Vec3 unit_moments(ShapeKind kind, const Vec3& size) {
  const double r = size.x();
  const double h = size.y();
  switch (kind) {
    case ShapeKind::kSphere:
      return Vec3::Constant(0.4 * r * r);
    case ShapeKind::kBox: {
      const Vec3 squares = size.cwiseProduct(size) / 3.0;
      return Vec3::Constant(squares.sum()) - squares;
    }
    case ShapeKind::kCylinder: {
      const double across = r * r / 4.0 + h * h / 3.0;
      return {across, r * r / 2.0, across};
    }
    case ShapeKind::kCapsule: {
      // A cylinder and two half balls, the balls' centers of mass 3r/8 beyond the cylinder's ends.
      const double cylinder = 2.0 * h;
      const double balls = 4.0 / 3.0 * r;
      const double share = cylinder / (cylinder + balls);
      const double along = share * r * r / 2.0 + (1.0 - share) * 0.4 * r * r;
      const double across = share * (r * r / 4.0 + h * h / 3.0) +
                            (1.0 - share) * (0.4 * r * r + h * h + 0.75 * h * r);
      return {across, along, across};
    }
    case ShapeKind::kMesh:
      break;
  }
  return Vec3::Zero();
}

TriangleMesh primitive_mesh(ShapeKind kind, const Vec3& size) {
  switch (kind) {
    case ShapeKind::kSphere:
      return sphere_mesh(size.x());
    case ShapeKind::kBox:
      return box_mesh(size);
    case ShapeKind::kCylinder:
      return cylinder_mesh(size.x(), size.y());
    case ShapeKind::kCapsule:
      return capsule_mesh(size.x(), size.y());
    case ShapeKind::kMesh:
      break;
  }
  return {};
}

double cross2(const Point2& a, const Point2& b) { return a.x() * b.y() - a.y() * b.x(); }

}  // namespace

Result<Object> object_from_primitive(const std::string& name, ShapeKind kind, const Vec3& size,
                                     double mass) {
  PREHEND_ASSERT(kind != ShapeKind::kMesh);
  for (int i = 0; i < dimensions_of(kind); ++i) {
    if (!(size[i] > 0.0) || !std::isfinite(size[i])) {
      return Error{fmt::format("{}: a {} of size {} m; every dimension must be positive", name,
                               kind_name(kind), size[i])};
    }
  }
  if (!(mass > 0.0) || !std::isfinite(mass)) {
    return Error{fmt::format("{}: mass is {} kg; it must be positive", name, mass)};
  }
  Object object;
  object.name = name;
  object.shape.kind = kind;
  object.shape.size = size;
  object.shape.mesh = std::make_shared<const TriangleMesh>(primitive_mesh(kind, size));
  object.mass = mass;
  object.inertia = (mass * unit_moments(kind, size)).asDiagonal();
  return object;
}

TriangleMesh lathe(const std::vector<Point2>& profile, int segments) {
  PREHEND_ASSERT(profile.size() >= 3 && segments >= 3);
  PREHEND_ASSERT(profile.front().x() == 0.0 && profile.back().x() == 0.0);
  TriangleMesh mesh;
  std::vector<int> ring_start(profile.size());
  for (size_t i = 0; i < profile.size(); ++i) {
    ring_start[i] = static_cast<int>(mesh.vertices.size());
    const int count = profile[i].x() == 0.0 ? 1 : segments;
    for (int s = 0; s < count; ++s) {
      const double angle = 2.0 * kPi * s / segments;
      mesh.vertices.emplace_back(profile[i].x() * std::cos(angle), profile[i].y(),
                                 -profile[i].x() * std::sin(angle));
    }
  }
  const auto at = [&](size_t ring, int s) {
    return ring_start[ring] + (profile[ring].x() == 0.0 ? 0 : s % segments);
  };
  for (size_t i = 0; i + 1 < profile.size(); ++i) {
    const bool pole_below = profile[i].x() == 0.0;
    const bool pole_above = profile[i + 1].x() == 0.0;
    PREHEND_ASSERT(!(pole_below && pole_above));
    for (int s = 0; s < segments; ++s) {
      const int a = at(i, s), b = at(i, s + 1), c = at(i + 1, s + 1), d = at(i + 1, s);
      if (!pole_below) mesh.faces.push_back({a, b, c});
      if (!pole_above) mesh.faces.push_back({a, c, d});
    }
  }
  return mesh;
}

// Ear clipping: at worst cubic, for outlines of some hundred corners.
std::vector<std::array<int, 3>> triangulate(const std::vector<Point2>& polygon) {
  std::vector<int> left(polygon.size());
  for (size_t i = 0; i < left.size(); ++i) left[i] = static_cast<int>(i);
  std::vector<std::array<int, 3>> triangles;
  const auto is_ear = [&](size_t i) {
    const size_t n = left.size();
    const int ia = left[(i + n - 1) % n], ib = left[i], ic = left[(i + 1) % n];
    const Point2 &a = polygon[ia], &b = polygon[ib], &c = polygon[ic];
    if (cross2(b - a, c - a) <= 0.0) return false;
    for (const int k : left) {
      if (k == ia || k == ib || k == ic) continue;
      const Point2& p = polygon[k];
      if (cross2(b - a, p - a) >= 0 && cross2(c - b, p - b) >= 0 && cross2(a - c, p - c) >= 0) {
        return false;
      }
    }
    return true;
  };
  while (left.size() > 3) {
    size_t ear = 0;
    while (ear < left.size() && !is_ear(ear)) ++ear;
    if (ear == left.size()) break;
    const size_t n = left.size();
    triangles.push_back({left[(ear + n - 1) % n], left[ear], left[(ear + 1) % n]});
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(ear));
  }
  if (left.size() == 3) triangles.push_back({left[0], left[1], left[2]});
  return triangles;
}

TriangleMesh extrude(const std::vector<Point2>& polygon, double half_depth) {
  TriangleMesh mesh;
  const int n = static_cast<int>(polygon.size());
  for (const double z : {-half_depth, half_depth}) {
    for (const Point2& p : polygon) mesh.vertices.emplace_back(p.x(), p.y(), z);
  }
  for (const auto& t : triangulate(polygon)) {
    mesh.faces.push_back({t[0], t[2], t[1]});
    mesh.faces.push_back({t[0] + n, t[1] + n, t[2] + n});
  }
  for (int i = 0; i < n; ++i) {
    const int j = (i + 1) % n;
    mesh.faces.push_back({i, j, j + n});
    mesh.faces.push_back({i, j + n, i + n});
  }
  return mesh;
}

TriangleMesh sphere_mesh(double radius, int segments) {
  return capsule_mesh(radius, 0.0, segments);
}

TriangleMesh capsule_mesh(double radius, double half_length, int segments) {
  std::vector<Point2> profile;
  const int quarter = std::max(2, segments / 4);
  for (int half = 0; half < 2; ++half) {
    for (int i = 0; i <= quarter; ++i) {
      if (half == 1 && i == 0 && half_length == 0.0) continue;
      const double angle = kPi / 2.0 * (half == 0 ? i - quarter : i) / quarter;
      const bool pole = (half == 0 && i == 0) || (half == 1 && i == quarter);
      profile.emplace_back(pole ? 0.0 : radius * std::cos(angle),
                           radius * std::sin(angle) + (half == 0 ? -half_length : half_length));
    }
  }
  return lathe(profile, segments);
}

TriangleMesh cylinder_mesh(double radius, double half_length, int segments) {
  return lathe(
      {{0.0, -half_length}, {radius, -half_length}, {radius, half_length}, {0.0, half_length}},
      segments);
}

TriangleMesh box_mesh(const Vec3& half_extents) {
  TriangleMesh mesh;
  for (int i = 0; i < 8; ++i) {
    mesh.vertices.emplace_back((i & 1 ? 1 : -1) * half_extents.x(),
                               (i & 2 ? 1 : -1) * half_extents.y(),
                               (i & 4 ? 1 : -1) * half_extents.z());
  }
  mesh.faces = {{0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}, {0, 1, 5}, {0, 5, 4},
                {2, 6, 7}, {2, 7, 3}, {0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}};
  return mesh;
}

}  // namespace prehend::geometry
