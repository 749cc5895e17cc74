// Beyond the paper: see the header.
#include "methods/example_control/placing/closing_poses.h"

namespace prehend::example_control {
namespace {

// Digits close up to this far, 1 being the grip's pose: in a simulation the springs and the hold
// pull on beyond the grip while nothing stops them. The first for hands that go on along the line
// from the open pose, the second for those that know how they close (Controller::closing): what the
// hold adds to alpha at most (HoldOptions::max_alpha).
constexpr double kFarthestAlongLine = 1.6, kFarthestClosing = 2.5;

}  // namespace

hands::ClosingPoses closing_poses(const Hand& hand, const Controller& controller) {
  const Controller within = within_range(controller, hand);
  hands::ClosingPoses poses;
  poses.open = within.rest_pose(Setpoint::kOpen);
  poses.to_grip = within.touching_pose() - poses.open;
  const bool knows = controller.closing.size() > 0;
  poses.beyond = knows ? controller.closing : poses.to_grip;
  poses.farthest = knows ? kFarthestClosing : kFarthestAlongLine;
  return poses;
}

}  // namespace prehend::example_control
