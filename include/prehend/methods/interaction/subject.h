// A virtual subject: no public capture has both motion and force, so one is simulated.
//
// A hand with inertia, the joint compliances of the paper's table 1 and damping moves along an
// intention and touches things, in the physics room: nothing of the replay's equations is used.
// What it would have recorded is a capture, and its true compliances are known.
#pragma once

#include <cstdint>

#include "prehend/core/summary.h"
#include "prehend/methods/interaction/capture.h"

namespace prehend::interaction {

enum class SubjectTask {
  kTap,     // the index finger touches a table again and again
  kStroke,  // it strokes the table
  kBox,     // the hand picks up a box of 3 x 5 x 7 cm
  kBulb,    // thumb and fingers turn a bulb that stands on its screw, twice
  // The index finger rests on a platform that jumps up again and again, as the paper's spring-
  // loaded one (section 4.2).
  kPerturb,
};
const char* to_string(SubjectTask task);

struct SubjectOptions {
  SubjectTask task = SubjectTask::kTap;
  Task compliance = Task::kExploring;
  int taps = 20;
  double rate = 500.0;  // Hz of the capture, a whole share of 2000
  // What the capture's instruments add: markers of 0.3 mm on segments of 30 mm give angles of
  // 0.014 rad; a fingertip sensor has 0.02 N.
  double angle_noise = 0.0;            // rad
  double position_noise = 0.0;         // m, of the root
  double force_noise = 0.0;            // N, along each axis
  Vec3 box_size = {0.03, 0.05, 0.07};  // m: between thumb and fingers, upright, across the palm
  double box_mass = 0.012;             // kg
  double friction = 0.6;
  // Of the task kPerturb: the hand's back is held, so that the wrist does not turn. Free, the
  // hand's inertia hides most of the wrist's compliance within the window of the fit.
  bool braced = false;
  std::uint64_t seed = 1;
};

struct SubjectRun {
  Capture capture;
  HandCompliance compliance;  // the truth
  Clip clip;
  // Of the task kBox: mean sum of normal forces on the box over the last 0.2 s, and whether the box
  // left the table with the hand.
  double grip_force = 0.0;
  bool held = false;
};
Result<SubjectRun> simulate_subject(const SubjectOptions& options, const Monitor& monitor = {});

}  // namespace prehend::interaction
