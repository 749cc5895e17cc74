// The drop test of figure 2: the passive hand, its wrist jerked, to see and to choose its gains.
#pragma once

#include "prehend/core/clip.h"
#include "prehend/core/rigid_curve.h"
#include "prehend/methods/example_control/simulation.h"

namespace prehend::example_control {

// The passive hand (tau_P alone) falls with its forearm onto a stop: the wrist drops freely and is
// caught within `catch_seconds`.
struct DropTestOptions {
  Gains gains;
  Terms terms;         // arm and gravity compensation are off unless set: a relaxed hand
  double drop = 0.25;  // m
  double catch_seconds = 0.05;
  double watch_seconds = 1.5;
  double timestep = 0.002;
  double frame_rate = 60.0;
};

struct DropTest {
  Clip clip;
  double max_limit_violation = 0.0;  // rad
  double swing = 0.0;           // rad, the largest deviation of a joint from where it hung before
  double overshoot = 0.0;       // of the swing, how far the way back goes beyond rest
  double settle_seconds = 0.0;  // until all is within a twentieth of the swing
  double sag = 0.0;             // rad, rms of what gravity bends the resting hand from neutral
};

Result<DropTest> drop_test(const HandPtr& hand, const Controller& controller,
                           const DropTestOptions& options = {});

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
Result<TunedGains> tune_gains(const HandPtr& hand, const Controller& controller,
                              const DropTarget& target = {}, const DropTestOptions& options = {});

}  // namespace prehend::example_control
