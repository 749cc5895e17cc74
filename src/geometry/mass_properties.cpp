#include "prehend/geometry/mass_properties.h"

#include <fmt/format.h>

#include <cmath>

#include "prehend/geometry/repair.h"

namespace prehend::geometry {

// Each face makes a tetrahedron with a reference point near the mesh (far from it, the signed
// volumes would cancel and lose digits). For a tetrahedron of corners 0, a, b, c and volume V,
//   integral of x      = V (a + b + c) / 4,
//   integral of x x^T  = V (a a^T + b b^T + c c^T + s s^T) / 20,  s = a + b + c.
MassProperties mass_properties(const TriangleMesh& mesh) {
  MassProperties result;
  if (mesh.vertices.empty()) return result;
  Vec3 reference = Vec3::Zero();
  for (const Vec3& v : mesh.vertices) reference += v;
  reference /= static_cast<double>(mesh.vertices.size());

  double volume = 0.0;
  Vec3 first = Vec3::Zero();
  Mat3 second = Mat3::Zero();
  for (const auto& face : mesh.faces) {
    const Vec3 a = mesh.vertices[face[0]] - reference;
    const Vec3 b = mesh.vertices[face[1]] - reference;
    const Vec3 c = mesh.vertices[face[2]] - reference;
    const double v = a.dot(b.cross(c)) / 6.0;
    const Vec3 s = a + b + c;
    volume += v;
    first += v / 4.0 * s;
    second +=
        v / 20.0 * (a * a.transpose() + b * b.transpose() + c * c.transpose() + s * s.transpose());
  }
  result.volume = volume;
  if (!(volume > 0.0)) return result;
  const Vec3 center = first / volume;
  const Mat3 central = second / volume - center * center.transpose();
  result.center_of_mass = reference + center;
  result.unit_inertia = central.trace() * Mat3::Identity() - central;
  return result;
}

Result<Object> object_from_mesh(const std::string& name, TriangleMesh mesh, double mass) {
  if (const Status status = validate(mesh); !status) {
    return Error{fmt::format("{}: {}", name, status.message())};
  }
  if (!(mass > 0.0) || !std::isfinite(mass)) {
    return Error{fmt::format("{}: mass is {} kg; it must be positive", name, mass)};
  }
  const MassProperties properties = mass_properties(mesh);
  const Vec3 extent = bounding_box(mesh).sizes();
  // A flat or open sheet sums to rounding noise, not to a volume.
  const double noise = 1e-9 * std::pow(extent.maxCoeff(), 3);
  if (!(properties.volume > noise)) {
    return Error{fmt::format(
        "{}: encloses no volume ({:.3g} m^3); a closed surface that faces outward is needed", name,
        properties.volume)};
  }
  Object object;
  object.name = name;
  object.mass = mass;
  object.center_of_mass = properties.center_of_mass;
  object.inertia = mass * properties.unit_inertia;
  object.shape.kind = ShapeKind::kMesh;
  object.shape.mesh = std::make_shared<const TriangleMesh>(std::move(mesh));
  return object;
}

}  // namespace prehend::geometry
