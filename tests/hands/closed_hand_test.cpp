#include "prehend/hands/closed_hand.h"

#include <gtest/gtest.h>

#include "tests/hands/thing_gaps.h"

namespace prehend::hands {
namespace {

constexpr double kRounding = 1e-9;  // rad

void expect_within_limits(const Performer& performer, const Eigen::VectorXd& q) {
  EXPECT_GE((q - performer.limits().lower).minCoeff(), -kRounding);
  EXPECT_GE((performer.limits().upper - q).minCoeff(), -kRounding);
}

// The smallest, a middle and the largest thing of each kind: held between thumb and fingers, or, by
// a hook, in the fingers alone. The opened hand is off it, but for the bar that hangs in a hook.
TEST(ClosedHand, HoldsThingsOfEverySize) {
  constexpr double kNear = 1e-3, kDeepest = 1.5e-4, kBesideBar = 6e-4;  // m
  const Performer performer;
  for (const GraspKind kind : kGraspKinds) {
    const auto sizes = thing_sizes(kind);
    for (double size : {sizes.front(), sizes[sizes.size() / 2], sizes.back()}) {
      SCOPED_TRACE(std::string(to_string(kind)) + " " + std::to_string(size));
      Random random(1);
      const ClosedHand made = close_hand(performer, kind, size, random);
      double fingers = INFINITY;
      for (Digit finger : kFingers)
        fingers = std::min(fingers, gap(performer, finger, made.closed, made.thing));
      EXPECT_LT(fingers, kNear);
      const bool hook = kind == GraspKind::kHook;
      EXPECT_EQ(gap(performer, Digit::kThumb, made.closed, made.thing) < kNear, !hook);
      EXPECT_GT(gap(performer, Digit::kNone, made.closed, made.thing), -kDeepest);
      EXPECT_GT(gap(performer, Digit::kNone, made.wide, made.thing),
                hook ? -kBesideBar : -kDeepest);
      expect_within_limits(performer, made.closed);
      expect_within_limits(performer, made.wide);
    }
  }
}

// A person never closes a hand twice alike, but the same seed gives the same person and moment.
TEST(ClosedHand, VariesByItsSeedAlone) {
  const Performer performer;
  for (const GraspKind kind : kGraspKinds) {
    const double size = thing_sizes(kind).back();
    const auto closed = [&](std::uint64_t seed) {
      Random random(seed);
      return close_hand(performer, kind, size, random).closed;
    };
    EXPECT_EQ(closed(3), closed(3)) << to_string(kind);
    EXPECT_GT((closed(3) - closed(4)).lpNorm<Eigen::Infinity>(), radians(0.5)) << to_string(kind);
  }
}

TEST(ClosedHand, AtRestIsHalfOpen) {
  const Performer performer;
  Random random(1);
  const Eigen::VectorXd rest = relaxed_hand(performer, random);
  expect_within_limits(performer, rest);
  for (Digit finger : kFingers) {
    EXPECT_GT(performer.finger_angles(finger, rest).pip, 15.0) << to_string(finger);
    EXPECT_LT(performer.finger_angles(finger, rest).pip, 60.0) << to_string(finger);
  }
}

}  // namespace
}  // namespace prehend::hands
