#include "prehend/physics/physics_in_force.h"

#include <algorithm>

#include <fmt/format.h>

#include "physics/world_impl.h"

namespace prehend::physics {
namespace {

std::string solver_name(const WorldOptions& options) {
  const bool ours =
      options.contact_solver == ContactSolver::kOurs && options.noslip_iterations == 0;
  return fmt::format("{}, elliptic cones, tolerance {:g}, on MuJoCo {}",
                     ours ? "Newton in the structure of hands" : "MuJoCo's Newton",
                     options.solver_tolerance, mj_versionString());
}

}  // namespace

PhysicsInForce physics_in_force(const World& world) {
  const World::Impl& w = world.impl();
  PhysicsInForce out;
  out.impedance_ratio = w.options.impedance_ratio;
  out.timestep = w.options.timestep;
  out.solver = solver_name(w.options);
  for (const ObjectEntry& entry : w.objects) {
    const Object& object = *entry.setup.object;
    if (entry.setup.fixed || object.fixed || out.friction) continue;
    out.friction = object.friction;
    out.torsional_friction = object.torsional_friction;
  }
  bool first = true;
  for (size_t h = 0; h < w.hands.size(); ++h) {
    const HandSetup& setup = w.hands[h].setup;
    if (h == 0) {
      out.skin_friction = setup.skin_friction;
      out.wrist_strength =
          setup.root == RootMotion::kDriven ? setup.strength : RootStrength::unlimited();
    }
    for (size_t j = 0; j < w.hands[h].joints.size(); ++j) {
      const double added = added_inertia(setup, j);
      out.least_added_inertia = first ? added : std::min(out.least_added_inertia, added);
      out.most_added_inertia = std::max(out.most_added_inertia, added);
      first = false;
    }
  }
  return out;
}

}  // namespace prehend::physics
