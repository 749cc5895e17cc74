// The task of the built-in scenes: how an object is presented to a hand that knows one grasp, and
// the way of the wrist that grasps, lifts, shakes, sets down and lets go.
#pragma once

#include <memory>
#include <vector>

#include "prehend/core/object.h"
#include "prehend/core/rigid_curve.h"
#include "prehend/geometry/signed_distance.h"
#include "prehend/methods/example_control/controller.h"

namespace prehend::example_control {

// Where an object stands and where the wrist is when it grips it.
struct Presentation {
  Transform object_world;
  Transform grip_wrist_world;
  double quality = 0.0;  // newtons of squeeze that carry one newton of weight: less is better
  int digits = 0;        // that meet the object when the hand closes
  // Of the object's shape, sampled around where the hand closes: a simulation that is given it
  // need not stop for that.
  std::shared_ptr<const geometry::SignedDistance> distance;
  double floor_height = 0.0;  // what it stands on
  // That grips it so: the one given, or one that opens wider.
  std::shared_ptr<const Controller> controller;
};

struct PresentOptions {
  double floor_height = 0.0;
  double clearance = 0.004;  // between the hand and the floor, m
  // Of the object: only as it is given, only turned about the vertical, or on any side that it
  // stands on.
  enum class Turn { kNone, kUpright, kAny } turn = Turn::kAny;
  // Whether the hand may come from above with its palm turned down, where the example's faces
  // aside.
  bool turn_hand = true;
};

// Tries the sides on which the object stands, turns about the vertical and heights, closes the
// digits from the controller's open to its gripping pose, and takes what needs the least squeeze.
Result<Presentation> present(const Object& object, const Hand& hand, const Controller& controller,
                             const PresentOptions& options = {});
// Up to so many, the best first, that differ in the object's side or quarter turn or in how the
// hand comes; no dynamics decide here, so the first need not be the best in a simulation. Where
// none is good, as many more of hands that open wider than the example's.
Result<std::vector<Presentation>> presentations(const Object& object, const Hand& hand,
                                                const Controller& controller,
                                                const PresentOptions& options, int count);

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

// The example's own approach and retreat around the grip of `presentation`, the task between.
TaskPlan plan_task(const Controller& controller, const Hand& hand, const Presentation& presentation,
                   const GraspTask& task = {});

}  // namespace prehend::example_control
