#include "jobs/scene_object.h"

#include "prehend/geometry/mass_properties.h"
#include "prehend/geometry/primitive.h"

namespace prehend::jobs {
namespace {

// Alike along all axes a primitive stays one, and a box along any; otherwise its mesh is what is
// left.
Result<Object> scaled(Object object, const Vec3& scale) {
  if (object.shape.kind == ShapeKind::kBox) {
    auto box = geometry::object_from_primitive(object.name, ShapeKind::kBox,
                                               object.shape.size.cwiseProduct(scale),
                                               object.mass * scale.prod());
    if (!box) return box.error();
    box->friction = object.friction;
    box->torsional_friction = object.torsional_friction;
    return box;
  }
  auto mesh = std::make_shared<TriangleMesh>(*object.shape.mesh);
  for (Vec3& v : mesh->vertices) v = v.cwiseProduct(scale);
  if (scale.maxCoeff() - scale.minCoeff() < 1e-12 * scale.maxCoeff()) {
    const double s = scale.x();
    object.shape.mesh = std::move(mesh);
    object.shape.size *= s;
    object.center_of_mass *= s;
    object.mass *= s * s * s;
    object.inertia *= s * s * s * s * s;
    return object;
  }
  const double mass = object.mass * scale.prod();
  auto made = geometry::object_from_mesh(object.name, std::move(*mesh), mass);
  if (!made) return made.error();
  made->friction = object.friction;
  made->torsional_friction = object.torsional_friction;
  return made;
}

}  // namespace

Result<io::LoadedObject> load_scene_object(const io::SceneObject& object, double fallback_mass) {
  io::ObjectOptions options;
  options.meters_per_unit = object.metres_per_unit;
  options.density = object.density.value_or(0.0);
  auto loaded = io::load_object(object.file.empty() ? object.shape : object.file, options);
  if (!loaded) return loaded.error();
  Object& made = loaded->object;
  if (object.scale != Vec3::Ones()) {
    auto changed = scaled(std::move(made), object.scale);
    if (!changed) return changed.error();
    made = std::move(*changed);
  }
  double mass = object.mass.value_or(0.0);
  if (mass == 0.0 && !object.density) mass = fallback_mass;
  if (mass > 0.0) {
    made = with_mass(std::move(made), mass);
  }
  made.name = object.name;
  made.fixed = object.fixed;
  made.friction = object.friction.value_or(made.friction);
  made.torsional_friction = object.torsional_friction.value_or(made.torsional_friction);
  return loaded;
}

}  // namespace prehend::jobs
