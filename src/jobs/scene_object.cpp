#include "jobs/scene_object.h"

#include "prehend/geometry/scaled_object.h"

namespace prehend::jobs {
Result<io::LoadedObject> load_scene_object(const io::SceneObject& object, double fallback_mass) {
  io::ObjectOptions options;
  options.meters_per_unit = object.meters_per_unit;
  options.density = object.density.value_or(0.0);
  auto loaded = io::load_object(object.file.empty() ? object.shape : object.file, options);
  if (!loaded) return loaded.error();
  Object& made = loaded->object;
  if (object.scale != Vec3::Ones()) {
    auto changed = geometry::scaled(std::move(made), object.scale);
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
