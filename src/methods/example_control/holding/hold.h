// What a grip needs to carry: the least joint torque Jt f whose forces f, from a cone program over
// the live contacts, hold the object where it was gripped.
#pragma once

#include <span>
#include <vector>

#include "prehend/core/rigid_curve.h"
#include "prehend/methods/example_control/simulation.h"
#include "prehend/optimize/cone_program.h"
#include "prehend/physics/grasp_quality.h"

namespace prehend::example_control {

class Hold {
 public:
  Hold(const Hand& hand, ObjectPtr object, const HoldOptions& options);

  struct Situation {
    std::span<const Transform> frames_world;  // of the hand's segments
    RigidCurve::Motion wrist;                 // as it is meant to move
    Transform object_world;
    physics::Twist object_twist;
    Vec3 gravity_world;
    std::span<const Contact> contacts;  // of this hand with this object
    double alpha = 0.0;                 // grip strength: how much firmer than needed
  };
  // Once a step. `gripping` says whether force should come or go.
  void update(const Situation& now, bool gripping, double dt);
  // Of the joints, in the segments' frames.
  const Eigen::VectorXd& torques() const { return torques_; }
  // Sum of the normal forces planned last, N.
  double planned_force() const { return planned_; }
  // How much farther than its setpoint the grip should close, eq. 15-16.
  double extra_alpha() const { return alpha_; }

 private:
  Wrench wanted_wrench(const Situation& now, double dt);
  void plan(const Situation& now, const Wrench& wrench);
  void plan_squeeze(const Situation& now);
  void add_force(const Situation& now, const Contact& contact, const Vec3& force,
                 const Vec3& torque);
  void bound_torques();

  const Hand& hand_;
  ObjectPtr object_;
  HoldOptions options_;
  double length_;  // m, the object's lever: a torque over it weighs like a force
  double most_;    // N, the greatest normal force planned at one contact
  double seconds_ = 0.0, since_plan_ = 0.0, share_ = 0.0, planned_ = 0.0, alpha_ = 0.0;
  double firm_ = 0.0;     // share of alpha that counts: 0 until the object has its place, then 1
  double squeeze_ = 0.0;  // N, sum of the normal forces beyond those that carry the object
  // The forces of the last plan give the wanted wrench, up to a tenth of the weight.
  bool carries_ = false;
  // The last plan found a squeeze whose forces balance each other.
  bool balanced_ = false;
  // Since the grip began carries_ or balanced_ was true once: something opposes the digits.
  bool opposed_ = false;
  bool settled_ = false;   // the grip is old enough that where the object is counts as its place
  bool slips_ = false;     // the object moves against the wrist
  Transform place_wrist_;  // of the object, where it was gripped
  Wrench lasting_;         // what the offset has asked for so far
  std::vector<int> offsets_;
  optimize::ConeProgram program_;
  optimize::ConeProgramResult solved_;
  std::vector<optimize::ConeContact> cones_;
  std::vector<physics::GraspContact> grasp_;
  std::vector<double> preferred_;
  std::vector<double> strength_;  // of the segments' joints, N m
  Eigen::VectorXd planned_torques_, torques_;
};

}  // namespace prehend::example_control
