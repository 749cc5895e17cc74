// A wrist that is moved live: by someone's mouse or tracker, sixty times a second and not between.
#pragma once

#include <algorithm>
#include <cmath>

#include "prehend/core/rigid_curve.h"

namespace prehend::example_control {

// Follows as a critically damped spring, so that velocity and acceleration are known and smooth and
// the arm's motion can be compensated as that of a curve. It comes 2 / kFrequency late.
class WristFollower {
 public:
  explicit WristFollower(const RigidCurve::Motion& start) : motion_(start) {}

  const RigidCurve::Motion& motion() const { return motion_; }

  void advance(const Transform& target, double dt) {
    const Vec3 behind = shortened(motion_.pose.position - target.position, kAhead);
    const Step moved = spring(behind, motion_.velocity, dt);
    motion_.pose.position += moved.place - behind;
    motion_.velocity = moved.velocity;
    motion_.acceleration = moved.acceleration;
    const Vec3 turned_by =
        shortened(log_map(motion_.pose.rotation * target.rotation.conjugate()), kAheadTurn);
    const Step turned = spring(turned_by, motion_.angular_velocity, dt);
    motion_.pose.rotation =
        (exp_map(turned.place - turned_by) * motion_.pose.rotation).normalized();
    motion_.angular_velocity = turned.velocity;
    motion_.angular_acceleration = turned.acceleration;
  }

 private:
  // 1/s: sixty poses a second melt into one motion, 40 ms late.
  static constexpr double kFrequency = 50.0;
  // What is farther away pulls no harder, so that a leap is a fast reach: 2.5 m/s, 25 rad/s.
  static constexpr double kAhead = 0.1;      // m
  static constexpr double kAheadTurn = 1.0;  // rad

  struct Step {
    Vec3 place, velocity, acceleration;
  };
  // A critically damped spring at zero, solved over one step.
  static Step spring(const Vec3& place, const Vec3& velocity, double dt) {
    const double fade = std::exp(-kFrequency * dt);
    const Vec3 slope = velocity + kFrequency * place;
    Step step;
    step.place = fade * (place + dt * slope);
    step.velocity = fade * (velocity - kFrequency * dt * slope);
    step.acceleration = -kFrequency * kFrequency * step.place - 2.0 * kFrequency * step.velocity;
    return step;
  }
  static Vec3 shortened(const Vec3& v, double most) {
    return v * (most / std::max(most, v.norm()));
  }

  RigidCurve::Motion motion_;
};

}  // namespace prehend::example_control
