// Liu 2008, section 5.1: kinematic objectives, their velocity profiles and adaptive weights.
// Implements: eq. 7, the reaching and the retaining profile, adaptive reweighting.
// Departs:    the reaching profile's ends rise and fall as a square root of the way, which is a
//             constant acceleration: with the normal distribution alone (variance 0.4 of the way,
//             0.73 of its peak at both ends) a motion would begin and end abruptly. The profile is
//             scaled such that a goal is met at its time. A goal may also be passed at a velocity,
//             as the hammer's, which the paper gives as an objective of its own: the way there is
//             then the cubic through the last two steps' points and the wanted last two.
// Symbols:    G residual of a goal; completion 0 where it began, 1 where it is met; d progress.
#pragma once

#include <optional>

#include "methods/manipulation/system.h"

namespace prehend::manipulation {

// The paper's variance of the normal distribution, of the way as 1.
inline constexpr double kProfileVariance = 0.4;

// Speed over the way at a completion, for a motion of unit time.
double reaching_profile(double completion);
// Rate, 1/s, at which an error that is `share` of the largest that is put up with goes back.
double retaining_profile(double share);

class GoalTracker {
 public:
  explicit GoalTracker(const Goal& goal) : goal_(goal) {
    if (momentary()) end_ = goal.time;
  }

  const Goal& goal() const { return goal_; }
  // Met at a moment and over then: velocities.
  bool momentary() const { return goal_.kind == GoalKind::kVelocity || goal_.passing.has_value(); }
  bool active(double time) const { return time >= goal_.start - 1e-9 && time < end_ - 1e-9; }
  double end() const { return end_; }
  void set_end(double end) { end_ = end; }

  // Residual and its derivative where the system is placed; the point before the step is for
  // velocities.
  Vec3 residual(const System& system) const;
  void rows(const System& system, Eigen::Matrix<double, 3, Eigen::Dynamic>& rows) const;

  // Before a step from where the system is placed: what the residual should be after it.
  void aim(const System& system, double time, double seconds);
  const Vec3& wanted() const { return wanted_; }
  // Weights of the three components of (residual - wanted), 1 / m^2 or alike.
  Vec3 weights(double seconds) const;
  // After the step, where the system is placed: was it too slow?
  void reweight(const System& system);

  // m, rad or m/s, after a step of `seconds`.
  double error(const System& system, double seconds) const;
  // m/s, of a goal that is passed.
  double passing_error(const System& system, double seconds) const;
  // The motion towards the goal: completion and speed (of completion, 1/s) of each step.
  struct Progress {
    double time, completion, speed;
  };
  const std::vector<Progress>& progress() const { return progress_; }

 private:
  Vec3 point_world(const System& system) const;
  double measure(const Vec3& residual) const;
  void aim_to_pass(const Vec3& now, double left, double seconds);
  void rest(const Vec3& now, double seconds);

  Goal goal_;
  double end_ = 1e9;
  bool begun_ = false, reached_ = false;
  double first_ = 0.0;    // residual's size when it began
  double before_ = 0.0;   // and before this step
  double desired_ = 0.0;  // progress wanted in this step
  double factor_ = 1.0;   // of the weight
  Vec3 wanted_ = Vec3::Zero();
  std::optional<Vec3> last_;  // the residual a step ago
  bool resting_ = false;      // what the goal leaves open is brought to rest
  Vec3 previous_point_ = Vec3::Zero();
  std::vector<Progress> progress_;
};

}  // namespace prehend::manipulation
