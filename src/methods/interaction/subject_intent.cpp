// Beyond the paper: the performances of a virtual subject, who stands in for the paper's person.
#include "methods/interaction/subject_intent.h"

#include <algorithm>
#include <cmath>

#include "prehend/core/random.h"
#include "prehend/geometry/builtin.h"
#include "prehend/geometry/primitive.h"
#include "prehend/hands/closed_hand.h"
#include "prehend/hands/digits.h"

namespace prehend::interaction {
namespace {

constexpr double kTableThickness = 0.04;  // m
// How much farther than touching the joints mean to go, as a share of the way from open to closed:
// a grip of 5 N on the box, whose weight would take 0.2 N.
constexpr double kSqueeze = 0.1;
// s of a change of speed at a corner of an even path: well before and after a touch.
constexpr double kCorner = 0.03;

// m that a resting finger means to be below the platform: 0.5 to 1.5 N, as in the paper's table 2.
constexpr double kRestDepth = 0.006, kRestDepthBraced = 0.0021;
// Friction of the platform: it slides under the finger, so that it pushes along the vertical alone.
constexpr double kSmooth = 0.0;
// The platform's jump: the paper's is over within two video frames, and so fast that the
// fingertip's mass counts. It comes back slowly.
constexpr double kJump = 0.002, kJumpTime = 0.012;    // m, s
constexpr double kStaysUp = 0.15, kComesBack = 0.25;  // s

TrajectoryObject table(double friction) {
  Object made = geometry::object_from_primitive("table", ShapeKind::kBox,
                                                {0.2, 0.5 * kTableThickness, 0.2}, 10.0)
                    .value();
  made.fixed = true;
  made.friction = friction;
  return {std::make_shared<const Object>(std::move(made)),
          Transform::from_position({0.0, -0.5 * kTableThickness, 0.0})};
}

// How the index finger is bent, degrees. Where it is bent as for a stroke, friction takes most of
// the torque that a tap has about the knuckle; flat, little is left for the other two joints.
constexpr hands::FingerAngles kStroking = {38.0, 32.0, 18.0, 0.0};
constexpr hands::FingerAngles kTapping = {36.0, 34.0, 18.0, 0.0};
constexpr hands::FingerAngles kResting = {25.0, 20.0, 10.0, 0.0};

// The palm down, the index finger a little bent and lower than all others.
Eigen::VectorXd pointing(const hands::Performer& performer, const hands::FingerAngles& index) {
  Eigen::VectorXd q = Eigen::VectorXd::Zero(performer.hand()->dof());
  performer.set(Digit::kIndex, index, q);
  for (const Digit finger : {Digit::kMiddle, Digit::kRing, Digit::kLittle})
    performer.set(finger, {5.0, 25.0, 15.0, 0.0}, q);
  performer.set(hands::ThumbAngles{-20.0, -20.0, 0.0, 10.0, 10.0}, q);
  return q;
}

// Wrist such that the lowest point of the index finger is at the origin.
Transform wrist_over_origin(const Hand& hand, const Eigen::VectorXd& q) {
  const int tip = hands::segment_of(hand, Digit::kIndex, 3);
  const auto frames = segment_frames(hand, pose_from_coordinates(hand, {}, q));
  Vec3 lowest(0.0, HUGE_VAL, 0.0);
  for (const Capsule& shape : hand.segments[tip].capsules) {
    const Capsule placed = frames[tip] * shape;
    for (const Vec3& end : {placed.a, placed.b})
      if (end.y() - placed.radius < lowest.y()) lowest = end - Vec3(0.0, placed.radius, 0.0);
  }
  return Transform::from_position(-lowest);
}

Intent touch(const SubjectOptions& options, bool stroke) {
  const hands::Performer performer;
  const Eigen::VectorXd q = pointing(performer, stroke ? kStroking : kTapping);
  const Transform over = wrist_over_origin(*performer.hand(), q);
  // m over the table before and between taps, and under it at their lowest.
  constexpr double kAbove = 0.0375, kBelow = -0.0195;
  const auto pose = [&](double height, double back) {
    Transform wrist = over;
    wrist.position += Vec3(0.0, height, back);
    return IntendedPose{wrist, q};
  };
  Intent intent{performer.hand(),
                {0.0, stroke ? pose(0.03, -0.05) : pose(kAbove, 0.0), hands::Pace::kEven}};
  intent.round_corners = true;
  const auto key = [&](double time, double height, double back) {
    intent.path.add(time, pose(height, back));
  };
  if (stroke) {
    key(0.4, -0.006, -0.05);
    key(0.6, -0.006, -0.05);
    key(1.8, -0.006, 0.05);
    key(2.2, 0.03, 0.06);
    key(2.4, 0.03, 0.06);
  } else {
    // 0.15 m/s for 0.25 s before the touch and 0.13 s after it.
    for (int i = 0; i < options.taps; ++i) {
      const double start = 0.8 * i;
      key(start + 0.05, kAbove, 0.0);
      key(start + 0.43, kBelow, 0.0);
      key(start + 0.5, kBelow, 0.0);
      key(start + 0.75, kAbove, 0.0);
    }
    key(0.8 * options.taps + 0.05, kAbove, 0.0);
  }
  intent.objects = {table(options.friction)};
  return intent;
}

// The finger comes down once and rests on the platform, which jumps while it does.
Intent rest_on_platform(const SubjectOptions& options) {
  const hands::Performer performer;
  const Eigen::VectorXd q = pointing(performer, kResting);
  Transform wrist = wrist_over_origin(*performer.hand(), q);
  const double ground = wrist.position.y();
  const double depth = options.braced ? kRestDepthBraced : kRestDepth;
  const auto pose = [&](double height) {
    wrist.position.y() = ground + height;
    return IntendedPose{wrist, q};
  };
  Intent intent{performer.hand(), {0.0, pose(0.01)}};
  constexpr double kFirst = 0.9, kEvery = 0.8;  // s
  for (int i = 0; i < options.taps; ++i) intent.jumps.push_back(kFirst + kEvery * i);
  intent.path.add(0.4, pose(-depth));
  intent.path.stay(kFirst + kEvery * options.taps);
  // Small, so that no other finger comes down on it, and heavy, so that no push moves it.
  Object platform = geometry::object_from_primitive("platform", ShapeKind::kBox,
                                                    {0.02, 0.5 * kTableThickness, 0.02}, 10.0)
                        .value();
  platform.friction = kSmooth;
  intent.objects = {{std::make_shared<const Object>(std::move(platform)),
                     Transform::from_position({0.0, -0.5 * kTableThickness, 0.0})}};
  intent.platform = 0;
  return intent;
}

// A box between the thumb and four fingers, taken from above.
Intent pick_up(const SubjectOptions& options) {
  const hands::Performer performer;
  Random random(options.seed);
  const hands::ClosedHand grasp =
      hands::close_hand(performer, hands::GraspKind::kPalmar, 0.03, random);
  const Hand& hand = *performer.hand();
  const Transform& place = grasp.thing.place_wrist;
  // The thing's x lies along the fingers and becomes the vertical.
  const Vec3 up_thing = place.turn(Vec3::UnitX()).dot(grasp.approach_wrist) > 0.0
                            ? Vec3(Vec3::UnitY())
                            : Vec3(-Vec3::UnitY());
  Mat3 axes;
  axes << up_thing, up_thing.y() * Vec3::UnitZ(), Vec3::UnitX();
  const Quat turn = Quat(axes) * place.rotation.conjugate();
  // The middle of the pads lies where the box's middle stands.
  const auto frames =
      segment_frames(hand, pose_from_coordinates(hand, {turn, Vec3::Zero()}, grasp.closed));
  const auto pad = [&](Digit digit) {
    const FingerPad& p = hand.pads[int(digit)];
    return Vec3(frames[p.segment] * p.point);
  };
  Vec3 fingers = Vec3::Zero();
  for (const Digit finger : hands::kFingers) fingers += 0.25 * pad(finger);
  const Vec3 middle = 0.5 * (pad(Digit::kThumb) + fingers);
  const Vec3 center(0.0, 0.5 * options.box_size.y(), 0.0);
  const Transform down{turn, center + Vec3(0.0, 0.005, 0.0) - middle};
  const Eigen::VectorXd squeezed = grasp.closed + kSqueeze * (grasp.closed - grasp.wide);
  const auto pose = [&](double height, const Eigen::VectorXd& q) {
    Transform wrist = down;
    wrist.position.y() += height;
    return IntendedPose{wrist, q};
  };
  Intent intent{performer.hand(), {0.0, pose(0.07, grasp.wide)}};
  intent.path.add(0.6, pose(0.0, grasp.wide));
  intent.path.add(1.3, pose(0.0, squeezed));
  intent.path.stay(1.5);
  intent.path.add(2.3, pose(0.08, squeezed));
  intent.path.stay(2.7);
  Object box = geometry::object_from_primitive(
                   "box", ShapeKind::kBox,
                   0.5 * Vec3(options.box_size.x(), options.box_size.y(), options.box_size.z()),
                   options.box_mass)
                   .value();
  box.friction = options.friction;
  intent.objects = {
      {std::make_shared<const Object>(std::move(box)), Transform::from_position(center)},
      table(0.6)};
  intent.held = 0;
  return intent;
}

// Thumb and fingers close around the glass from above, turn about its axis, let go, come back and
// turn it again. They end with the bulb in their grip: it stands on a foot of 11 mm and falls over
// at the next release.
Intent turn_bulb(const SubjectOptions& options) {
  const hands::Performer performer;
  Random random(options.seed);
  const hands::ClosedHand grasp =
      hands::close_hand(performer, hands::GraspKind::kPalmar, 0.058, random);
  const Hand& hand = *performer.hand();
  const Transform& place = grasp.thing.place_wrist;
  const double up = place.turn(Vec3::UnitX()).dot(grasp.approach_wrist) > 0.0 ? 1.0 : -1.0;
  Mat3 axes;
  axes << up * Vec3::UnitY(), up * Vec3::UnitZ(), Vec3::UnitX();
  const Quat turn = Quat(axes) * place.rotation.conjugate();
  const auto frames =
      segment_frames(hand, pose_from_coordinates(hand, {turn, Vec3::Zero()}, grasp.closed));
  const auto pad = [&](Digit digit) {
    const FingerPad& p = hand.pads[int(digit)];
    return Vec3(frames[p.segment] * p.point);
  };
  const Vec3 middle = 0.5 * pad(Digit::kThumb) + 0.25 * (pad(Digit::kIndex) + pad(Digit::kMiddle));
  Object bulb = geometry::builtin_object("bulb").value();
  bulb.friction = options.friction;
  double bottom = 0.0;
  for (const Vec3& v : bulb.shape.mesh->vertices) bottom = std::min(bottom, v.y());
  // The widest part of the glass is 78 mm above the foot.
  const Transform grip{turn, Vec3(0.0, 0.078, 0.0) - middle};
  const Eigen::VectorXd squeezed = grasp.closed + kSqueeze * (grasp.closed - grasp.wide);
  const Eigen::VectorXd loose = grasp.closed - 0.35 * (grasp.closed - grasp.wide);
  constexpr double kTwist = radians(22);
  const auto pose = [&](double twist, double height, const Eigen::VectorXd& q) {
    const Quat about = exp_map({0.0, twist, 0.0});
    return IntendedPose{{about * grip.rotation, about * grip.position + Vec3(0.0, height, 0.0)}, q};
  };
  Intent intent{performer.hand(), {0.0, pose(-kTwist, 0.06, loose)}};
  intent.path.add(0.5, pose(-kTwist, 0.0, loose));
  intent.path.add(0.9, pose(-kTwist, 0.0, squeezed));
  intent.path.add(1.4, pose(kTwist, 0.0, squeezed));
  intent.path.add(1.7, pose(kTwist, 0.0, loose));
  intent.path.add(2.1, pose(-kTwist, 0.0, loose));
  intent.path.add(2.5, pose(-kTwist, 0.0, squeezed));
  intent.path.add(3.0, pose(kTwist, 0.0, squeezed));
  intent.path.stay(3.3);
  intent.objects = {{std::make_shared<const Object>(std::move(bulb)),
                     Transform::from_position({0.0, -bottom, 0.0})},
                    table(0.6)};
  return intent;
}

}  // namespace

double Intent::platform_height(double time) const {
  double height = 0.0;
  for (const double jump : jumps) {
    const double down = jump + kJumpTime + kStaysUp;
    height += kJump * (minimum_jerk(time, jump, jump + kJumpTime) -
                       minimum_jerk(time, down, down + kComesBack));
  }
  return height;
}

IntendedPose interpolate(const IntendedPose& a, const IntendedPose& b, double fraction) {
  return {interpolate(a.wrist_world, b.wrist_world, fraction),
          a.joints + fraction * (b.joints - a.joints)};
}

IntendedPose Intent::at(double time) const {
  IntendedPose pose = path.at(time);
  if (!round_corners) return pose;
  // The mean over a short time rounds the corners and leaves straight parts as they are.
  constexpr int kSamples = 8;
  Vec3 position = Vec3::Zero();
  for (int i = 0; i < kSamples; ++i)
    position +=
        path.at(time + kCorner * ((i + 0.5) / kSamples - 0.5)).wrist_world.position / kSamples;
  pose.wrist_world.position = position;
  return pose;
}

Intent make_intent(const SubjectOptions& options) {
  switch (options.task) {
    case SubjectTask::kTap:
      return touch(options, false);
    case SubjectTask::kStroke:
      return touch(options, true);
    case SubjectTask::kBox:
      return pick_up(options);
    case SubjectTask::kBulb:
      return turn_bulb(options);
    case SubjectTask::kPerturb:
      break;
  }
  return rest_on_platform(options);
}

}  // namespace prehend::interaction
