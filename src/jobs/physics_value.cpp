#include "jobs/physics_value.h"

#include <cmath>

namespace prehend::jobs {
namespace {

io::Value maybe(const std::optional<double>& number) {
  return number ? io::Value(*number) : io::Value();
}
io::Value strength(double number) {
  return std::isfinite(number) ? io::Value(number) : io::Value("inf");
}

}  // namespace

io::Value physics_value(const physics::PhysicsInForce& physics) {
  io::Value value = io::Value::table();
  value["friction"] = maybe(physics.friction);
  value["torsional_friction_m"] = maybe(physics.torsional_friction);
  value["skin_friction"] = physics.skin_friction;
  value["impedance_ratio"] = physics.impedance_ratio;
  value["wrist_strength_N"] = strength(physics.wrist_strength.force);
  value["wrist_strength_Nm"] = strength(physics.wrist_strength.torque);
  value["added_inertia"]["least_kg_m2"] = physics.least_added_inertia;
  value["added_inertia"]["most_kg_m2"] = physics.most_added_inertia;
  value["timestep_s"] = physics.timestep;
  value["solver"] = physics.solver;
  return value;
}

}  // namespace prehend::jobs
