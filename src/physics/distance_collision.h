// Our signed distances in MuJoCo's collision table.
#pragma once

#include <array>

#include <mujoco/mujoco.h>

#include "prehend/core/capsule.h"
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

// Where a capsule meets a field, all in the field's frame.
struct FieldContact {
  Vec3 point;   // half way between the two surfaces
  Vec3 normal;  // unit, out of the field's object
  double gap;   // negative by the overlap
};
inline constexpr int kMaxFieldContacts = 4;
// Both ends and up to two places between them where the distance along the axis is least, those
// with gap < margin. Returns how many.
int capsule_field_contacts(const geometry::SignedDistance& field, const Capsule& capsule,
                           double margin, std::array<FieldContact, kMaxFieldContacts>& contacts);

}  // namespace prehend::physics
