// Spheres, boxes, cylinders and capsules with their exact mass and inertia, and the two ways to
// make a mesh of a curve: turning it about an axis and pulling it along one.
#pragma once

#include <string>
#include <vector>

#include "prehend/core/object.h"
#include "prehend/core/result.h"

namespace prehend::geometry {

// `size` as in Shape. The mesh only draws: distances, volume and inertia are those of the
// primitive.
Result<Object> object_from_primitive(const std::string& name, ShapeKind kind, const Vec3& size,
                                     double mass);

TriangleMesh sphere_mesh(double radius, int segments = 64);
TriangleMesh box_mesh(const Vec3& half_extents);
TriangleMesh cylinder_mesh(double radius, double half_length, int segments = 64);
TriangleMesh capsule_mesh(double radius, double half_length, int segments = 64);

using Point2 = Eigen::Vector2d;

// The profile (radius, height) turned about Y. It starts and ends on the axis and runs up the
// outside, so that the surface is closed and faces outward.
TriangleMesh lathe(const std::vector<Point2>& profile, int segments);

// Cuts a simple counter-clockwise polygon into triangles of its corners.
std::vector<std::array<int, 3>> triangulate(const std::vector<Point2>& polygon);

// A simple counter-clockwise polygon in the x-y plane pulled along Z from -half_depth to
// half_depth.
TriangleMesh extrude(const std::vector<Point2>& polygon, double half_depth);

}  // namespace prehend::geometry
