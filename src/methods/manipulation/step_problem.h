// Liu 2008, section 4, eq. 1 to 8: one step's constrained optimization.
//
// Over the displacements of joints and things and the coefficients lambda of the contact forces it
// minimizes
//   1 torque change  0.05 |Q - Q before|^2                                          eq. 5, 3
//   2 contacts       |p_hand - p_thing|^2, of contacts that hold                    eq. 6, G_M
//   3 goals          of the task                                                    section 5.1
//   4 lift           100 |sum of a hand's forces - what it expects to carry|^2      eq. 8, G_L
//   5 grip           |normal force - what just holds, times a margin|^2             eq. 8
//   6 pose           of the reach; and a little against joints that move for nothing
//   7 overlap        of what can not be kept apart, at a price above all others
// subject to
//   a  Newton's and Euler's equations of each thing                                 eq. 1, 2
//   b  lambda >= 0, joint limits, a bound on the grip                               eq. 8
//   c  no overlap of hands, things and surroundings                                 eq. 6
//   d  torques within the joints' strength                                          beyond the
//   paper
// Departs: sums of squares instead of sums of norms, which have no derivative where they vanish,
//          with lengths in millimeters (see the constants); forces act where the contacts are at
//          the middle of the three poses that make an acceleration, so that forces enter linearly;
//          the bound of eq. 8 is m g / (k mu), not the printed mu m g / k, which grows with
//          friction.
// Symbols: q coordinates; h the step; M mass matrix; V edges of the cones; x, y displacements and
//          forces, y where the problem is linearized.
#pragma once

#include <compare>
#include <optional>
#include <span>

#include "methods/manipulation/contact_set.h"
#include "methods/manipulation/goal_tracker.h"
#include "prehend/optimize/quadratic_program.h"

namespace prehend::manipulation {

// What a hand expects to carry of a thing (eq. 8).
struct LiftTerm {
  int thing = 0;
  Vec3 force = Vec3::Zero();  // N, of all hand contacts together
  double weight = 0.0;
};

// Where a wrist means to go in a step.
struct WristIntent {
  int arm = 0;
  Vec3 shift = Vec3::Zero();
  Vec3 weights = Vec3::Zero();  // of the goal that it comes from; 0: that axis is free
};

struct StepInput {
  const Moment* before = nullptr;
  const Moment* now = nullptr;
  std::span<ContactPoint> contacts;
  std::span<const GoalTracker> goals;
  std::vector<char> goal_active;
  std::vector<LiftTerm> lifts;
  std::vector<WristIntent> intents;
  std::vector<double> grip_most;       // N, of each contact of a hand with the thing; 0: no bound
  std::vector<double> grip_wanted;     // N, the same
  std::vector<Vec3> pushes;            // N, from outside at each thing's center of mass
  std::vector<Vec3> wrist_pushes;      // N, on each arm's wrist
  std::vector<Eigen::VectorXd> poses;  // of each arm to reach for; empty: none
  Eigen::VectorXd torque_before;       // N m, of the last step
};

// What an inequality is about, so that the same one is found again around another point: only what
// is near has a row.
struct InequalityName {
  enum class Kind { kHandGap, kSelfGap, kThingGap, kGrip, kTorque };
  Kind kind = Kind::kHandGap;
  // kHandGap: capsule (of all arms), thing, which of its places; kSelfGap: arm, pair of capsules;
  // kThingGap, kGrip: contact; kTorque: joint.
  int first = 0, second = 0, third = 0;
  auto operator<=>(const InequalityName&) const = default;
};

// The problem around a point: residuals and constraints with their exact derivatives.
struct Linearized {
  Eigen::MatrixXd rows;  // of the weighted residuals, whose squares add up to the objective
  Eigen::VectorXd residuals;
  Eigen::MatrixXd equality;
  Eigen::VectorXd equality_value;
  Eigen::MatrixXd inequality;  // value >= 0
  Eigen::VectorXd inequality_value;
  std::vector<InequalityName> inequality_names;
  int row_count = 0, inequality_count = 0;
};

class StepProblem {
 public:
  StepProblem(System& system, const Options& options);

  // Everything that does not depend on the displacements.
  void prepare(const StepInput& input);
  int size() const { return size_; }
  int pose_count() const { return system_.layout().poses; }
  // What may overlap although it should not has a variable for each kind, so that one that can not
  // be kept apart does not open the way to the others.
  enum Slack { kHandSlack, kThingSlack, kSelfSlack, kTorqueSlack, kSlacks };
  int slack(Slack kind) const { return size_ - kSlacks + kind; }
  int force_first(int contact) const { return force_first_[contact]; }
  const Eigen::VectorXd& lower() const { return lower_; }
  const Eigen::VectorXd& upper() const { return upper_; }
  // The last step's displacements: where to begin.
  Eigen::VectorXd start() const;

  void linearize(const Eigen::VectorXd& y, Linearized& out);
  void integrate(Eigen::VectorXd& x);
  // 1/2 sum of squares and the price of overlap.
  double objective(const Eigen::VectorXd& x, const Linearized& at_x) const;
  // Residual of eq. 1 and 2 over m g, and excess beyond cones over m g.
  double dynamics_residual(const Linearized& at_x) const;
  double cone_excess(const Eigen::VectorXd& x) const;
  Eigen::VectorXd torques(const Eigen::VectorXd& x) const;

  static constexpr double kOverlapPrice = 1e4;  // a meter

 private:
  void prepare_torques();
  void prepare_bounds();
  void add_forces(Linearized& out, const Eigen::VectorXd& y);
  void add_contacts(Linearized& out);
  void add_support(Linearized& out, const ContactPoint& contact);
  void add_goals(Linearized& out);
  void add_poses(Linearized& out, const Eigen::VectorXd& y);
  void add_equations(Linearized& out, const Eigen::VectorXd& y);
  void add_gaps(Linearized& out, const Eigen::VectorXd& y);
  void add_grip_bounds(Linearized& out, const Eigen::VectorXd& y);
  void add_torque_bounds(Linearized& out, const Eigen::VectorXd& y);
  void push_row(Linearized& out, double weight, double residual);
  void push_inequality(Linearized& out, const InequalityName& name, double value);

  System& system_;
  Options options_;
  const StepInput* input_ = nullptr;
  int size_ = 0;
  std::vector<int> force_first_;
  std::vector<char> busy_;  // things with goals
  Eigen::VectorXd lower_, upper_, velocity_, bias_;
  Eigen::MatrixXd mass_;
  Eigen::MatrixXd torque_rows_;  // Q = torque_rows x + torque_constant
  Eigen::VectorXd torque_constant_;
  Eigen::RowVectorXd row_;
  Moment after_;
  Linearized exact_;
  Jacobian goal_rows_;
  std::vector<Vec3> wrist_now_;
  std::vector<std::pair<int, int>> coupled_;  // coordinates of a finger's last two joints
};

}  // namespace prehend::manipulation
