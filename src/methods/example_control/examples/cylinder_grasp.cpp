// The grasp: a reach in which the hand opens wider than the cylinder at two thirds of the way, as
// people's do, and closes as it arrives.
#include "methods/example_control/examples/performance.h"
#include "prehend/geometry/primitive.h"
#include "prehend/hands/closed_hand.h"

namespace prehend::example_control {

namespace {

constexpr double kRadius = 0.03, kHalfHeight = 0.09, kMass = 0.2;
constexpr double kLift = 0.15;
// Of the way to the widest that the performer opens for such a thing: twice its size from tip to
// tip.
constexpr double kOpening = 0.6;
// Where the hand comes from and goes to, seen from where it grips: beside the cylinder and behind,
// the palm towards it.
const Vec3 kAway(0.42, 0.06, 0.28);

// Seconds. The palm has come when the fingers have yet to close for a moment; they open before it
// leaves.
constexpr double kStill = 0.5;
constexpr double kStart = kStill, kWidest = kStart + 0.65, kArrived = kStart + 1.0;
constexpr double kClosed = kArrived + 0.15;
constexpr double kLifting = kClosed + 0.35, kLifted = kLifting + 0.8;
constexpr double kLowering = kLifted + 0.2, kDown = kLowering + 0.8;
constexpr double kLettingGo = kDown + 0.2, kOpen = kLettingGo + 0.4;
constexpr double kLeaving = kOpen - 0.1, kRelaxing = kOpen + 0.35, kLeft = kLeaving + 1.0;
constexpr double kEnd = kLeft + kStill;

// Turns the hand such that what it holds stands upright, thumb above, fingers to -Z.
Transform grip_wrist_world(const Transform& cylinder_wrist) {
  const Vec3 up = -cylinder_wrist.turn(Vec3::UnitY());  // towards the thumb
  const Vec3 back = (Vec3::UnitY() - Vec3::UnitY().dot(up) * up).normalized();
  Mat3 wrist_from_world;
  wrist_from_world << back, up, back.cross(up);
  const Quat turn = Quat(wrist_from_world).normalized().conjugate();
  return {turn, Vec3(0.0, kHalfHeight, 0.0) - turn * cylinder_wrist.position};
}

Timeline<Transform> wrist_path(const Transform& grip_world) {
  const auto moved = [&](const Vec3& by) {
    return Transform{grip_world.rotation, grip_world.position + by};
  };
  Timeline<Transform> way(0.0, moved(kAway));
  way.stay(kStart);
  way.add(kArrived, grip_world);
  way.stay(kLifting);
  way.add(kLifted, moved({0.0, kLift, 0.0}));
  way.stay(kLowering);
  way.add(kDown, grip_world);
  way.stay(kLeaving);
  way.add(kLeft, moved(kAway));
  way.stay(kEnd);
  return way;
}

Timeline<Eigen::VectorXd> shapes(const Eigen::VectorXd& relaxed, const hands::ClosedHand& grasp) {
  const Eigen::VectorXd wide = interpolate(grasp.closed, grasp.wide, kOpening);
  Timeline<Eigen::VectorXd> shapes(0.0, relaxed);
  shapes.stay(kStart);
  shapes.add(kWidest, wide);
  shapes.add(kClosed, grasp.closed);
  shapes.stay(kLettingGo);
  shapes.add(kOpen, wide);
  shapes.stay(kRelaxing);
  shapes.add(kLeft, relaxed);
  return shapes;
}

}  // namespace

Clip cylinder_grasp(const PerformanceOptions& options) {
  const hands::Performer performer;
  Random random(options.seed);
  const hands::ClosedHand grasp =
      hands::close_hand(performer, hands::GraspKind::kCylindrical, kRadius, random);
  const Transform grip_world = grip_wrist_world(grasp.thing.place_wrist);
  const Timeline<Transform> wrist = wrist_path(grip_world);
  const Timeline<Eigen::VectorXd> hand = shapes(hands::relaxed_hand(performer, random), grasp);
  const Transform standing = Transform::from_position({0.0, kHalfHeight, 0.0});
  const Transform held = grip_world.inverse() * standing;

  Tracker tracker(performer, options, "right");
  Clip clip;
  clip.name = "cylinder-grasp";
  clip.frame_rate = options.frame_rate;
  clip.hands.push_back({tracker.hand(), {}});
  clip.objects.push_back({std::make_shared<const Object>(
                              geometry::object_from_primitive("cylinder", ShapeKind::kCylinder,
                                                              {kRadius, kHalfHeight, 0.0}, kMass)
                                  .value()),
                          {}});
  for (int f = 0; f < frame_count(kEnd, options.frame_rate); ++f) {
    const double time = f / options.frame_rate;
    const bool carried = time > kLifting && time < kDown;
    clip.hands[0].poses.push_back(tracker.see(wrist.at(time), hand.at(time)));
    clip.objects[0].poses_world.push_back(carried ? wrist.at(time) * held : standing);
  }
  return clip;
}

}  // namespace prehend::example_control
