// Beyond the paper: see the header.
#include "methods/example_control/placing/approach_direction.h"

#include <cmath>

namespace prehend::example_control {
namespace {

// The last stretch of the approach, in which the fingers of a hand of 19 cm pass what they will
// grip, and how densely it is sampled (half a finger's width), m.
constexpr double kLastStretch = 0.15, kStretchStep = 0.01;
// A palm counts as level when at least this much of its unit direction is: tilted by 60 degrees.
constexpr double kLevel = 0.5;
// Turns towards a palm that faces down. A person's arm makes each; 30 degrees apart by eye.
constexpr double kTurns[] = {radians(30.0), radians(60.0), radians(90.0)};

// The example's hand and path, turned about where it grips.
ApproachDirection turned_direction(const Hand& hand, const Controller& controller,
                                   const Quat& turn) {
  const ExamplePath& path = controller.path;
  const Transform& grip = path.wrist_world[path.carried()];
  ApproachDirection found;
  found.wrist = turn * grip.rotation;
  found.turned = angle_between(turn, Quat::Identity());
  found.ahead = found.wrist * -Vec3::UnitY();
  const Vec3 fingers = found.wrist * -Vec3::UnitZ();
  found.across = found.ahead.cross(fingers);
  const Vec3 level(found.ahead.x(), 0.0, found.ahead.z());
  found.level = found.turned == 0.0 && level.norm() > kLevel;
  if (found.level) {
    found.ahead = level.normalized();
    found.across = Vec3::UnitY();
  }
  found.along = found.across.cross(found.ahead);
  if (found.along.dot(fingers) < 0.0) found.along = -found.along;
  const Vec3 target = path.target_center_world(path.carried()) - grip.position;
  found.target_along = hand.length / controller.hand_length * found.along.dot(turn * target);
  Vec3 last = Vec3::Zero();
  for (int f = path.carried() - 1; f >= 0; --f) {
    const Vec3 from_grip = path.wrist_world[f].position - grip.position;
    if (from_grip.norm() > kLastStretch) break;
    if ((from_grip - last).norm() < kStretchStep) continue;
    last = from_grip;
    found.last_stretch.push_back({turn * path.wrist_world[f].rotation, turn * from_grip});
  }
  return found;
}

}  // namespace

std::vector<ApproachDirection> approach_directions(const Hand& hand, const Controller& controller) {
  std::vector<ApproachDirection> all = {turned_direction(hand, controller, Quat::Identity())};
  if (!all[0].level) return all;
  const Vec3 axis = all[0].ahead.cross(-Vec3::UnitY());
  for (double turn : kTurns)
    all.push_back(turned_direction(hand, controller, exp_map(turn * axis)));
  return all;
}

}  // namespace prehend::example_control
