// Small interactions that the room's tests share.
#pragma once

#include "prehend/core/hand_builder.h"
#include "prehend/geometry/primitive.h"
#include "prehend/hands/digits.h"
#include "prehend/hands/posture.h"
#include "prehend/methods/interaction/replay.h"

namespace prehend::interaction {

inline HandPtr test_hand() {
  static const HandPtr hand = std::make_shared<const Hand>(build_hand().value());
  return hand;
}

// The palm down, the index finger bent and lower than the others.
inline Eigen::VectorXd pointing() {
  const Hand& hand = *test_hand();
  Eigen::VectorXd q = Eigen::VectorXd::Zero(hand.dof());
  for (const Digit digit : kDigits)
    for (const int s : hands::segments_of(hand, digit))
      if (hand.segments[s].phalanx > 0)
        hands::set_angles(hand, s, radians(digit == Digit::kIndex ? 32 : 10), 0.0, q);
  hands::set_angles(hand, hands::segment_of(hand, Digit::kThumb, 0), radians(-20), radians(-20), q);
  return q;
}

// The lowest point of the index finger with the root at the origin.
inline Vec3 lowest_point(const Eigen::VectorXd& q) {
  const Hand& hand = *test_hand();
  const int tip = hands::segment_of(hand, Digit::kIndex, 3);
  const auto frames = segment_frames(hand, pose_from_coordinates(hand, {}, q));
  const Capsule placed = frames[tip] * hand.segments[tip].capsules[0];
  const Vec3 end = placed.a.y() < placed.b.y() ? placed.a : placed.b;
  return end - Vec3(0.0, placed.radius, 0.0);
}

// The finger comes down onto y = 0, means to go `depth` below it, slides by `slide` along x and
// rests: 0.2 s, 0.3 s, 0.3 s.
inline InteractionTrajectory press(double depth, double slide = 0.0) {
  InteractionTrajectory made;
  made.hand = test_hand();
  made.frame_rate = 500.0;
  made.compliance = made.low = made.high = typical_compliance(*made.hand, Task::kExploring);
  const Eigen::VectorXd q = pointing();
  const Vec3 lowest = lowest_point(q);
  for (int f = 0; f <= 400; ++f) {
    const double t = f / made.frame_rate;
    const double height = 0.005 - (0.005 + depth) * minimum_jerk(t, 0.0, 0.2);
    made.coordinates.push_back(q);
    made.roots_world.push_back(
        Transform::from_position(-lowest + Vec3(slide * minimum_jerk(t, 0.2, 0.5), height, 0.0)));
  }
  return made;
}

inline geometry::PreparedObjectPtr test_box(const Vec3& half, double mass, double friction) {
  Object box = geometry::object_from_primitive("box", ShapeKind::kBox, half, mass).value();
  box.friction = friction;
  return geometry::prepare(std::make_shared<const Object>(std::move(box)));
}

}  // namespace prehend::interaction
