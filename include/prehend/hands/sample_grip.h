// A clip to show and to test with: a hand comes to a cylinder that stands on a table, closes around
// it, lifts it, turns it and holds it, by simulation. Every contact and force is recorded.
#pragma once

#include "prehend/core/clip.h"
#include "prehend/core/summary.h"
#include "prehend/physics/physics_in_force.h"

namespace prehend::hands {

struct SampleGripOptions {
  double frame_rate = 60.0;
  double mass = 0.2;            // of the cylinder (50 mm by 0.15 m), kg
  double lift = 0.15;           // m
  double tilt = 0.6;            // rad, how far the wrist turns once it holds
  double squeeze = radians(4);  // how much farther than contact the servos want each joint
};

// The hand needs five digits (physics/posture.h's "wrap" must work on it). The clip's objects are
// the cylinder and the table. `in_force`, if given, receives the constants of the simulation.
Result<Clip> sample_grip(const HandPtr& hand, const SampleGripOptions& options = {},
                         const Monitor& monitor = {}, physics::PhysicsInForce* in_force = nullptr);

}  // namespace prehend::hands
