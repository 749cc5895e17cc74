// What a World and a State hold.
#pragma once

#include <vector>

#include "physics/engine_solver.h"
#include "prehend/physics/state.h"
#include "prehend/physics/world.h"

namespace prehend::physics {

struct JointEntry {
  int segment = 0;
  JointType type = JointType::kHinge;
  int qpos = 0;  // first position
  int dof = 0;   // first velocity
  double servo_stiffness = 0.0;
  double max_torque = 0.0;
};

// What a joint is heavier by than its bones, kg m^2.
inline double added_inertia(const HandSetup& setup, size_t joint) {
  return joint < setup.added_inertia_of_joints.size() ? setup.added_inertia_of_joints[joint]
                                                      : setup.added_inertia;
}

struct HandEntry {
  HandSetup setup;
  std::vector<int> bodies;        // of segments
  std::vector<int> segment_dofs;  // -1: welded
  std::vector<JointEntry> joints;
  int root_qpos = -1;   // of a free or driven root
  int root_mocap = -1;  // of a driven or fixed root
  DofRange dofs;
  int servo_first = 0;  // in State's servo targets: 4 numbers a joint
};

struct ObjectEntry {
  ObjectSetup setup;
  std::shared_ptr<const geometry::SignedDistance> distance;  // null: MuJoCo's own collision
  int body = -1;
  int geom = -1;
  int qpos = -1;
  int mocap = -1;
  DofRange dofs;
};

// Whose a body is.
struct BodyOwner {
  int hand = -1;
  int segment = -1;
  int object = -1;
};

struct World::Impl {
  WorldOptions options;
  std::vector<HandEntry> hands;
  std::vector<ObjectEntry> objects;
  std::vector<BodyOwner> owners;  // of bodies
  int servo_size = 0;
  // A degree of freedom each: b and h b as follows.
  //
  // Springs and dampers act implicitly. Force -k (q + h v') - d v' with the new velocity v' is, in
  // M (v' - v) / h = f, the same as -k q - b v with b = d + h k and an inertia M + h b: so h b goes
  // into the engine's armature, where its contact solver sees it too, and b v into the applied
  // forces. (The engine's own damping is implicit only after contacts are solved: light phalanges
  // then explode.)
  Eigen::VectorXd implicit_damping, armature;
  double weld_time = 0.0;                    // of driven roots
  std::vector<RootStrength> weld_strengths;  // of the engine's welds, in order
  bool bounded_welds = false;                // one of them has an end
  SolverStructure solver_structure;          // digits, roots, objects
  ModelPtr model;
};

struct State::Impl {
  WorldPtr world;
  const mjModel* model = nullptr;
  DataPtr data;
  Eigen::VectorXd applied;                // the caller's generalized forces
  Eigen::VectorXd servo;                  // targets: an angle, or a quaternion, a joint
  std::vector<char> servo_on;             // a hand each
  std::vector<Transform> contact_frames;  // of bodies, when contacts were found
  // How far the engine's derived quantities agree with positions and velocities.
  enum class Stage { kNothing, kPosition, kInertia, kVelocity } stage = Stage::kNothing;
  bool factored = false;  // the true inertia, at kInertia or later
  bool broken = false;    // the engine gave up
  ConstraintSolver solver;
  SolverCounts solves;
  bool begun = false;  // between begin_step and end_step: the inertia has the armature in it

  void need(Stage wanted);
  void changed() {
    stage = Stage::kNothing;
    begun = false;
  }
  void add_servo_torques(Eigen::Ref<Eigen::VectorXd> force) const;
  void gather_forces();
  void remember_frames();
  // The engine's stages after mj_step1: accelerations and constraint forces, then the new moment.
  void bound_welds();
  void solve_constraints();
  void accelerate();
  void advance();
  // Runs some of the engine; what it calls an error leaves the state broken.
  template <typename Stages>
  void guarded(Stages stages) {
    try {
      stages();
    } catch (const EngineError&) {
      broken = true;
    }
  }
};

}  // namespace prehend::physics
