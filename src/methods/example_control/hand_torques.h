// Torques of one controlled hand, eq. 1-7.
#pragma once

#include <memory>

#include "prehend/core/rigid_curve.h"
#include "prehend/methods/example_control/simulation.h"
#include "prehend/physics/state.h"

namespace prehend::example_control {

// Keeps its scratch: no allocation after the first call. One a hand.
class HandTorques {
 public:
  HandTorques(const physics::World& world, int hand, std::shared_ptr<const Controller> controller,
              const Gains& gains, const Terms& terms);

  // Reads angles and rates of the present moment.
  void read(const physics::State& state);
  // Springs as many times stiffer as this says, a degree of freedom each.
  void stiffen(const Eigen::VectorXd& times) { stiffening_ = times; }
  const Eigen::VectorXd& angles() const { return angles_; }

  // Accelerations of eq. 4 and 5 into this hand's entries of a generalized acceleration. What is
  // `beyond` the blend's setpoints, rad a degree of freedom, is added to them; empty: nothing.
  void accelerations(const Blend& blend, Eigen::VectorXd& generalized,
                     const Eigen::VectorXd& beyond = {});
  // Adds tau_ARM and tau_G to the torques that `generalized` has of this hand.
  void add_compensation(physics::State& state, const RigidCurve::Motion& wrist,
                        Eigen::VectorXd& generalized);

  int first() const { return first_; }
  int count() const { return count_; }

 private:
  int hand_;
  int first_, count_;  // the joints' degrees of freedom
  std::shared_ptr<const Controller> controller_;
  Gains gains_;
  Terms terms_;
  Setpoints pull_;  // k_S P_S + k_D P_D
  Eigen::VectorXd stiffening_;
  Eigen::VectorXd velocity_, angles_, rates_, wanted_, rigid_;
};

}  // namespace prehend::example_control
