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
  double length_;  // that torques are divided by
  double most_;    // N, at one contact
  double seconds_ = 0.0, since_plan_ = 0.0, share_ = 0.0, planned_ = 0.0, alpha_ = 0.0;
  double firm_ = 0.0;      // part of alpha that counts
  double squeeze_ = 0.0;   // N, sum of normal forces beyond what is needed
  bool carries_ = false;   // the contacts of the last plan can
  bool balanced_ = false;  // so can a squeeze
  bool opposed_ = false;   // one of the two, since the grip began
  bool settled_ = false;   // the object has its place
  bool slips_ = false;
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
