// An object as a scene describes it.
#pragma once

#include "prehend/io/mesh_file.h"
#include "prehend/io/scene.h"

namespace prehend::jobs {

// Scaled, weighed and with the scene's friction. `fallback_mass` weighs it where the scene gives
// neither mass nor density; 0 leaves what the shape has.
Result<io::LoadedObject> load_scene_object(const io::SceneObject& object, double fallback_mass);

}  // namespace prehend::jobs
