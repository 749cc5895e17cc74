// A controller of random numbers: whole, and of no use but to be written, mirrored and checked.
#pragma once

#include <cstdint>

#include "prehend/core/random.h"
#include "prehend/methods/example_control/controller.h"

namespace prehend::example_control {

// Angles and their speeds up to `most`, limits around the neutral pose, a path of four frames.
inline Controller random_controller(const Hand& hand, double most, std::uint64_t seed) {
  Controller controller;
  controller.name = "test";
  controller.side = hand.side;
  controller.hand_length = hand.length;
  for (const Segment& segment : hand.segments)
    if (!segment.joints.empty()) controller.joints.push_back(segment.name);
  const int dof = hand.dof();
  Random random(seed);
  const auto fill = [&](auto& values) {
    for (Eigen::Index i = 0; i < values.size(); ++i) values(i) = random.uniform(-most, most);
  };
  controller.neutral.resize(dof);
  controller.positions.resize(kSetpointCount, dof);
  controller.velocities.resize(kSetpointCount, dof);
  fill(controller.neutral);
  fill(controller.positions);
  fill(controller.velocities);
  controller.lower = controller.neutral.array() - 0.5 * most;
  controller.upper = controller.neutral.array() + 0.25 * most;
  controller.grip_distance = 0.0412;
  controller.grip_seconds = 1.75;
  controller.path.target_center = {0.01, -0.02, 0.03};
  controller.path.frame_rate = 120.0;
  controller.path.grip_frame = 1;
  controller.path.release_frame = 3;
  for (int i = 0; i < 4; ++i) {
    controller.path.wrist_world.push_back({exp_map(random.direction()), random.direction()});
    controller.path.target_world.push_back({exp_map(random.direction()), random.direction()});
    controller.path.distances.push_back(0.125 * i);
  }
  return controller;
}

}  // namespace prehend::example_control
