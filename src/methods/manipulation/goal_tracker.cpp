// Liu 2008, section 5.1 and eq. 7: see the header.
#include "methods/manipulation/goal_tracker.h"

#include <algorithm>
#include <cmath>

#include <Eigen/LU>

namespace prehend::manipulation {
namespace {

// Share of the way over which speed rises, and over which it falls.
constexpr double kRamp = 0.45;
// Completion at which a goal counts as reached, and is kept from then on.
constexpr double kReached = 0.995;
// m or rad, below which a goal is met from the beginning.
constexpr double kMetAtFirst = 1e-3;
// s, in which an error that came from outside goes back to a third.
constexpr double kRetainTime = 0.12;
// m or rad: errors of this size go back slower, as the paper's normal distribution has it.
constexpr double kRetainReach = 0.15;
// s, in which a thing's motion along axes that a reached goal leaves open falls to a third, ...
constexpr double kRestTime = 0.25;
// ... and the weight of that over the goal's own: enough to stop a drift, too little to hold a
// thing against a push.
constexpr double kRestWeight = 0.1;
// Part of a goal's time in which the profile is run through; the rest is for what lags behind.
constexpr double kProfileShare = 0.8;
// Of the weight, each step, and how far it goes. A factor of 1.2 doubles in four steps.
constexpr double kReweight = 1.2, kMostWeight = 100.0, kLeastWeight = 1.0;
constexpr double kPassedBy = 2e-4;  // m, of a goal that is passed: farther off its way weighs more
// A goal's residual counts in millimeters and milliradians.
constexpr double kResidualScale = 1e-3;

double shape(double c) {
  const double middle = c - 0.5;
  const double bell = std::exp(-0.5 * middle * middle / kProfileVariance);
  return bell * std::min({1.0, std::sqrt(std::max(0.0, c) / kRamp),
                          std::sqrt(std::max(0.0, 1.0 - c) / kRamp)});
}

// Time that the profile takes from end to end: the square roots' ends in closed form of c = s^2.
double whole_time() {
  constexpr int kSteps = 2000;
  double time = 0.0;
  for (int i = 0; i < kSteps; ++i) {
    const double s = (i + 0.5) / kSteps;  // c = s^2 / 2 runs over the first half
    time += 2.0 * s / (shape(0.5 * s * s) * kSteps);
  }
  return time;
}

}  // namespace

double reaching_profile(double completion) {
  static const double kScale = whole_time();
  return kScale * shape(completion);
}

double retaining_profile(double share) {
  return std::exp(-0.5 * share * share / kProfileVariance) / kRetainTime;
}

Vec3 GoalTracker::point_world(const System& system) const {
  return system.thing_pose(goal_.object) * goal_.point_object;
}

Vec3 GoalTracker::residual(const System& system) const {
  switch (goal_.kind) {
    case GoalKind::kPosition:
      return point_world(system) - goal_.target;
    case GoalKind::kDirection:
      return system.thing_pose(goal_.object).turn(goal_.point_object) - goal_.target;
    case GoalKind::kRotation:
      return log_map(system.thing_pose(goal_.object).rotation * goal_.rotation.conjugate());
    case GoalKind::kVelocity:
      return point_world(system) - previous_point_;
    case GoalKind::kTip: {
      const FingerPad& pad = system.problem().arms[goal_.arm].hand->pads[int(goal_.digit)];
      return system.kinematics(goal_.arm).frames_world()[pad.segment] * pad.tip - goal_.target;
    }
  }
  return Vec3::Zero();
}

void GoalTracker::rows(const System& system, Eigen::Matrix<double, 3, Eigen::Dynamic>& rows) const {
  rows.setZero();
  Eigen::RowVectorXd row(rows.cols());
  for (int i = 0; i < 3; ++i) {
    row.setZero();
    const Vec3 axis = Vec3::Unit(i);
    if (goal_.kind == GoalKind::kTip) {
      const FingerPad& pad = system.problem().arms[goal_.arm].hand->pads[int(goal_.digit)];
      const Vec3 tip = system.kinematics(goal_.arm).frames_world()[pad.segment] * pad.tip;
      system.add_row(goal_.arm, pad.segment, tip, axis, row);
    } else if (goal_.kind == GoalKind::kPosition || goal_.kind == GoalKind::kVelocity) {
      system.add_thing_row(goal_.object, point_world(system), axis, row);
    } else {
      // Turning by w moves the direction v by w x v, and the rotation vector r by J_l(r)^-1 w. A
      // point at c + d moves along `axis` by (d x axis) . w, so d stands for the row's moment.
      const Transform& pose = system.thing_pose(goal_.object);
      Vec3 moment;
      if (goal_.kind == GoalKind::kDirection) {
        moment = pose.turn(goal_.point_object).cross(axis);
      } else {
        const Vec3 r = residual(system);
        const Mat3 left = exp_map_jacobian(r).transpose();
        moment = left.inverse().row(i).transpose();
      }
      system.add_turn_row(goal_.object, moment, row);
    }
    rows.row(i) = row;
  }
}

double GoalTracker::measure(const Vec3& residual) const {
  return Vec3((goal_.weights.array() > 0.0).select(residual, 0.0)).norm();
}

// Where a point should be a step from now that is to pass the target after `left` seconds:
// Lagrange's cubic through where it was and is, and where it should be one step before the end and
// then.
void GoalTracker::aim_to_pass(const Vec3& now, double left, double seconds) {
  const Vec3 before = begun_ ? previous_point_ : now;
  begun_ = true;
  previous_point_ = now;
  const double n = std::round(left / seconds);
  Vec3 next = goal_.target;
  if (n > 1.5) {
    const double times[4] = {-1.0, 0.0, n - 1.0, n};
    const Vec3 points[4] = {before, now, goal_.target - seconds * *goal_.passing, goal_.target};
    next.setZero();
    for (int i = 0; i < 4; ++i) {
      double share = 1.0;
      for (int j = 0; j < 4; ++j)
        if (j != i) share *= (1.0 - times[j]) / (times[i] - times[j]);
      next += share * points[i];
    }
  }
  wanted_ = next - goal_.target;
}

void GoalTracker::aim(const System& system, double time, double seconds) {
  if (goal_.passing) return aim_to_pass(point_world(system), goal_.time - time, seconds);
  if (goal_.kind == GoalKind::kVelocity) {
    const Vec3 now = point_world(system);
    previous_point_ = now;
    const double share = minimum_jerk(time + seconds, goal_.start, goal_.time);
    wanted_ = seconds * share * goal_.target;
    return;
  }
  const Vec3 now = residual(system);
  before_ = measure(now);
  if (!begun_) {
    begun_ = true;
    first_ = before_;
    reached_ = first_ < kMetAtFirst;
  }
  double rate;  // 1/s of what is left
  const double completion = first_ > 0.0 ? 1.0 - before_ / first_ : 1.0;
  if (!reached_ && completion > kReached) reached_ = true;
  if (reached_) {
    rate = retaining_profile(before_ / kRetainReach);
    desired_ = before_ * (1.0 - std::exp(-rate * seconds));
  } else {
    const double duration = kProfileShare * std::max(goal_.time - goal_.start, seconds);
    // From c to where a constant acceleration would be half a step on, so that a motion begins.
    const double begin = seconds / duration;
    const double ahead = std::min(1.0, std::max(completion, 0.0) + 0.25 * begin * begin);
    desired_ = std::min(before_, first_ * reaching_profile(ahead) * seconds / duration);
  }
  wanted_ = before_ > 0.0 ? Vec3(now * (1.0 - desired_ / before_)) : now;
  rest(now, seconds);
}

// Torques that do not change let a thing glide for ever along what a goal leaves open. Once the
// goal is reached, that comes to rest too.
void GoalTracker::rest(const Vec3& now, double seconds) {
  resting_ = reached_ && last_ && goal_.kind == GoalKind::kPosition;
  if (resting_) {
    const Vec3 slower = now + std::exp(-seconds / kRestTime) * (now - *last_);
    wanted_ = (goal_.weights.array() > 0.0).select(wanted_, slower);
  }
  last_ = now;
}

Vec3 GoalTracker::weights(double seconds) const {
  // What a residual says about an acceleration grows with the square of the step.
  const double finer = 1.0 / std::pow(30.0 * seconds, 4);
  Vec3 weights = factor_ * goal_.weights;
  if (resting_)
    weights = (weights.array() > 0.0)
                  .select(weights, Vec3::Constant(kRestWeight * goal_.weights.maxCoeff()));
  return weights * (finer / (kResidualScale * kResidualScale));
}

void GoalTracker::reweight(const System& system) {
  if (goal_.kind == GoalKind::kVelocity) return;
  if (goal_.passing) {
    const bool late = measure(residual(system) - wanted_) > kPassedBy;
    factor_ =
        std::clamp(late ? factor_ * kReweight : factor_ / kReweight, kLeastWeight, kMostWeight);
    return;
  }
  const double after = measure(residual(system));
  const double d = before_ - after;  // eq. 7
  factor_ = std::clamp(d < desired_ ? factor_ * kReweight : factor_ / kReweight, kLeastWeight,
                       kMostWeight);
  if (!reached_ && first_ > 0.0) progress_.push_back({0.0, 1.0 - after / first_, d / first_});
}

double GoalTracker::passing_error(const System& system, double seconds) const {
  return measure((point_world(system) - previous_point_) / seconds - *goal_.passing);
}

double GoalTracker::error(const System& system, double seconds) const {
  const Vec3 r = residual(system);
  if (goal_.kind == GoalKind::kVelocity) return measure(r / seconds - goal_.target);
  if (goal_.kind == GoalKind::kDirection) return 2.0 * std::asin(std::min(1.0, 0.5 * r.norm()));
  return measure(r);
}

}  // namespace prehend::manipulation
