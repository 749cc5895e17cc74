// The physical constants in force, as every report of something simulated has them.
#pragma once

#include "prehend/io/value.h"
#include "prehend/physics/physics_in_force.h"

namespace prehend::jobs {

// An infinite strength is the text "inf", since JSON has no such number.
io::Value physics_value(const physics::PhysicsInForce& physics);

}  // namespace prehend::jobs
