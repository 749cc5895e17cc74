// Our signed distances in MuJoCo's collision table.
#pragma once

#include <mujoco/mujoco.h>

#include "prehend/geometry/signed_distance.h"

namespace prehend::physics {

// Numbers that a geom of ours carries in geom_user: a tag, the field's address, the tag again.
inline constexpr int kGeomUserSize = 3;

// Puts capsule-mesh, sphere-mesh, capsule-cylinder and sphere-cylinder under our care. Geoms
// without a field go to MuJoCo's own functions, so other models in the process do not notice.
void install_distance_collision();

// The field of a geom, in the frame of the geom's body. It must outlive the model.
void attach_distance(mjModel* model, int geom, const geometry::SignedDistance* distance);
const geometry::SignedDistance* attached_distance(const mjModel* model, int geom);

}  // namespace prehend::physics
