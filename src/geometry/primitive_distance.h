// Closed forms of the distance to a primitive.
#pragma once

#include <memory>

#include "prehend/geometry/signed_distance.h"

namespace prehend::geometry {

DistanceSample sphere_distance(const Vec3& point, double radius);
DistanceSample box_distance(const Vec3& point, const Vec3& half_extents);
DistanceSample cylinder_distance(const Vec3& point, double radius, double half_length);
DistanceSample capsule_distance(const Vec3& point, double radius, double half_length);

std::shared_ptr<const ExactDistance> primitive_distance(const Shape& shape);
std::shared_ptr<const ExactDistance> mesh_distance(std::shared_ptr<const TriangleMesh> mesh);

}  // namespace prehend::geometry
