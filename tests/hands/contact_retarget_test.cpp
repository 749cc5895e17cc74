#include "prehend/hands/contact_retarget.h"

#include <gtest/gtest.h>

#include "prehend/geometry/primitive.h"
#include "prehend/hands/performer.h"
#include "tests/hands/ik_fixture.h"

namespace prehend::hands {
namespace {

// A grip of a bottle's size by the performer, in the wrist's frame.
struct Grip {
  Performer performer;
  Thing thing = make_thing("can", ShapeKind::kCylinder, {0.032, 0.06, 0.0});
  HandPose pose;

  Grip() {
    Eigen::VectorXd q = Eigen::VectorXd::Zero(performer.hand()->dof());
    performer.set({.abduction = 55.0, .flexion = 5.0, .pronation = 20.0, .mcp = 15.0, .ip = 15.0},
                  q);
    thing.place_wrist = {exp_map({0.0, 0.0, 0.5 * kPi}), {0.0, -0.05, -0.085}};
    performer.lay_on(performer.palm(), q, Vec3::UnitY(), thing);
    performer.close_fingers(thing, q);
    pose = pose_from_coordinates(*performer.hand(), {}, q);
  }
};

// How far segments of the digits are from the thing: nearest first, then deepest.
double deepest(const Hand& hand, const HandPose& pose, const Thing& thing) {
  const auto frames = segment_frames(hand, pose);
  double least = INFINITY;
  for (int s = 0; s < hand.segment_count(); ++s)
    for (const Capsule& capsule : hand.segments[s].capsules) {
      const Capsule placed = thing.place_wrist.inverse() * (frames[s] * capsule);
      for (int i = 0; i <= 20; ++i) {
        const Vec3 point = placed.a + i / 20.0 * (placed.b - placed.a);
        least = std::min(least, thing.distance->sample(point).distance - placed.radius);
      }
    }
  return least;
}

TEST(ContactRetarget, AHandOfAnotherSizeTouchesWhereTheFirstDid) {
  const Grip grip;
  const Hand& from = *grip.performer.hand();
  for (const double length : {0.165, 0.205}) {
    HandOptions options;
    options.profile = HandProfile::kBall;
    options.size.length = length;
    const Hand to = build_hand(options).value();
    ContactRetargeter retargeter(from, to);
    const auto made = retargeter.solve(grip.pose, *grip.thing.distance, grip.thing.place_wrist);
    EXPECT_GE(made.contacts, 5) << length;
    EXPECT_LT(made.penetration, 2e-4) << length;
    EXPECT_LT(made.worst_error, 0.008) << length;
    EXPECT_LT(made.greatest_turn, radians(40.0)) << length;
    // By angles alone the hand hangs off the thing or sinks into it.
    const HandPose plain = retarget(from, grip.pose, to);
    if (length > 0.19) {
      EXPECT_LT(deepest(to, plain, grip.thing), -0.002);
    }
    EXPECT_GT(deepest(to, made.pose, grip.thing), -3e-4) << length;
  }
}

TEST(ContactRetarget, TheSameHandThatTouchesStaysAsItIs) {
  const Grip grip;
  const Hand& hand = *grip.performer.hand();
  ContactRetargeter retargeter(hand, hand);
  const auto made = retargeter.solve(grip.pose, *grip.thing.distance, grip.thing.place_wrist);
  // What hovers within the touching distance comes to lie on it.
  EXPECT_LT(made.greatest_turn, radians(20.0));
  EXPECT_LT((made.pose.root_world.position - grip.pose.root_world.position).norm(), 0.004);
}

TEST(ContactRetarget, FarFromTheObjectItIsARetargetingByAngles) {
  const Grip grip;
  const Hand& from = *grip.performer.hand();
  const Hand to = hand_of(HandProfile::kBall);
  ContactRetargeter retargeter(from, to);
  const Transform far = Transform::from_position({0.0, 1.0, 0.0}) * grip.thing.place_wrist;
  const auto made = retargeter.solve(grip.pose, *grip.thing.distance, far);
  EXPECT_EQ(made.contacts, 0);
  const HandPose plain = retarget(from, grip.pose, to);
  for (std::size_t s = 0; s < plain.rotations.size(); ++s)
    EXPECT_LT(angle_between(plain.rotations[s], made.pose.rotations[s]), 1e-12);
}

}  // namespace
}  // namespace prehend::hands
