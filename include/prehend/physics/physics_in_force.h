// The physical constants that a world was built with, for reports: every result that was simulated
// or solved says them (docs/physics.md).
#pragma once

#include <optional>
#include <string>

#include "prehend/physics/world.h"

namespace prehend::physics {

struct PhysicsInForce {
  // Of the first object that moves; nothing where there is none.
  std::optional<double> friction, torsional_friction;
  double skin_friction = 0.0;
  double impedance_ratio = 0.0;
  RootStrength wrist_strength;  // of the first hand; unlimited where its root is fixed
  // What the joints of all hands are heavier by than their bones, kg m^2: from, to.
  double least_added_inertia = 0.0, most_added_inertia = 0.0;
  double timestep = 0.0;  // s
  std::string solver;     // whose, and to which tolerance
};
PhysicsInForce physics_in_force(const World& world);

}  // namespace prehend::physics
