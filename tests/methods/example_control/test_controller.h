// Controllers for tests. The first is written by hand: a hand that comes with the thumb up and its
// palm facing a standing cylinder of 60 mm, and closes on it. The second is fitted.
#pragma once

#include "prehend/core/hand_builder.h"
#include "prehend/hands/closed_hand.h"
#include "prehend/methods/example_control/examples.h"
#include "prehend/methods/example_control/fit.h"
#include "prehend/methods/example_control/stage_grasp.h"
#include "tests/hands/ball_hand.h"

namespace prehend::example_control {

// Angles of the performer's hand on another.
inline Eigen::VectorXd on_hand(const hands::Performer& performer, const Eigen::VectorXd& q,
                               const Hand& hand) {
  const Hand& from = *performer.hand();
  return coordinates(hand, retarget(from, pose_from_coordinates(from, {}, q), hand));
}

// The wrist's path in meters from the cylinder's axis: in from the right, up, down, out.
inline ExamplePath test_path(const Transform& grip_wrist, const Transform& target) {
  ExamplePath path;
  const auto add = [&](double seconds, const Vec3& from, const Vec3& to, const Vec3& carried_from,
                       const Vec3& carried_to) {
    const int frames = static_cast<int>(seconds * path.frame_rate);
    for (int i = 0; i < frames; ++i) {
      const double part = minimum_jerk(double(i) / frames);
      path.wrist_world.push_back(
          {grip_wrist.rotation, grip_wrist.position + from + part * (to - from)});
      path.target_world.push_back(
          {target.rotation, target.position + carried_from + part * (carried_to - carried_from)});
      path.distances.push_back((path.wrist_world.back().position - grip_wrist.position -
                                (path.target_world.back().position - target.position))
                                   .norm());
    }
  };
  const Vec3 away(0.42, 0.06, 0.28), up(0.0, 0.15, 0.0), none = Vec3::Zero();
  add(1.2, away, none, none, none);
  path.grip_frame = static_cast<int>(path.wrist_world.size());
  add(0.5, none, none, none, none);
  add(0.8, none, up, none, up);
  add(0.8, up, none, up, none);
  path.release_frame = static_cast<int>(path.wrist_world.size());
  add(0.4, none, none, none, none);
  add(1.0, none, away, none, none);
  return path;
}

inline Controller test_controller(const Hand& hand) {
  Controller controller;
  controller.name = "test";
  controller.side = hand.side;
  controller.hand_length = hand.length;
  for (const Segment& segment : hand.segments) {
    if (segment.dof() == 3) controller.joints.push_back(segment.name);
  }
  const CoordinateLimits limits = coordinate_limits(hand);
  controller.lower = limits.lower;
  controller.upper = limits.upper;
  const hands::Performer performer;
  Random random(1);
  const hands::ClosedHand grasp =
      hands::close_hand(performer, hands::GraspKind::kCylindrical, 0.03, random);
  controller.neutral = on_hand(performer, 0.6 * grasp.closed + 0.4 * grasp.wide, hand);
  const Eigen::VectorXd open = on_hand(performer, 0.3 * grasp.closed + 0.7 * grasp.wide, hand);
  const Eigen::VectorXd grip = on_hand(performer, grasp.closed, hand);
  controller.positions.setZero(kSetpointCount, hand.dof());
  controller.velocities.setZero(kSetpointCount, hand.dof());
  for (int i = 0; i < kSetpointCount; ++i) {
    const Eigen::VectorXd& rest = i == 2 ? grip : i == 1 || i == 3 ? open : controller.neutral;
    controller.positions.row(i) = (2.0 * rest - controller.neutral).transpose();
  }
  controller.grip_distance = 0.001;
  controller.grip_seconds = 2.1;
  // What it holds stands upright, the thumb above, fingers towards -Z.
  const Transform& held = grasp.thing.place_wrist;
  const Vec3 up = -held.turn(Vec3::UnitY());
  const Vec3 back = (Vec3::UnitY() - Vec3::UnitY().dot(up) * up).normalized();
  Mat3 wrist_from_world;
  wrist_from_world << back, up, back.cross(up);
  const Quat turn(wrist_from_world.transpose());
  const Transform target = Transform::from_position({0.0, 0.09, 0.0});
  const double size = hand.length / performer.hand()->length;
  controller.path = test_path({turn, target.position - turn * (size * held.position)}, target);
  return controller;
}

// The controller of the built-in clip, with the distances of table 1.
inline const FitResult& fitted_grasp() {
  static const FitResult kResult = [] {
    FitProblem problem;
    problem.example = cylinder_grasp();
    problem.library = {range_of_motion()};
    FitOptions options;
    options.distances = Distances{};
    return fit(problem, options).value();
  }();
  return kResult;
}

// A hand that grasps, lifts, sets down and lets go of an object on a floor, as it is given and
// without a rehearsal.
inline StagedGrasp grasp_scene(const ObjectPtr& object, const GraspTask& task) {
  SimulationProblem scene;
  ControlledHand& hand = scene.hands.emplace_back();
  hand.hand = fitted_grasp().hand;
  hand.controller = std::make_shared<const Controller>(fitted_grasp().controller);
  hand.open_while_closing = true;
  scene.objects.push_back({object, Transform()});
  scene.floor_height = 0.0;
  GraspStaging staging;
  staging.task = task;
  staging.placement.turn = PlacementOptions::Turn::kNone;
  staging.presentation = Presentation::kSearched;
  return stage_grasp(scene, staging).value();
}

}  // namespace prehend::example_control
