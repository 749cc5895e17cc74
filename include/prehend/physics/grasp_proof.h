// Does a grasp hold? Proof by simulation, the protocol of the field's public benchmark for
// dexterous grasps: without gravity the hand closes on the free object and squeezes, then the
// object is pushed along +-x, +-y, +-z in turn.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "prehend/core/contact.h"
#include "prehend/physics/state.h"

namespace prehend::physics {

// What the hand is told to do: where its root stands, relative to the object, and the joint
// coordinates that its servos pull towards. The squeeze is a target inside the object that the
// servos, bounded by the joints' strength, never reach.
struct GraspPlan {
  Transform pregrasp_root;  // clear of the object, so that it is not pushed before all is in place
  Transform root_object;
  Eigen::VectorXd pregrasp;
  Eigen::VectorXd grasp;
  Eigen::VectorXd squeeze;
};

struct GraspProofOptions {
  double timestep = 0.004;
  int phase_steps = 100;        // pre-grasp to grasp, and grasp to squeeze, and settling before
  double push_per_mass = 10.0;  // N / kg
  double push_seconds = 2.0;    // each of the six
  // A push ends early once the object rests: once over `rest_seconds` it moved (and its surface
  // turned, at 5 cm) slower than this, in m/s. What it would still creep by is added to what is
  // reported. 0: every push lasts its whole time.
  double rest_speed = 0.0001;
  double rest_seconds = 0.1;
  double max_displacement = 0.05;  // m, of the center of mass, from where it stood at first
  double max_rotation = radians(15.0);
  double max_penetration = 0.01;  // m, when the hand first takes the grasp
  // Servo stiffness of a joint is its greatest torque over this angle, so that all joints of a
  // digit give way alike.
  double servo_range = 0.4;
  ContactSolver solver = ContactSolver::kOurs;
};

struct GraspProof {
  bool held = false;
  double closing_displacement = 0.0;  // m, at the end of the squeeze
  double closing_rotation = 0.0;      // rad
  double displacement = 0.0;          // m, worst of all
  double rotation = 0.0;              // rad
  double penetration = 0.0;           // m, deepest when the grasp is first taken
  double grip_force = 0.0;            // N, sum of normal forces at the end of the squeeze
  std::vector<Contact> contacts;      // at the end of the squeeze, with forces
  std::string reason;                 // why it did not hold; empty if it did
};

// A hand's servos, as strong as its muscles and as stiff as the options say.
struct GraspServos {
  HandSetup setup;            // fixed root
  Eigen::VectorXd stiffness;  // N m / rad, a coordinate each
  Eigen::VectorXd max_torque;
  Eigen::VectorXd overshoot;  // of targets, so that passive springs do not hold them back
};
GraspServos grasp_servos(const Hand& hand, const GraspProofOptions& options);

// Where a phase of the proof begins or ends.
struct GraspTargetPose {
  const Transform& root;
  const Eigen::VectorXd& coordinates;
};

// A world for one hand and one object, shared by the states of all threads.
class GraspProver {
 public:
  // Joints whose strength is unknown get the torque with which the straight digit pushes 20 N.
  static Result<std::shared_ptr<const GraspProver>> build(
      HandPtr hand, ObjectPtr object, std::shared_ptr<const geometry::SignedDistance> distance,
      const GraspProofOptions& options = {});

  const GraspProofOptions& options() const { return options_; }
  const Hand& hand() const { return world_->hand(0); }
  const WorldPtr& world() const { return world_; }
  const GraspServos& servos() const { return servos_; }

  // `state` is of world(); one a thread.
  GraspProof prove(State& state, const GraspPlan& plan) const;

 private:
  bool follow(State& state, const GraspTargetPose& from, const GraspTargetPose& to,
              bool smooth) const;
  bool close(State& state, const GraspPlan& plan, GraspProof& proof) const;
  bool push(State& state, GraspProof& proof) const;
  bool push_along(State& state, const Vec3& force, GraspProof& proof) const;
  bool moved_too_far(const Transform& pose, GraspProof& proof) const;

  GraspProofOptions options_;
  WorldPtr world_;
  GraspServos servos_;
};

// The hand with the strength of its joints filled in where it was unknown, such that no straight
// digit pushes more than `fingertip_force` with its tip.
Hand with_strength(const Hand& hand, double fingertip_force = kFingertipForce);

}  // namespace prehend::physics
