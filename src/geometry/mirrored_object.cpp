#include "prehend/geometry/mirrored_object.h"

#include <utility>

namespace prehend::geometry {

Object mirrored(Object object) {
  auto mesh = std::make_shared<TriangleMesh>(*object.shape.mesh);
  for (Vec3& v : mesh->vertices) v = mirror_x(v);
  for (auto& face : mesh->faces) std::swap(face[1], face[2]);
  object.shape.mesh = std::move(mesh);
  object.center_of_mass = mirror_x(object.center_of_mass);
  const Mat3 reflect = Vec3(-1, 1, 1).asDiagonal();
  object.inertia = reflect * object.inertia * reflect;
  return object;
}

}  // namespace prehend::geometry
