#include "prehend/hands/performer.h"

#include <gtest/gtest.h>

#include "tests/hands/thing_gaps.h"

namespace prehend::hands {
namespace {

constexpr double kTouches = 2e-5;  // m, of a search that ends within it

Eigen::VectorXd straight(const Performer& performer) {
  return Eigen::VectorXd::Zero(performer.hand()->dof());
}

// A rod across the palm, at a distance from it.
Thing rod(double radius) {
  Thing thing = make_thing("rod", ShapeKind::kCylinder, {radius, 0.08, 0.0});
  thing.place_wrist = {exp_map({0.0, 0.0, -0.5 * kPi}), {0.0, -0.03 - radius, -0.078}};
  return thing;
}

void expect_within_limits(const Performer& performer, const Eigen::VectorXd& q) {
  constexpr double kRounding = 1e-12;  // rad
  EXPECT_GE((q - performer.limits().lower).minCoeff(), -kRounding);
  EXPECT_GE((performer.limits().upper - q).minCoeff(), -kRounding);
}

TEST(Performer, KeepsTheAnglesThatItWasGiven) {
  const Performer performer;
  Eigen::VectorXd q = straight(performer);
  performer.set(Digit::kRing, FingerAngles{30, 50, 20, -4}, q);
  performer.set(ThumbAngles{25, 10, 5, 15, 35}, q);
  const FingerAngles ring = performer.finger_angles(Digit::kRing, q);
  EXPECT_NEAR(ring.mcp, 30, 1e-12);
  EXPECT_NEAR(ring.pip, 50, 1e-12);
  EXPECT_NEAR(ring.dip, 20, 1e-12);
  EXPECT_NEAR(ring.deviation, -4, 1e-12);
  const ThumbAngles thumb = performer.thumb_angles(q);
  EXPECT_NEAR(thumb.abduction, 25, 1e-12);
  EXPECT_NEAR(thumb.ip, 35, 1e-12);
  EXPECT_EQ(performer.finger_angles(Digit::kIndex, q).mcp, 0.0);
}

TEST(Performer, LaysAThingOnThePalm) {
  const Performer performer;
  const Eigen::VectorXd q = straight(performer);
  Thing thing = rod(0.02);
  const auto palm_gap = [&] {
    double least = INFINITY;
    const auto flesh = performer.flesh(q);
    for (int s : performer.palm()) {
      for (const Capsule& capsule : flesh[s]) least = std::min(least, gap(capsule, thing));
    }
    return least;
  };
  thing.place_wrist.position.y() -= 0.02;
  EXPECT_GT(palm_gap(), 1e-3);
  performer.lay_on(performer.palm(), q, Vec3::UnitY(), thing);
  EXPECT_NEAR(palm_gap(), 0.0, kTouches);
}

TEST(Performer, ClosesEveryFingerUntilItTouches) {
  const Performer performer;
  for (double radius : {0.015, 0.03, 0.045}) {
    Eigen::VectorXd q = straight(performer);
    Thing thing = rod(radius);
    performer.lay_on(performer.palm(), q, Vec3::UnitY(), thing);
    performer.close_fingers(thing, q);
    for (Digit finger : kFingers)
      EXPECT_NEAR(gap(performer, finger, q, thing), 0.0, kTouches) << to_string(finger);
    expect_within_limits(performer, q);
  }
}

// A bead stops the middle finger alone; the others do not leave it behind.
TEST(Performer, FingersThatFindNothingStayNearTheirNeighbor) {
  constexpr double kBeyond = 18.0;  // degrees
  const Performer performer;
  Eigen::VectorXd q = straight(performer);
  performer.set(Digit::kMiddle, FingerAngles{25, 25, 16, 0}, q);
  const Spot pulp = performer.spot(Digit::kMiddle, 3, 0.7, -Vec3::UnitY());
  const Transform at = performer.frames(q)[pulp.segment];
  constexpr double kRadius = 0.004;
  Thing bead = make_thing("bead", ShapeKind::kSphere, {kRadius, 0.0, 0.0});
  bead.place_wrist.position = at * (pulp.point + kRadius * pulp.normal);

  q = straight(performer);
  performer.close_fingers(bead, q);
  EXPECT_NEAR(gap(performer, Digit::kMiddle, q, bead), 0.0, kTouches);
  const double middle = performer.finger_angles(Digit::kMiddle, q).mcp;
  for (Digit finger : {Digit::kIndex, Digit::kRing}) {
    EXPECT_GT(gap(performer, finger, q, bead), 1e-3);
    EXPECT_NEAR(performer.finger_angles(finger, q).mcp, middle + kBeyond, 0.1) << to_string(finger);
  }
}

// With nothing to stop them the fingers make a fist that does not enter the palm.
TEST(Performer, ClosesOnItsOwnPalm) {
  const Performer performer;
  Eigen::VectorXd q = straight(performer);
  performer.close_fingers([](const std::vector<Capsule>&) { return false; }, q);
  expect_within_limits(performer, q);
  const auto flesh = performer.flesh(q);
  const Hand& hand = *performer.hand();
  for (Digit finger : kFingers) {
    EXPECT_GT(performer.finger_angles(finger, q).pip, 60.0) << to_string(finger);
    const int tip = performer.segment(finger, 3);
    for (int s : performer.palm()) {
      if (hand.may_overlap(s, tip)) continue;
      for (const Capsule& capsule : flesh[s])
        for (const Capsule& own : flesh[tip]) EXPECT_GT(distance(capsule, own), -kTouches);
    }
  }
}

// Thumb and index meet a ball from both sides; what is returned is how far they ended from it.
TEST(Performer, BringsSpotsAndThingTogether) {
  const Performer performer;
  Eigen::VectorXd q = straight(performer);
  performer.set(Digit::kIndex, FingerAngles{45, 45, 30, 0}, q);
  performer.set(ThumbAngles{28, 5, 20, 15, 25}, q);
  const std::vector<Spot> spots = {performer.spot(Digit::kThumb, 3, 0.9, {0, -1, -0.5}),
                                   performer.spot(Digit::kIndex, 3, 0.9, {0, -1, -0.5})};
  Thing ball = make_thing("ball", ShapeKind::kSphere, {0.012, 0.0, 0.0});
  auto at = performer.frames(q);
  const auto place = [&](const Spot& spot) { return Vec3(at[spot.segment] * spot.point); };
  ball.place_wrist.position = 0.5 * (place(spots[0]) + place(spots[1]));
  const double farthest =
      performer.meet({{Digit::kThumb, Digit::kIndex}, spots, true, 0.5}, ball, q);
  at = performer.frames(q);
  double measured = 0.0;
  for (const Spot& spot : spots) {
    const Vec3 point = ball.place_wrist.inverse() * place(spot);
    measured = std::max(measured, std::abs(point.norm() - 0.012));
  }
  EXPECT_NEAR(farthest, measured, 1e-12);
  EXPECT_LT(farthest, 1.5e-3);
  EXPECT_LT(performer.penetration(q, ball), 1e-3);
  expect_within_limits(performer, q);
}

}  // namespace
}  // namespace prehend::hands
