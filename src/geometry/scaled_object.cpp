#include "prehend/geometry/scaled_object.h"

#include "prehend/geometry/mass_properties.h"
#include "prehend/geometry/primitive.h"

namespace prehend::geometry {
namespace {

Object scaled_alike(Object object, TriangleMesh mesh, double scale) {
  object.shape.mesh = std::make_shared<const TriangleMesh>(std::move(mesh));
  object.shape.size *= scale;
  object.center_of_mass *= scale;
  object.mass *= scale * scale * scale;
  object.inertia *= scale * scale * scale * scale * scale;
  return object;
}

}  // namespace

Result<Object> scaled(Object object, const Vec3& scale) {
  TriangleMesh mesh = *object.shape.mesh;
  for (Vec3& v : mesh.vertices) v = v.cwiseProduct(scale);
  if (scale.maxCoeff() - scale.minCoeff() < 1e-12 * scale.maxCoeff())
    return scaled_alike(std::move(object), std::move(mesh), scale.x());
  const double mass = object.mass * scale.prod();
  auto made = object.shape.kind == ShapeKind::kBox
                  ? object_from_primitive(object.name, ShapeKind::kBox,
                                          object.shape.size.cwiseProduct(scale), mass)
                  : object_from_mesh(object.name, std::move(mesh), mass);
  if (!made) return made.error();
  made->friction = object.friction;
  made->torsional_friction = object.torsional_friction;
  return made;
}

}  // namespace prehend::geometry
