#include "prehend/methods/example_control/controller.h"

#include <gtest/gtest.h>

#include "prehend/core/hand_builder.h"
#include "tests/methods/example_control/random_controller.h"

namespace prehend::example_control {
namespace {

Hand make_hand(Side side = Side::kRight, HandProfile profile = HandProfile::kBall) {
  HandOptions options;
  options.profile = profile;
  options.side = side;
  return build_hand(options).value();
}

Controller make_controller(const Hand& hand) { return random_controller(hand, 0.3, 7); }

TEST(Controller, SpringsBalanceInTheRestPoseAlsoAgainstLimits) {
  const Controller controller = make_controller(make_hand());
  int beyond = 0;
  const auto [k_s, k_d, k_jl] = controller.gains;
  for (int i = 0; i < kSetpointCount; ++i) {
    const Eigen::VectorXd rest = controller.rest_pose(Setpoint(i));
    // eq. 3 to 5 at rest.
    const Eigen::VectorXd outside =
        rest - rest.cwiseMax(controller.lower).cwiseMin(controller.upper);
    beyond += static_cast<int>((outside.array() != 0.0).count());
    const Eigen::VectorXd passive = k_s * (controller.neutral - rest) - k_jl * outside;
    const Eigen::VectorXd active = k_s * (controller.positions.row(i).transpose() - rest) +
                                   k_d * controller.velocities.row(i).transpose();
    EXPECT_LT((passive + active).cwiseAbs().maxCoeff(), 1e-10);
  }
  EXPECT_GT(beyond, 10);
}

TEST(Controller, OpensWiderAlongTheLineFromClosedToOpen) {
  const Controller controller = make_controller(make_hand()), wider = opened_wider(controller, 0.5);
  for (const auto& [open, closed] : {std::pair{1, 2}, {4, 3}}) {
    const Eigen::RowVectorXd was =
        controller.positions.row(open) - controller.positions.row(closed);
    const Eigen::RowVectorXd is = wider.positions.row(open) - wider.positions.row(closed);
    EXPECT_LT((is - 1.5 * was).norm(), 1e-12);
    EXPECT_EQ(wider.positions.row(closed), controller.positions.row(closed));
  }
  EXPECT_EQ(opened_wider(controller, 0.0).positions, controller.positions);
}

TEST(Controller, LimitsWithinTheHandsRangeStayAndOthersAreBrought) {
  const Hand hand = make_hand();
  const CoordinateLimits own = coordinate_limits(hand);
  Controller controller = make_controller(hand);
  controller.lower = own.lower + 0.1 * (own.upper - own.lower);
  controller.upper = own.upper;
  controller.lower[3] = own.lower[3] - 1.0;
  controller.upper[3] = own.lower[3] - 0.5;  // wholly outside
  const Controller within = within_range(controller, hand);
  EXPECT_EQ(within.lower[3], own.lower[3]);
  EXPECT_EQ(within.upper[3], own.lower[3]);
  EXPECT_EQ(within.lower[4], controller.lower[4]);
  EXPECT_EQ(within.upper.tail(10), controller.upper.tail(10));
}

TEST(Controller, AWholeOneIsValid) {
  const Status status = validate(make_controller(make_hand()));
  EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.message());
}

TEST(Controller, WhatIsWrongIsNamed) {
  const Controller good = make_controller(make_hand());
  const auto message = [&](auto&& spoil) {
    Controller controller = good;
    spoil(controller);
    const Status status = validate(controller);
    return status.ok() ? std::string("valid") : status.message();
  };
  const auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_TRUE(has(message([](Controller& c) { c.distances = {0.3, 0.3}; }), "D1 < D2"));
  EXPECT_TRUE(has(message([](Controller& c) { c.distances.near = 0.0; }), "D1 < D2"));
  EXPECT_TRUE(has(message([](Controller& c) { c.distances.far = NAN; }), "D1 < D2"));
  EXPECT_TRUE(has(message([](Controller& c) { c.gains.damping = 0.0; }), "damping"));
  EXPECT_TRUE(has(message([](Controller& c) { c.gains.stiffness = NAN; }), "stiffness"));
  EXPECT_TRUE(has(message([](Controller& c) { c.joints.clear(); }), "no joints"));
  EXPECT_TRUE(has(message([](Controller& c) { c.neutral.resize(3); }), "neutral pose has 3"));
  EXPECT_TRUE(has(message([](Controller& c) { c.positions(2, 5) = NAN; }), "finite"));
  EXPECT_TRUE(has(message([](Controller& c) { c.lower[4] = 0.8; }), "lower limit 0.8"));
  EXPECT_TRUE(has(message([](Controller& c) { c.upper[4] = NAN; }), "lower limit"));
  EXPECT_TRUE(has(message([](Controller& c) { c.path.wrist_world.clear(); }), "frames"));
  EXPECT_TRUE(has(message([](Controller& c) { c.path.distances.clear(); }), "0 distances"));
  EXPECT_TRUE(has(message([](Controller& c) { c.path.distances[0] = NAN; }), "finite"));
  EXPECT_TRUE(has(message([](Controller& c) { c.path.release_frame = 5; }), "grips from"));
}

TEST(Controller, FitsHandsOfItsSideWithItsBallsWhateverTheirSize) {
  const Controller controller = make_controller(make_hand());
  HandOptions small;
  small.profile = HandProfile::kBall;
  small.size.length = 0.15;
  EXPECT_TRUE(fits_hand(controller, build_hand(small).value()).ok());
  EXPECT_FALSE(fits_hand(controller, make_hand(Side::kLeft)).ok());
  EXPECT_FALSE(fits_hand(controller, make_hand(Side::kRight, HandProfile::kAnatomical)).ok());

  Controller fewer = controller;
  fewer.joints.pop_back();
  EXPECT_FALSE(fits_hand(fewer, make_hand()).ok());
  Controller other = controller;
  other.joints[3] = "sixth-proximal";
  const Status status = fits_hand(other, make_hand());
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.message().find("sixth-proximal"), std::string::npos);
}

