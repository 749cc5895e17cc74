// Where capsules meet an object: what simulation feels and what methods reach for.
#pragma once

#include <array>

#include "prehend/core/capsule.h"
#include "prehend/geometry/signed_distance.h"

namespace prehend::geometry {

// Where a capsule meets a field, all in the field's frame.
struct FieldContact {
  Vec3 point;   // half way between the two surfaces
  Vec3 normal;  // unit, out of the field's object
  double gap;   // negative by the overlap
};
inline constexpr int kMaxFieldContacts = 4;
// Both ends and up to two places between them where the distance along the axis is least, those
// with gap < margin. Returns how many.
int capsule_field_contacts(const SignedDistance& field, const Capsule& capsule, double margin,
                           std::array<FieldContact, kMaxFieldContacts>& contacts);

}  // namespace prehend::geometry
