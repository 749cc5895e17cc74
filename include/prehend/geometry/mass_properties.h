// Volume, center of mass and inertia of a closed mesh.
#pragma once

#include <string>

#include "prehend/core/object.h"
#include "prehend/core/result.h"

namespace prehend::geometry {

struct MassProperties {
  double volume = 0.0;  // m^3
  Vec3 center_of_mass = Vec3::Zero();
  Mat3 unit_inertia = Mat3::Zero();  // about the center of mass, of mass 1 kg, m^2
};

// Exact for a closed, outward-facing mesh. Volume may come out zero or negative for others, and the
// rest is then zero.
MassProperties mass_properties(const TriangleMesh& mesh);

// An object from a mesh: its frame is the mesh's. Fails on a volume that is not positive, on points
// that are not finite and on faces that name missing vertices.
Result<Object> object_from_mesh(const std::string& name, TriangleMesh mesh, double mass);

}  // namespace prehend::geometry
