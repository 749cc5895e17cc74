// What is simulated: hands, objects, a floor, gravity. Immutable once built; everything that moves
// is in a State (physics/state.h), of which many may share one World, one a thread.
//
// Generalized velocities, forces and the rows of Jacobians and mass matrices run over the hands in
// order, then over the free objects in order. A hand has first its root's six (linear velocity of
// the root's origin in the world frame, angular velocity in the root's own frame) unless the root
// is fixed, then its joints segment by segment, each digit from base to tip (segment_dof says
// where): a rate for a hinge, the angular velocity in the segment's frame for a ball. An object has
// six like a root.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "prehend/core/hand.h"
#include "prehend/core/object.h"
#include "prehend/core/result.h"
#include "prehend/geometry/signed_distance.h"

namespace prehend::physics {

enum class RootMotion {
  kFree,    // six degrees of freedom, moved by forces only
  kDriven,  // six degrees of freedom pulled to a target pose, as strongly as HandSetup::strength
            // says: it pushes back, and feels what the hand carries
  kFixed,   // no degrees of freedom: stands where it was last put
};

// What pulls a driven root, along and about each axis of the world. Infinite: nothing stops it.
struct RootStrength {
  double force = kWristForce;    // N
  double torque = kWristTorque;  // N m

  static RootStrength unlimited();
  bool bounded() const;
};

struct HandSetup {
  HandPtr hand;
  RootMotion root = RootMotion::kDriven;
  RootStrength strength;
  // Stiffness of the position servos of all joints, N m / rad; 0: none. The servo's damping is
  // `servo_time` seconds times it, also before a target is set. Both act implicitly, so
  // light phalanges stay stable at any stiffness; the torque of the spring is bounded by
  // Joint::max_torque where that is not 0.
  double servo_stiffness = 0.0;
  double servo_time = 0.05;
  std::vector<double> servo_stiffness_of_joints;  // a joint each, instead of one for all
  // Inertia that muscles and tissue add to every joint, about each of its axes, kg m^2: without it
  // a bone weighs so little that forces which come and go throw it about. Counts as part of the
  // mass matrix, not of inverse dynamics.
  double added_inertia = 0.0;
  std::vector<double> added_inertia_of_joints;  // a joint each, instead of one for all
  bool passive_joints = true;                   // Joint::passive_stiffness and ::damping act
  bool joint_limits = true;                     // of a ball: one cone around the whole range
  bool self_collision = true;                   // of capsules that Hand::overlapping leaves
  // Of skin on skin; what touches an object or the floor has theirs.
  double skin_friction = kSkinFriction;
  bool collides = true;
};

struct ObjectSetup {
  ObjectPtr object;
  // Distances that hands feel. Empty: geometry::fast_distance of the shape; give one to share its
  // bricks between worlds. Spheres, boxes and capsules have the engine's own. Objects among each
  // other and on the floor touch with their primitive or the convex hull of their mesh.
  std::shared_ptr<const geometry::SignedDistance> distance;
  bool fixed = false;  // or Object::fixed: stands where it was last put
};

// Who finds the forces of contacts, limits and driven roots. Both solve the same convex problem and
// agree to their tolerance, 1e-6 in tests.
enum class ContactSolver {
  kOurs,    // in the structure of hands: five to six times as fast
  kEngine,  // MuJoCo's own Newton solver, for comparison
};

struct WorldOptions {
  Vec3 gravity = gravity_world();
  double timestep = 0.002;
  std::optional<double> floor_height;  // a level floor at this y
  double floor_friction = kFriction;
  // Time constant of contacts: overlaps vanish within it. At least two steps, or it is made so.
  double contact_time = 0.004;
  // Ratio of friction's stiffness to the normal's. Contacts are soft, and softness in the tangent
  // is creep: at 10 what a hand holds creeps by a millimeter a second, at 100 it stays.
  double impedance_ratio = 100.0;
  // Extra sweeps that remove the rest of the creep, at some cost: the engine's own solver has them,
  // and is used if they are asked for.
  int noslip_iterations = 0;
  ContactSolver contact_solver = ContactSolver::kOurs;
  int solver_iterations = 50;
  // Of a step's forces, relative: where the contact solver may stop. 1e-6 takes 2.5 iterations
  // instead of 2.9 of a hand that lifts a box, which ends within 0.1 mm of the same place.
  double solver_tolerance = 1e-8;
  // More simultaneous contacts than this are left out (and counted by State::warnings). Memory of a
  // state grows with its square.
  int max_contacts = 100;
};

// Where things are in vectors of generalized velocities.
struct DofRange {
  int first = 0;
  int count = 0;
  int root = 0;  // of `count`, those of the root, which come first: 0 or 6
};

class World {
 public:
  static Result<std::shared_ptr<const World>> build(std::span<const HandSetup> hands,
                                                    std::span<const ObjectSetup> objects,
                                                    const WorldOptions& options = {});
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  const WorldOptions& options() const;
  int hand_count() const;
  int object_count() const;
  const Hand& hand(int index) const;
  const Object& object(int index) const;
  int dof() const;  // length of a generalized velocity
  DofRange hand_dofs(int hand) const;
  // First degree of freedom of a segment's joints, -1 if it is welded.
  int segment_dof(int hand, int segment) const;

  struct Impl;  // the engine's model; private to the room
  const Impl& impl() const { return *impl_; }

 private:
  World();
  std::unique_ptr<Impl> impl_;
};

using WorldPtr = std::shared_ptr<const World>;

}  // namespace prehend::physics
