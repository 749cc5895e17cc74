// The drop test of figure 2: the passive hand, its wrist jerked, to see and to choose its gains.
#pragma once

#include "prehend/core/clip.h"
#include "prehend/core/rigid_curve.h"
#include "prehend/core/summary.h"
#include "prehend/methods/example_control/simulation.h"
#include "prehend/physics/physics_in_force.h"

namespace prehend::example_control {

// The passive hand (tau_P alone), level and palm down, falls with its forearm onto a cushion: the
// wrist drops freely and is caught within `catch_seconds`.
struct DropTestOptions {
  Gains gains;
  // A relaxed hand: neither setpoints nor compensation of arm and gravity, unless set.
  Terms terms = {.arm = false, .gravity = false, .active = false};
  Quat wrist_world = Quat::Identity();  // how the hand is held: level and palm down
  double drop = 0.25;                   // m, in free fall
  double catch_seconds = 0.08;          // s; a cushion gives by about half of this times the speed
  double watch_seconds = 1.5;           // after the catch
  double timestep = 0.002;
  double frame_rate = 60.0;
};

// Deviations are those of single axis-angle components from where the hand hung before the fall.
struct DropTest {
  Clip clip;
  double fall_start = 0.0, catch_start = 0.0, catch_end = 0.0;  // s of the clip
  double max_limit_violation = 0.0;                             // rad
  std::string worst_joint;                                      // where that is
  double swing = 0.0;                                           // rad, the largest deviation
  // After the catch each component swings out and back. This is the farthest that one goes beyond
  // zero on its way back, over the largest deviation after the catch. After a catch that is short
  // against the swing, a joint that no other disturbs has exp(-pi z / sqrt(1 - z^2)), where
  // z = k_D / (2 sqrt(k_S)).
  double overshoot = 0.0;
  double settle_seconds = 0.0;  // from the catch's end until all stay within a twentieth of the
                                // swing; watch_seconds if they do not
  double sag = 0.0;  // rad, rms over the joints of the angle by which gravity bends them at rest
  double realtime_factor = 0.0;
  physics::PhysicsInForce physics;
  Summary summary;
};

// The wrist of the test, from one moment before the fall.
struct DropMotion {
  RigidCurve wrist_world;
  double fall_start = 0.0, catch_start = 0.0, catch_end = 0.0;
};
DropMotion drop_motion(double drop, double catch_seconds, const Quat& wrist_world);

Result<DropTest> drop_test(const HandPtr& hand, const Controller& controller,
                           const DropTestOptions& options = {}, const Monitor& monitor = {});

// k_S and k_D with which the hand behaves as a relaxed one does in the test: it sags no more than
// `max_sag` and settles in `settle_seconds` without swinging through.
struct DropTarget {
  double max_sag = radians(20.0);
  double settle_seconds = 0.5;
  double max_overshoot = 0.05;
};
struct TunedGains {
  Gains gains;
  DropTest result;
  int tests = 0;
};
// The softest that reaches the target: the least k_S, and for it the least k_D. k_JL stays.
Result<TunedGains> tune_gains(const HandPtr& hand, const Controller& controller,
                              const DropTarget& target = {}, const DropTestOptions& options = {},
                              const Monitor& monitor = {});

}  // namespace prehend::example_control
