// A cube that a hand lifts off the floor from above: captured wrist and cube, no fingers.
#pragma once

#include "prehend/core/hand_builder.h"
#include "prehend/geometry/primitive.h"
#include "prehend/methods/contact_sampling/sample.h"

namespace prehend::contact_sampling {

constexpr double kCubeHalf = 0.02;  // m

inline geometry::PreparedObjectPtr cube() {
  return geometry::prepare(std::make_shared<const Object>(
      geometry::object_from_primitive("cube", ShapeKind::kBox, Vec3::Constant(kCubeHalf), 0.1)
          .value()));
}

// Still for a third of the time, up by 0.1 m in the second, still in the third.
inline SamplingProblem lift_scene(int frames = 60) {
  SamplingProblem problem;
  problem.frame_rate = 60.0;
  problem.floor_height = 0.0;
  CapturedHand hand;
  hand.hand = std::make_shared<const Hand>(build_hand().value());
  CapturedObject object;
  object.object = cube();
  for (int f = 0; f < frames; ++f) {
    const double up = 0.1 * minimum_jerk(f, frames / 3.0, 2.0 * frames / 3.0);
    const Vec3 center(0.0, kCubeHalf + up, 0.0);
    object.poses_world.push_back(Transform::from_position(center));
    HandPose pose = rest_pose(*hand.hand);
    // The cube is below the fingertips of a hand that reaches down.
    pose.root_world.position = center + Vec3(0.0, 0.105, 0.09);
    hand.poses.push_back(pose);
  }
  problem.hands.push_back(hand);
  problem.objects.push_back(object);
  return problem;
}

}  // namespace prehend::contact_sampling
