#include "prehend/core/hand_kinematics.h"

#include <gtest/gtest.h>

#include "prehend/core/hand_builder.h"

namespace prehend {
namespace {

constexpr double kSame = 1e-12;       // two routes to the same frame
constexpr double kDifference = 1e-6;  // step of the central differences
constexpr double kDerivative = 1e-7;  // what they may be off by

class HandKinematicsOf : public testing::TestWithParam<HandProfile> {
 protected:
  HandKinematicsOf() {
    HandOptions options;
    options.profile = GetParam();
    hand_ = build_hand(options).value();
    const CoordinateLimits limits = coordinate_limits(hand_);
    q_ = 0.4 * limits.lower + 0.6 * limits.upper;
    root_ = {exp_map({0.3, -0.5, 0.2}), {0.1, 0.2, -0.3}};
  }
  Hand hand_;
  Eigen::VectorXd q_;
  Transform root_;
};

TEST_P(HandKinematicsOf, FramesAreThoseOfThePose) {
  HandKinematics kinematics(hand_);
  kinematics.update(root_, q_);
  const auto frames = segment_frames(hand_, pose_from_coordinates(hand_, root_, q_));
  for (int s = 0; s < hand_.segment_count(); ++s) {
    EXPECT_LT((frames[s].position - kinematics.frames_world()[s].position).norm(), kSame);
    EXPECT_LT(angle_between(frames[s].rotation, kinematics.frames_world()[s].rotation), 1e-7);
  }
}

TEST_P(HandKinematicsOf, JacobianMatchesDifferences) {
  HandKinematics kinematics(hand_);
  const int segment = hand_.pads[1].segment, size = 6 + hand_.dof();
  const Vec3 local(0.003, -0.007, -0.01), direction(0.2, -0.7, 0.5);
  const auto place = [&](const Eigen::VectorXd& step) {
    kinematics.update(moved_root(root_, step), q_ + step.tail(hand_.dof()));
    return kinematics.frames_world()[segment] * local;
  };
  const Vec3 point = place(Eigen::VectorXd::Zero(size));
  Eigen::Matrix<double, 3, Eigen::Dynamic> jacobian(3, size);
  kinematics.point_jacobian(segment, point, jacobian);
  Eigen::RowVectorXd row = Eigen::RowVectorXd::Zero(size);
  kinematics.add_row(segment, point, direction, 2.0, row);
  for (int c = 0; c < size; ++c) {
    const Eigen::VectorXd step = kDifference * Eigen::VectorXd::Unit(size, c);
    const Vec3 slope = (place(step) - place(-step)) / (2.0 * kDifference);
    EXPECT_LT((slope - jacobian.col(c)).norm(), kDerivative) << "column " << c;
    EXPECT_NEAR(2.0 * direction.dot(slope), row[c], kDerivative) << "column " << c;
  }
}

INSTANTIATE_TEST_SUITE_P(Profiles, HandKinematicsOf,
                         testing::Values(HandProfile::kBall, HandProfile::kAnatomical,
                                         HandProfile::kArm));

}  // namespace
}  // namespace prehend
