// Beyond the paper: see the headers.
#include "methods/example_control/touching_grip.h"

#include "methods/example_control/closing_direction.h"
#include "methods/example_control/example_data.h"
#include "prehend/geometry/prepared_object.h"
#include "prehend/hands/contact_retarget.h"
#include "prehend/methods/example_control/fit.h"
#include "prehend/methods/example_control/other_hand.h"

namespace prehend::example_control {

void bring_grip_to_touch(const SeenGrip& seen, const Hand& hand, Controller& controller) {
  hands::ContactRetargeter retargeter(seen.hand, hand);
  const auto touching =
      retargeter.solve(seen.pose, *geometry::prepare(seen.object)->contact(), seen.object_world);
  const Transform wrist = segment_frames(hand, touching.pose)[hand.wrist()];
  controller.path.grip_wrist_target = seen.object_world.inverse() * wrist;
  Eigen::VectorXd grip = coordinates(hand, touching.pose);
  const Eigen::VectorXd learned = controller.rest_pose(Setpoint::kGrip);
  for (int k = 0; k < grip.size(); k += 3)
    grip.segment<3>(k) = nearest_turn(grip.segment<3>(k), learned.segment<3>(k));
  // In free motion the hand does as the example did; on an object, as touches it.
  controller.touching = grip - learned;
  controller.closing = closing_direction(hand, grip);
}

Result<HandPtr> ball_hand(const HandPtr& hand) {
  const auto made = as_ball_hand({hand, {rest_pose(*hand)}});
  if (!made) return made.error();
  return made->hand;
}

Result<Controller> for_other_hand(const Controller& controller, const HandPtr& hand) {
  Controller made = controller;
  if (const Status fits = fits_hand(made, *hand); !fits) return fits.error();
  if (controller.object && controller.hand) {
    HandPose pose = pose_from_coordinates(*controller.hand, {}, controller.touching_pose());
    place_wrist(*controller.hand, controller.path.wrist_target(), pose);
    bring_grip_to_touch({*controller.hand, pose, controller.object, {}}, *hand, made);
  } else if (controller.closing.size() > 0) {
    made.closing = closing_direction(*hand, controller.touching_pose());
  }
  made.hand = hand;
  return made;
}

}  // namespace prehend::example_control
