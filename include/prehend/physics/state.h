// One moment of a World: poses, velocities, what pushes, and the step to the next moment.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "prehend/core/contact.h"
#include "prehend/core/hand_pose.h"
#include "prehend/physics/world.h"

namespace prehend::physics {

// Velocity of a rigid body: of its frame's origin, in the world frame.
struct Twist {
  Vec3 linear = Vec3::Zero();
  Vec3 angular = Vec3::Zero();
};

// Everything that decides what happens next; restoring it replays the same bytes.
struct Snapshot {
  double time = 0.0;
  Eigen::VectorXd position, velocity, warm_start, mocap, applied, wrenches, servo;
  std::vector<char> servo_on;
};

// How often each solver found the forces of a step, or of evaluate(). Where nothing constrains the
// motion there is nothing to find, and the engine is asked.
struct SolverCounts {
  long ours = 0;
  long engines = 0;
};

class State {
 public:
  explicit State(WorldPtr world);
  ~State();
  State(State&&) noexcept;
  State& operator=(State&&) noexcept;

  const World& world() const;
  double time() const;

  // Hands at rest at the origin, objects at the origin, nothing moves, nothing pushes.
  void reset();
  Snapshot snapshot() const;
  void restore(const Snapshot& snapshot);

  // Poses. A driven root's target moves along with the pose.
  void set_hand_pose(int hand, const HandPose& pose);
  void set_hand(int hand, const Transform& root_world, const Eigen::VectorXd& coordinates);
  HandPose hand_pose(int hand) const;
  void hand_pose(int hand, HandPose& pose) const;  // without allocation when sizes fit
  void set_object_pose(int object, const Transform& pose_world);
  Transform object_pose(int object) const;

  // Velocities: all of them, or an object's.
  void set_velocity(const Eigen::VectorXd& velocity);
  Eigen::VectorXd velocity() const;
  void velocity(Eigen::VectorXd& velocity) const;  // without allocation when the size fits
  // Coordinates of a hand's joints, as core orders them; without allocation when the size fits.
  void joint_coordinates(int hand, Eigen::VectorXd& coordinates) const;
  void set_object_twist(int object, const Twist& twist_world);
  Twist object_twist(int object) const;

  // Moves along generalized velocity `direction` for `length`: the difference quotients' friend.
  void displace(const Eigen::VectorXd& direction, double length);

  // Where a driven or fixed root should be from the next step on.
  void set_root_target(int hand, const Transform& root_world);
  // The same for a driven root that moves: without lag behind the pose, since the weld is told
  // where it would lag to.
  void set_root_target(int hand, const Transform& root_world, const Twist& velocity_world,
                       const Twist& acceleration_world);
  // The joints' servos pull towards this pose (its root is not looked at) until a reset.
  void set_servo_target(int hand, const HandPose& pose);
  void set_servo_target(int hand, const Eigen::VectorXd& coordinates);
  // Torques of the servos at the present pose and velocity, as the next step will apply them, in
  // the order of generalized velocities.
  Eigen::VectorXd servo_torques() const;

  // What pushes until changed: generalized forces (all), and on an object a wrench whose torque is
  // about its center of mass, in the world frame.
  void set_applied(const Eigen::VectorXd& generalized_force);
  void set_object_wrench(int object, const Wrench& wrench_world);

  // One timestep; allocates nothing.
  void step();
  void step(int steps);
  // A step in two halves, for controllers: after the first, contacts (but not yet their forces),
  // frames and inertia of the present moment are known, and what pushes may still be set.
  void begin_step();
  void end_step();
  // Contacts and forces at the present pose and velocity, without moving.
  void evaluate();

  // Contacts at the beginning of the last step, or at the last evaluate(), with their forces.
  // Where a hand touches itself is not among them.
  void contacts(std::vector<Contact>& contacts) const;
  std::vector<Contact> contacts() const;
  // Deepest overlap of those contacts that involve this object and a hand, meters, 0 if none.
  double max_penetration(int object) const;

  // Since the state was made or reset.
  const SolverCounts& solver_counts() const;
  // Times that something went wrong in the engine (contacts left out, a diverging state).
  int warnings() const;
  // False once a position or velocity stopped being a number, or grew beyond reason, or the engine
  // gave up a step (more contacts than its memory holds).
  bool healthy() const;

  struct Impl;  // the engine's data; private to the room
  Impl& impl() { return *impl_; }
  const Impl& impl() const { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace prehend::physics
