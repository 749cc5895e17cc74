// A finished motion replayed under simulation: the torques that the steps found drive simulated
// arms, with a small feedback to the planned joint angles, and the objects go where contacts send
// them. Beyond the paper, which never leaves its own equations.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "prehend/methods/manipulation/manipulation.h"
#include "prehend/physics/physics_in_force.h"

namespace prehend::manipulation {

struct ProofOptions {
  // Feedback: N m for each radian that a joint strays, as a share of the joint's strength; an arm
  // that strays by 0.1 rad is pulled back with 5 % of its strength.
  double stiffness_share = 0.5;
  // s: the damping over the stiffness of the feedback.
  double damping_time = 0.05;
  double tolerance = 0.02;  // m that an object may stray from its plan
};

// How far one object was from where the plan has it at the same time.
struct Stray {
  std::string object;
  double max_m = 0.0, end_m = 0.0;      // of its center of mass
  double max_rad = 0.0, end_rad = 0.0;  // of its rotation
  double max_at = 0.0;                  // s of the clip
  std::optional<double> left_at;        // s of the clip at which it was first beyond the tolerance
};

struct Proof {
  Clip clip;                  // as simulated
  std::vector<Stray> strays;  // of every object that is not fixed
  // Root mean square of the feedback's torques over that of all torques, of the task's time: of
  // the arms' joints and of the fingers'.
  double arm_feedback = 0.0, finger_feedback = 0.0;
  bool within = false;  // every object stayed within the tolerance, and the simulation kept sane
  physics::PhysicsInForce physics;
  Summary summary;

  const Stray& worst() const;  // of at least one
};

// The report must be of the same problem.
Result<Proof> prove(const Problem& problem, const Report& report, const ProofOptions& options = {},
                    const Monitor& monitor = {});

}  // namespace prehend::manipulation
