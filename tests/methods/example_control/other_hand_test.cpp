#include "prehend/methods/example_control/other_hand.h"

#include <cmath>

#include <gtest/gtest.h>

#include "prehend/geometry/prepared_object.h"
#include "prehend/hands/digits.h"
#include "prehend/hands/palm.h"
#include "tests/methods/example_control/test_controller.h"

namespace prehend::example_control {
namespace {

HandPtr other_ball_hand(double length) {
  HandOptions options;
  options.profile = HandProfile::kBall;
  options.size.length = length;
  return std::make_shared<const Hand>(build_hand(options).value());
}

// How far the last segments of the digits are from the object while a hand grips by the controller,
// outside or inside, on average: measured on the capsules, not by the solver.
double apart(const Hand& hand, const Controller& controller) {
  const auto object = geometry::prepare(controller.object);
  HandPose pose = pose_from_coordinates(hand, {}, controller.touching_pose());
  place_wrist(hand, controller.path.wrist_target(), pose);
  const auto frames = segment_frames(hand, pose);
  double sum = 0.0;
  for (const Digit digit : kDigits) {
    const int tip = hands::segment_of(hand, digit, 3);
    sum += std::abs(hands::gap_to_object(hand, {&tip, 1}, frames, {}, *object->contact()));
  }
  return sum / kDigitCount;
}

TEST(OtherHand, WhatTouchedTouchesOnALargerAndOnASmallerHand) {
  const Controller& own = fitted_grasp().controller;
  ASSERT_TRUE(own.object && own.hand);
  for (const double length : {0.165, 0.215}) {
    const HandPtr hand = other_ball_hand(length);
    const auto made = for_other_hand(own, hand);
    ASSERT_TRUE(made.ok()) << made.message();
    EXPECT_EQ(made->hand, hand);
    EXPECT_LT(apart(*hand, *made), 0.003) << length;
    EXPECT_LT(apart(*hand, *made), 0.5 * apart(*hand, own)) << length;
    // In free motion it does as the example did.
    EXPECT_EQ(made->positions, own.positions);
  }
}

TEST(OtherHand, OneOfHingesBecomesOneOfBalls) {
  const auto hinges = std::make_shared<const Hand>(build_hand().value());
  const auto balls = ball_hand(hinges);
  ASSERT_TRUE(balls.ok()) << balls.message();
  EXPECT_TRUE(fits_hand(fitted_grasp().controller, **balls).ok());
  EXPECT_NEAR((*balls)->length, hinges->length, 1e-4);  // m: the builder's own precision
}

TEST(OtherHand, OfTheOtherSideIsRefused) {
  const auto left = std::make_shared<const Hand>(mirrored(*fitted_grasp().hand));
  EXPECT_FALSE(for_other_hand(fitted_grasp().controller, left).ok());
}

}  // namespace
}  // namespace prehend::example_control
