// A rigid object: shape, mass and friction. Where it stands is the clip's or the scene's to say.
#pragma once

#include <memory>
#include <string>

#include "prehend/core/mesh.h"
#include "prehend/core/physical_constants.h"

namespace prehend {

enum class ShapeKind { kMesh, kSphere, kBox, kCylinder, kCapsule };

// A primitive keeps its exact dimensions beside the mesh that draws it, so that distances to it are
// exact.
struct Shape {
  ShapeKind kind = ShapeKind::kMesh;
  // Box: half extents. Sphere: radius in x. Cylinder and capsule, along Y: radius in x, half length
  // of the straight part in y.
  Vec3 size = Vec3::Zero();
  std::shared_ptr<const TriangleMesh> mesh;  // never null in a valid object
};

struct Object {
  std::string name;
  Shape shape;
  double mass = 0.1;
  Vec3 center_of_mass = Vec3::Zero();  // in the object's frame
  Mat3 inertia = Mat3::Identity();     // about the center of mass, in the object's frame
  double friction = kFriction;         // Coulomb, against skin
  // m, times the normal force gives the torque about the normal
  double torsional_friction = kTorsionalFriction;
  bool fixed = false;  // part of the surroundings: it never moves by itself
};

using ObjectPtr = std::shared_ptr<const Object>;

// The same thing of another weight: mass spreads as it did.
Object with_mass(Object object, double mass);
// A length by which torques compare with forces, m: the root mean square distance of the mass from
// its center, sqrt(trace(I) / 2m), and at least a millimeter.
double lever(const Object& object);

}  // namespace prehend
