// A captured grasp as the fit reads it: angles and their derivatives, the wrist, distances.
#pragma once

#include <vector>

#include "prehend/core/rigid_curve.h"
#include "prehend/core/smooth.h"
#include "prehend/methods/example_control/fit.h"

namespace prehend::example_control {

struct ExampleData {
  HandPtr hand;
  double frame_rate = 0.0;
  Smoothed angles;  // axis-angle, a frame a row
  std::vector<Transform> wrist_world;
  std::vector<Transform> target_world;
  Vec3 target_center = Vec3::Zero();  // of mass, of an object
  RigidCurve wrist;
  std::vector<double> palm;   // gap between palm and target, m
  std::vector<double> touch;  // between the second nearest digit and the target
  TouchTrack object;          // of an object: all that is known of how the hand touches it

  int frames() const { return static_cast<int>(wrist_world.size()); }
};

// The axis-angle vector of the same rotation that is nearest to `before`.
Vec3 nearest_turn(const Vec3& angles, const Vec3& before);
// Axis-angle vectors of all joints, a frame a row; a turn of more than pi goes on beyond it.
Eigen::MatrixXd joint_angles(const HandTrack& track);

Result<ExampleData> read_example(const FitProblem& problem, const FitOptions& options);

}  // namespace prehend::example_control
