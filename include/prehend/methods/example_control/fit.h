// A controller from clips of a hand and what it grasps (Pollard and Zordan 2005, section 5.1).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "prehend/core/clip.h"
#include "prehend/core/result.h"
#include "prehend/core/summary.h"
#include "prehend/methods/example_control/controller.h"
#include "prehend/methods/example_control/grasp_spans.h"
#include "prehend/physics/physics_in_force.h"

namespace prehend::example_control {

struct FitProblem {
  Clip example;               // a hand and an object, or two hands
  int hand = 0;               // track of the hand to control
  int object = 0;             // track of what it grasps; -1: the other hand
  std::vector<Clip> library;  // for the neutral pose and the limits, besides the example
  int library_hand = 0;       // track in the library's clips; the first where there are fewer
};

struct FitOptions {
  Gains gains;
  std::optional<Distances> distances;  // left empty: searched for the best fit
  // Which of the grasps that the example holds, from 0; -1: the best (best_grasp).
  int grasp = -1;
  double smoothing_seconds = 0.1;  // half width of the window that differentiates
  // The palm grips within this beyond its usual distance while it does, m.
  double contact_tolerance = 0.005;
  std::string name = "grasp";
};

// All that an example holds, whole or not, each released where its opening begins.
Result<std::vector<GraspSpan>> list_grasps(const FitProblem& problem,
                                           const FitOptions& options = {});

struct JointResidual {
  std::string joint;
  std::array<double, kPhaseCount> rms{};  // rad, of the equation's residual over 2 k_S, by state
  double all = 0.0;
};

struct FitResult {
  Controller controller;
  HandPtr hand;  // the ball hand that the clip was brought onto
  double frame_rate = 0.0;
  // The example as used: one entry a frame.
  std::vector<Phase> phases;
  std::vector<double> distances;   // what the palm has still to go, m
  Eigen::MatrixXd example_angles;  // frames x degrees of freedom
  Eigen::MatrixXd free_angles;     // the controller's, in free motion along the example's wrist
  // Frames that the setpoints are learned from. Handling, from half a second after the grip to the
  // release, is not: a controller has one grip.
  std::vector<char> learned;
  // How far the two are apart, rad, as the root of the mean square over the frames learned from: of
  // the joint angles (axis-angle components) that move, of the whole turn of the joints that move,
  // and of the joint that is off the most.
  double free_rms = 0.0;
  double free_joint_rms = 0.0;
  double worst_joint_rms = 0.0;
  double handling_joint_rms = 0.0;  // as free_joint_rms, over the frames not learned from
  std::vector<JointResidual> residuals;
  std::vector<GraspSpan> grasps;    // all that the example holds
  int grasp = 0;                    // the one used
  physics::PhysicsInForce physics;  // of the free motion
  Summary summary;
};

Result<FitResult> fit(const FitProblem& problem, const FitOptions& options = {},
                      const Monitor& monitor = {});

// The clip's hand as a ball hand: itself if it is one, as hands of rigs are; else a parametric one
// of its length and, of a hand that is not, its bones, and the poses brought onto it. Fails if
// joints are missing.
Result<HandTrack> as_ball_hand(const HandTrack& track);

}  // namespace prehend::example_control
