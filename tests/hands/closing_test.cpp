#include "prehend/hands/closing.h"

#include <gtest/gtest.h>

#include "prehend/core/hand_builder.h"
#include "prehend/hands/digit_closer.h"
#include "prehend/hands/digits.h"
#include "prehend/hands/posture.h"
#include "thing_gaps.h"

namespace prehend::hands {
namespace {

// Two joints that go to 10: what one of them may reach is known.
class TwoJoints : public ClosingPath {
 public:
  TwoJoints(double base_wall, double tip_wall) : base_wall_(base_wall), tip_wall_(tip_wall) {}

  std::optional<double> next() override {
    if (tip_stopped_ || kept_ >= 10.0) return std::nullopt;
    return kept_ + 1.0;
  }
  bool free_at(double progress) override {
    if (!base_stopped_) base = progress;
    tip = progress;
    return base <= base_wall_ && tip <= tip_wall_;
  }
  void keep(double progress) override { kept_ = progress; }
  void stop() override {
    // The tip's wall is at rest once the base has come to its own.
    tip_stopped_ = tip > tip_wall_;
    tip = kept_;
    if (!base_stopped_) base = kept_;
    base_stopped_ = true;
  }

  double base = 0.0, tip = 0.0;

 private:
  const double base_wall_, tip_wall_;
  double kept_ = 0.0;
  bool base_stopped_ = false, tip_stopped_ = false;
};

TEST(CloseByTrial, EveryJointGoesAsFarAsItCan) {
  constexpr double kStep = 1.0 / 1024.0;  // what ten halvings leave of a step
  TwoJoints joints(3.3, 7.6);
  close_by_trial(joints, 10);
  EXPECT_LE(joints.base, 3.3);
  EXPECT_GT(joints.base, 3.3 - kStep);
  EXPECT_LE(joints.tip, 7.6);
  EXPECT_GT(joints.tip, 7.6 - kStep);
  TwoJoints free(20.0, 20.0);
  close_by_trial(free, 10);
  EXPECT_EQ(free.base, 10.0);
  EXPECT_EQ(free.tip, 10.0);
}

// A rod in the hand, and the hand that closes on it from "spread" to "fist".
class Closer : public testing::Test {
 protected:
  static constexpr double kTouches = 1e-4;  // m: what the halvings of a step leave

  Closer() : rod_(make_thing("rod", ShapeKind::kCylinder, {0.02, 0.08, 0.0})) {
    rod_.place_wrist = {exp_map({0.0, 0.0, 0.5 * kPi}), {0.0, -0.055, -0.085}};
    obstacle_ = {rod_.distance.get(), rod_.place_wrist};
  }
  static void SetUpTestSuite() {
    const Hand hand = build_hand().value();
    open_ = coordinates(hand, make_posture(hand, "spread")->pose);
    end_ = coordinates(hand, make_posture(hand, "fist")->pose);
  }
  double gap_of(int segment, const Eigen::VectorXd& q) const {
    const auto frames = segment_frames(hand_, pose_from_coordinates(hand_, {}, q));
    double least = INFINITY;
    for (const Capsule& capsule : hand_.segments[segment].capsules)
      least = std::min(least, gap(frames[segment] * capsule, rod_));
    return least;
  }

  const Hand hand_ = build_hand().value();
  static Eigen::VectorXd open_, end_;
  Thing rod_;
  Obstacle obstacle_;
  DigitCloser closer_{hand_};
};

Eigen::VectorXd Closer::open_, Closer::end_;

TEST_F(Closer, FingersLieOnWhatTheyCloseOn) {
  const std::vector<int> offsets = coordinate_offsets(hand_);
  for (const Digit digit : {Digit::kIndex, Digit::kMiddle, Digit::kRing}) {
    Eigen::VectorXd pose = open_;
    ASSERT_TRUE(closer_.close(digit, {}, {&obstacle_, 1}, end_, pose)) << to_string(digit);
    double least = INFINITY;
    for (const int s : segments_of(hand_, digit)) {
      const double own = gap_of(s, pose);
      EXPECT_GT(own, -kTouches) << hand_.segments[s].name;
      least = std::min(least, own);
    }
    EXPECT_LT(least, kTouches);
    // The other digits stay.
    for (int s = 0; s < hand_.segment_count(); ++s) {
      if (hand_.segments[s].digit == digit) continue;
      for (int c = offsets[s]; c < offsets[s + 1]; ++c) EXPECT_EQ(pose[c], open_[c]);
    }
  }
}

TEST_F(Closer, ADigitThatBeginsInsideStays) {
  Eigen::VectorXd pose = open_;
  ASSERT_TRUE(closer_.close(Digit::kMiddle, {}, {&obstacle_, 1}, end_, pose));
  const Eigen::VectorXd inside = pose + 0.1 * (end_ - pose);
  ASSERT_LT(closer_.gap(Digit::kMiddle, {}, {&obstacle_, 1}, inside), -kTouches);
  Eigen::VectorXd stays = inside;
  EXPECT_FALSE(closer_.close(Digit::kMiddle, {}, {&obstacle_, 1}, end_, stays));
  EXPECT_EQ(stays, inside);
}

TEST_F(Closer, ADigitThatFindsNothingDoesNotTouch) {
  Obstacle far = obstacle_;
  far.pose_world.position.x() += 1.0;
  Eigen::VectorXd pose = open_;
  EXPECT_FALSE(closer_.close(Digit::kIndex, {}, {&far, 1}, end_, pose));
  EXPECT_NE(pose, open_);
}

}  // namespace
}  // namespace prehend::hands
