// The makers of the built-in objects. Meshes stand on y = 0 or lie around the origin; builtin.cpp
// moves them to their center of mass.
#pragma once

#include <functional>
#include <string>

#include "geometry/implicit.h"
#include "prehend/core/mesh.h"

namespace prehend::geometry {

// A mesh, and the density [kg/m^3] at a point where the material differs from place to place; 0
// outside.
struct BuiltinSolid {
  TriangleMesh mesh;
  std::function<double(const Vec3&)> density;
};

// Turned or pulled.
TriangleMesh make_wedge();
TriangleMesh make_book();
TriangleMesh make_soap();
TriangleMesh make_cup();
TriangleMesh make_bottle();
TriangleMesh make_wine_bottle();
TriangleMesh make_wineglass();
TriangleMesh make_nail();
TriangleMesh make_bulb();

// Written as distance functions.
TriangleMesh make_mug();
TriangleMesh make_pot();
TriangleMesh make_spatula();
TriangleMesh make_gift_box();
BuiltinSolid make_hammer();

}  // namespace prehend::geometry
