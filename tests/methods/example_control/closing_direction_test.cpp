#include "methods/example_control/closing_direction.h"

#include <gtest/gtest.h>

#include "prehend/core/hand_builder.h"

namespace prehend::example_control {
namespace {

double thumb_gap(const Hand& hand, const Eigen::VectorXd& q) {
  const auto frames = segment_frames(hand, pose_from_coordinates(hand, {}, q));
  const auto pad = [&](int digit) {
    return Vec3(frames[hand.pads[digit].segment] * hand.pads[digit].point);
  };
  return (pad(0) - 0.5 * (pad(1) + pad(2))).norm();
}

// On either hand, from poses as recordings have them: every step brings thumb and fingers nearer.
TEST(ClosingDirection, ThumbAndFingersComeTogether) {
  for (const Side side : {Side::kRight, Side::kLeft}) {
    HandOptions options;
    options.profile = HandProfile::kBall;
    options.side = side;
    const Hand hand = build_hand(options).value();
    const Eigen::VectorXd open = Eigen::VectorXd::Zero(hand.dof());
    const Eigen::VectorXd closing = closing_direction(hand, open);
    double before = thumb_gap(hand, open);
    for (const double alpha : {0.25, 0.5, 0.75, 1.0}) {
      const double now = thumb_gap(hand, open + alpha * closing);
      EXPECT_LT(now, before - 0.005) << alpha;
      before = now;
    }
    // Fingers flex about -X and do nothing else.
    const auto offsets = coordinate_offsets(hand);
    const int pip = hand.find("index-intermediate");
    EXPECT_LT(closing[offsets[pip]], radians(-10.0));
    EXPECT_EQ(closing[offsets[pip] + 1], 0.0);
    EXPECT_EQ(closing[offsets[pip] + 2], 0.0);
  }
}

}  // namespace
}  // namespace prehend::example_control
