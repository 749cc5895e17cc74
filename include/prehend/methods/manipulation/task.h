// What a manipulation is made of: arms, objects, how each hand grips (grip style), and what is to
// be reached (task). The three parts are independent, and any of each go together that fit.
//
// Liu, "Synthesis of Interactive Hand Manipulation", SCA 2008, sections 3 and 5.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "prehend/core/hand_pose.h"
#include "prehend/geometry/prepared_object.h"
#include "prehend/hands/digits.h"

namespace prehend::manipulation {

// An arm with its hand: HandProfile::kArm. The root, its shoulder, stands still.
struct Arm {
  HandPtr hand;
  Transform shoulder_world;
  Eigen::VectorXd start;  // coordinates; empty: the elbow bent and the hand relaxed
};

struct Thing {
  geometry::PreparedObjectPtr object;  // fixed ones are the surroundings
  Transform pose_world;
  // What the hand expects (section 5.2); left out: the truth.
  std::optional<double> expected_mass;  // kg
  std::optional<double> expected_friction;
};

// A preferred pose and the places of the hand that touch first (section 6).
struct GripStyle {
  int arm = 0;
  int object = 0;
  Eigen::VectorXd preferred;  // coordinates of the arm's hand
  std::vector<hands::SkinPoint> handles;
  std::vector<std::string> handle_names;  // for messages
  // Near which point of the surface each handle is meant, in the object's frame; empty: anywhere.
  std::vector<Vec3> places_object;
  // Where the wrist is wanted, in the object's frame.
  Transform wrist_object;
  double start = 0.0;     // s, when the hand sets out
  double duration = 1.2;  // s, from there to the grip
};

enum class GoalKind {
  kPosition,   // of a point of the object; axes with weight 0 are free
  kDirection,  // of an axis of the object
  kRotation,   // of the object
  kVelocity,   // of a point of the object, at the moment `time`
  kTip,        // of a finger's tip
};

// A kinematic objective (section 5.1): like a keyframe, it is to be met at `time` and kept until
// the next one of the same kind and thing begins.
struct Goal {
  std::string name;
  GoalKind kind = GoalKind::kPosition;
  int object = 0;
  int arm = 0;                       // kTip
  Digit digit = Digit::kIndex;       // kTip
  double start = 0.0, time = 1.0;    // s, on the task's clock, which begins with the first lift
  Vec3 point_object = Vec3::Zero();  // kPosition, kVelocity; kDirection: the axis
  Vec3 target = Vec3::Zero();        // m, m/s, or the direction in the world
  // kPosition: the point passes its target at this velocity (m/s) at `time`, and the goal is over
  // then; not given: it comes to rest there.
  std::optional<Vec3> passing;
  Quat rotation = Quat::Identity();     // kRotation
  Vec3 weights = Vec3::Constant(10.0);  // of the three components (the paper's table 1)
  double tolerance = 0.005;             // m, rad or m/s: what counts as met
  double passing_tolerance = 0.1;       // m/s
};

// A force from outside.
struct Disturbance {
  int object = -1;                // or
  int arm = -1;                   // on its wrist
  double start = 0.0, end = 0.0;  // s, on the task's clock
  Vec3 force_world = Vec3::Zero();
};

struct Problem {
  std::vector<Arm> arms;
  std::vector<Thing> things;
  std::vector<GripStyle> grips;
  std::vector<Goal> goals;
  std::vector<Disturbance> disturbances;
  double seconds = 3.0;  // of the task, after the hands have gripped
};

struct Options {
  double timestep = 1.0 / 30.0;  // s, the paper's
  // Weights of section 7.
  double torque_change_weight = 0.05;  // a squared N m per step
  double lift_weight = 100.0;          // a squared N, at first
  // What of the lift's weight goes each step: 0.75 for a fast muscle response, 0.5 for a slow one.
  double attenuation = 0.75;
  // How far beyond what just holds a hand grips. People keep 1.2 to 2 in precision grips.
  double grip_margin = 1.5;
  bool rolling = true;   // contact points move over both surfaces; false: the paper's fixed ones
  bool coupled = false;  // the last joint of a finger follows the one before it by two thirds
  bool torque_limits = true;
};

}  // namespace prehend::manipulation
