// Beyond the paper: the task of the built-in scenes. The wrist grasps, lifts, shakes, sets down and
// lets go.
#pragma once

#include "prehend/core/rigid_curve.h"
#include "prehend/methods/example_control/placements.h"

namespace prehend::example_control {

struct GraspTask {
  double settle_seconds = 1.2;  // from the grip to the lift
  double lift = 0.2;            // m
  double lift_seconds = 1.0;
  double shake = 0.03;           // m to either side, along the world's x
  double shake_frequency = 2.0;  // Hz
  int shakes = 3;
  double release_seconds = 0.6;  // between letting go and leaving
};

struct TaskPlan {
  RigidCurve wrist_world;
  double grip = 0.0, lift = 0.0, shake = 0.0, set_down = 0.0, down = 0.0, release = 0.0,
         leave = 0.0, end = 0.0;  // s
};

// The example's own approach and retreat around the grip of `placement`, the task between.
TaskPlan plan_task(const Controller& controller, const Hand& hand, const GraspPlacement& placement,
                   const GraspTask& task = {});

}  // namespace prehend::example_control
