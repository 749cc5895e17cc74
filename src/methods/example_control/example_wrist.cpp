// Beyond the paper, which replays its example on the hand that made it: see the header.
#include "prehend/methods/example_control/example_wrist.h"

namespace prehend::example_control {
namespace {

// Half way from the wrist to the middle finger's knuckle, in the wrist's frame.
Vec3 palm_middle(const Hand& hand) {
  const auto frames = segment_frames(hand, rest_pose(hand));
  const int knuckle = hand.find("middle-proximal");
  if (knuckle < 0) return Vec3::Zero();
  return 0.5 * (frames[hand.wrist()].inverse() * frames[knuckle].position);
}

}  // namespace

std::vector<Transform> example_wrists(const Controller& controller, const Hand& hand) {
  const Vec3 own = palm_middle(hand);
  const Vec3 examples = own * (controller.hand_length / hand.length);
  const Transform moved = Transform::from_position(examples - own);
  std::vector<Transform> wrists;
  for (const Transform& wrist : controller.path.wrist_world) wrists.push_back(wrist * moved);
  return wrists;
}

RigidCurve example_wrist_curve(const Controller& controller, const Hand& hand) {
  return RigidCurve::through_samples(example_wrists(controller, hand), controller.path.frame_rate);
}

}  // namespace prehend::example_control
