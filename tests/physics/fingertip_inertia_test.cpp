// What a fingertip weighs to whatever pushes its pad, through the engine's mass matrix.
#include "prehend/physics/fingertip_inertia.h"

#include <gtest/gtest.h>
#include <Eigen/Cholesky>

#include "prehend/physics/dynamics.h"
#include "tests/physics/physics_fixture.h"

namespace prehend::physics {
namespace {

struct TipMass {
  double whole = 0.0;  // 1 / (n^T J M^-1 J^T n), kg: all joints free, the wrist held
  double last = 0.0;   // the same with all joints but the last held
};
std::array<TipMass, kDigitCount> tip_masses(const HandPtr& hand, std::vector<double> inertia,
                                            double flexion) {
  HandSetup setup;
  setup.hand = hand;
  setup.root = RootMotion::kFixed;
  setup.added_inertia_of_joints = std::move(inertia);
  State state(World::build({&setup, 1}, {}).value());
  HandPose pose = rest_pose(*hand);
  for (int s = 1; s < hand->segment_count(); ++s) {
    if (hand->segments[s].phalanx >= 1)
      pose.rotations[s] = pose.rotations[s] * exp_map({-flexion, 0.0, 0.0});
  }
  state.set_hand_pose(0, pose);
  std::array<TipMass, kDigitCount> masses{};
  Eigen::MatrixXd mass;
  mass_matrix(state, mass);
  std::vector<Transform> frames(hand->segments.size());
  segment_frames(state, 0, frames);
  for (int d = 0; d < kDigitCount; ++d) {
    const FingerPad& pad = hand->pads[d];
    PointJacobian jacobian;
    segment_jacobian(state, 0, pad.segment, frames[pad.segment] * pad.point, jacobian);
    const Eigen::VectorXd push =
        jacobian.topRows<3>().transpose() * frames[pad.segment].turn(pad.normal);
    Eigen::MatrixXd yields;
    solve_mass(state, push, yields);
    masses[d].whole = 1.0 / push.dot(yields.col(0));
    const int first = state.world().segment_dof(0, pad.segment);
    const int count = hand->segments[pad.segment].dof();
    const Eigen::MatrixXd own = mass.block(first, first, count, count);
    const Eigen::VectorXd part = push.segment(first, count);
    masses[d].last = 1.0 / part.dot(own.ldlt().solve(part));
  }
  return masses;
}

TEST(FingertipInertia, IsWhatPeopleShow) {
  // Kry and Pai 2006, table 2, of fingertips: from 6 g (Hajian and Howe) to 18 g.
  constexpr double kLeast = 0.006, kMost = 0.018, kAdded = 0.006;
  // A last joint alone, as a bone that a blow turns before the rest follows.
  constexpr double kMostOfLast = 0.04;
  for (const HandProfile profile : {HandProfile::kBall, HandProfile::kAnatomical}) {
    const HandPtr hand = make_hand(profile);
    for (const double flexion : {0.0, radians(15.0), radians(30.0)}) {
      const auto masses = tip_masses(hand, fingertip_inertia(*hand, kAdded), flexion);
      const auto bare = tip_masses(hand, {}, flexion);
      for (int d = 0; d < kDigitCount; ++d) {
        EXPECT_GE(masses[d].whole, kLeast) << to_string(kDigits[d]) << ' ' << degrees(flexion);
        EXPECT_LE(masses[d].whole, kMost) << to_string(kDigits[d]) << ' ' << degrees(flexion);
        EXPECT_LE(masses[d].last, kMostOfLast) << to_string(kDigits[d]) << ' ' << degrees(flexion);
        EXPECT_LT(bare[d].whole, kLeast) << "bones alone would do";
      }
    }
  }
}

TEST(FingertipInertia, GrowsWithTheMassAndTheSquareOfTheArm) {
  const HandPtr hand = make_hand(HandProfile::kBall);
  const auto one = fingertip_inertia(*hand, 0.01), two = fingertip_inertia(*hand, 0.02);
  ASSERT_EQ(one.size(), two.size());
  size_t j = 0;
  for (const Segment& segment : hand->segments) {
    for (size_t k = 0; k < segment.joints.size(); ++k, ++j) {
      EXPECT_DOUBLE_EQ(two[j], 2.0 * one[j]);
      EXPECT_GT(one[j], 0.0) << segment.name;
      // From a digit's base to its tip joints come nearer to the pad.
      if (segment.phalanx > 0) {
        EXPECT_LT(one[j], one[j - 1]) << segment.name;
      }
    }
  }
  EXPECT_EQ(j, one.size());
}

}  // namespace
}  // namespace prehend::physics
