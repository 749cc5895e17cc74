// Solids written as distance functions and meshed: for the built-in objects that are neither turned
// nor pulled.
#pragma once

#include <functional>
#include <vector>

#include "prehend/geometry/primitive.h"
#include "prehend/geometry/repair.h"

namespace prehend::geometry {

// Negative inside. It must not change faster than the point moves: cells far from the surface are
// skipped on that promise.
using Implicit = std::function<double(const Vec3&)>;

// Surface nets: a vertex in each cell that the surface passes, pulled onto the surface. Closed if
// the surface stays inside the box and nothing is thinner than two cells.
TriangleMesh mesh_implicit(const Implicit& implicit, const Box3& box, double cell);

// The lesser of two distances, rounded over `radius` where they meet.
double smooth_min(double a, double b, double radius);
inline double smooth_max(double a, double b, double radius) { return -smooth_min(-a, -b, radius); }

// Signed distance to a simple polygon of either direction.
double polygon_distance(const Point2& point, const std::vector<Point2>& polygon);
// Distance to an open chain of segments.
double chain_distance(const Point2& point, const std::vector<Point2>& chain);
// Edges rounded by `radius`, within the half extents.
double rounded_box_distance(const Vec3& point, const Vec3& half_extents, double radius);
// Between the ends, radius from one to the other; exact for equal radii.
double tapered_capsule_distance(const Vec3& point, const Vec3& a, const Vec3& b, double radius_a,
                                double radius_b);
// A flat band bent along a chain in the x-y plane: `thick` across the chain, `wide` along Z
// (halves).
double band_distance(const Vec3& point, const std::vector<Point2>& chain, double thick, double wide,
                     double radius);

}  // namespace prehend::geometry