// Steps the linear oscillator of both springs by the explicit rule and looks whether it grows.
bool explicit_steps_grow(const Gains& gains, double dt) {
  double angle = 1.0, velocity = 0.0;
  const double k = 2.0 * gains.stiffness + gains.limit_stiffness, d = 2.0 * gains.damping;
  for (int i = 0; i < 20000; ++i) {
    velocity += dt * (-k * angle - d * velocity);
    angle += dt * velocity;
    if (std::abs(angle) > 1e3) return true;
  }
  return false;
}

TEST(Controller, TheStabilityBoundIsWhereExplicitStepsBeginToGrow) {
  const Gains gains;
  double stable = 0.0, unstable = 1.0;
  for (int i = 0; i < 50; ++i) {
    const double middle = 0.5 * (stable + unstable);
    (stable_at(gains, middle).ok() ? stable : unstable) = middle;
  }
  EXPECT_FALSE(explicit_steps_grow(gains, 0.995 * stable));
  EXPECT_TRUE(explicit_steps_grow(gains, 1.005 * stable));
  EXPECT_TRUE(stable_at(gains, 0.002).ok());
  EXPECT_FALSE(stable_at({1e7, 50.0, 5000.0}, 0.002).ok());
  EXPECT_FALSE(stable_at({NAN, 50.0, 5000.0}, 0.002).ok());
}

TEST(Controller, TheMirroredOneMakesTheMirroredPoseOnTheOtherHand) {
  const Hand right = make_hand(), left = mirrored(right);
  const Controller controller = make_controller(right), other = mirrored(controller);
  ASSERT_TRUE(fits_hand(other, left).ok());
  ASSERT_TRUE(validate(other).ok());
  const HandPose pose = pose_from_coordinates(right, {}, controller.rest_pose(Setpoint::kGrip));
  const HandPose image = pose_from_coordinates(left, {}, other.rest_pose(Setpoint::kGrip));
  const auto frames = segment_frames(right, pose), images = segment_frames(left, image);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    EXPECT_LT((mirror_x(frames[i].position) - images[i].position).norm(), 1e-12);
    EXPECT_LT(angle_between(mirror_x(frames[i].rotation), images[i].rotation), 1e-7);
  }
}

TEST(Controller, MirroredTwiceIsTheSame) {
  const Controller controller = make_controller(make_hand()),
                   twice = mirrored(mirrored(controller));
  EXPECT_EQ(twice.side, controller.side);
  EXPECT_EQ(twice.neutral, controller.neutral);
  EXPECT_EQ(twice.lower, controller.lower);
  EXPECT_EQ(twice.upper, controller.upper);
  EXPECT_EQ(twice.positions, controller.positions);
  EXPECT_EQ(twice.velocities, controller.velocities);
  EXPECT_EQ(twice.path.target_world[0].position, controller.path.target_world[0].position);
}

}  // namespace
}  // namespace prehend::example_control
