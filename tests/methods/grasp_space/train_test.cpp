#include "prehend/methods/grasp_space/train.h"

#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "prehend/core/hand_builder.h"

namespace prehend::grasp_space {
namespace {

// Three shapes in a plane of the 45 dimensions, with a little noise in all of them.
struct Synthetic {
  Eigen::MatrixXd samples;
  Eigen::VectorXd first, second;  // unit, across each other
};
Synthetic three_shapes(int each, double noise, unsigned seed = 4) {
  std::mt19937 random(seed);
  std::normal_distribution<> normal;
  Synthetic made;
  made.first = Eigen::VectorXd::Zero(kPoseSize);
  made.second = made.first;
  for (int i = 0; i < kPoseJoints; ++i) made.first[3 * i] = -1.0;
  made.first.normalize();
  for (int i = 0; i < kPoseJoints; ++i) made.second[3 * i + 1] = i % 2 ? 1.0 : -1.0;
  made.second.normalize();
  const double centers[3][2] = {{-2.0, 0.0}, {0.5, 0.0}, {2.0, 1.5}};
  made.samples.resize(3 * each, kPoseSize);
  for (int r = 0; r < made.samples.rows(); ++r) {
    const auto& center = centers[r % 3];
    Eigen::VectorXd row = (center[0] + 0.2 * normal(random)) * made.first +
                          (center[1] + 0.1 * normal(random)) * made.second;
    for (double& v : row) v += noise * normal(random);
    made.samples.row(r) = row;
  }
  return made;
}

TEST(Train, FindsThePlaneAndTheNumberOfShapes) {
  const Synthetic made = three_shapes(300, 0.005);
  TrainOptions options;
  options.dimension = 2;
  const auto report = train(made.samples, options);
  ASSERT_TRUE(report.ok()) << report.message();
  const auto& axes = report->space.pca.components;
  EXPECT_NEAR((axes.transpose() * made.first).norm(), 1.0, 1e-3);
  EXPECT_NEAR((axes.transpose() * made.second).norm(), 1.0, 1e-3);
  EXPECT_EQ(report->space.mixture.parts().size(), 3u);
  EXPECT_EQ(std::min_element(report->bic.begin(), report->bic.end()) - report->bic.begin(), 2);
  EXPECT_GT(report->variance_kept[1], 0.99);
  EXPECT_NEAR(report->variance_kept[kPoseSize - 1], 1.0, 1e-12);
  EXPECT_FALSE(report->at_cap);
  options.mixture.max_components = 2;
  EXPECT_TRUE(train(made.samples, options)->at_cap);
}

TEST(Train, KeepsTheVarianceThatIsAskedFor) {
  const Synthetic made = three_shapes(100, 0.005);
  TrainOptions options;
  options.dimension = 0;
  options.variance = 0.98;
  EXPECT_EQ(train(made.samples, options)->space.dimension(), 2);
  options.variance = 0.5;
  EXPECT_EQ(train(made.samples, options)->space.dimension(), 1);
}

TEST(Train, ThresholdLeavesOutTheFractionAskedForAndFarShapes) {
  const Synthetic made = three_shapes(200, 0.005);
  TrainOptions options;
  options.dimension = 2;
  options.outliers = 0.05;
  const auto report = train(made.samples, options);
  ASSERT_TRUE(report.ok());
  int outside = 0;
  for (Eigen::Index r = 0; r < report->reduced.rows(); ++r)
    outside += report->space.natural(report->reduced.row(r).transpose()) ? 0 : 1;
  EXPECT_EQ(outside, static_cast<int>(0.05 * 600));
  // Between two shapes, and where no one was.
  const auto at = [&](double a, double b) {
    return report->space.pca.project(Eigen::VectorXd(a * made.first + b * made.second));
  };
  EXPECT_TRUE(report->space.natural(at(0.5, 0.0)));
  EXPECT_FALSE(report->space.natural(at(-0.9, 0.0)));
  EXPECT_FALSE(report->space.natural(at(-2.0, 1.5)));
}

TEST(Train, KnowsTheBoxAndTheOpenHand) {
  const Synthetic made = three_shapes(200, 0.005);
  const auto report = train(made.samples);
  ASSERT_TRUE(report.ok());
  const GraspSpace& space = report->space;
  EXPECT_EQ(space.dimension(), 3);
  for (Eigen::Index r = 0; r < report->reduced.rows(); ++r) {
    const Eigen::VectorXd row = report->reduced.row(r);
    EXPECT_LT((space.pca.project(made.samples.row(r)) - row).norm(), 1e-12);
    EXPECT_TRUE((row.array() >= space.lower.array()).all());
    EXPECT_TRUE((row.array() <= space.upper.array()).all());
  }
  // The shape at -2 along the closing direction is the open one.
  EXPECT_TRUE(space.natural(space.open));
  EXPECT_NEAR(space.pca.reproject(space.open).dot(made.first), -2.4, 0.15);
}

TEST(Train, GivesTheSameBytesForTheSameSeed) {
  const Synthetic made = three_shapes(150, 0.01);
  const auto a = train(made.samples), b = train(made.samples);
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_EQ(a->space.log_threshold, b->space.log_threshold);
  EXPECT_EQ(a->space.pca.components, b->space.pca.components);
  for (std::size_t k = 0; k < a->space.mixture.parts().size(); ++k)
    EXPECT_EQ(a->space.mixture.parts()[k].covariance, b->space.mixture.parts()[k].covariance);
}

TEST(Train, SaysWhatIsWrongInOneLine) {
  const auto message = [](const Eigen::MatrixXd& samples, TrainOptions options = {}) {
    const auto report = train(samples, options);
    EXPECT_FALSE(report.ok());
    const std::string text = report.ok() ? "" : report.message();
    EXPECT_EQ(text.find('\n'), std::string::npos);
    return text;
  };
  const auto has = [](const std::string& text, const char* part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  has(message(Eigen::MatrixXd::Constant(50, kPoseSize, 0.3)), "no finger motion");
  has(message(Eigen::MatrixXd::Random(3, kPoseSize)), "3 poses");
  has(message(Eigen::MatrixXd(0, kPoseSize)), "0 poses");
  has(message(Eigen::MatrixXd::Random(50, 44)), "45 numbers");
  Eigen::MatrixXd broken = Eigen::MatrixXd::Random(50, kPoseSize);
  broken(6, 1) = NAN;
  has(message(broken), "pose 7, number 2");
  TrainOptions options;
  options.dimension = 46;
  has(message(Eigen::MatrixXd::Random(99, kPoseSize), options), "1 to 45");
}

Clip curling(const Hand& hand, int frames, int rest) {
  Clip clip;
  clip.hands.push_back({std::make_shared<const Hand>(hand), {}});
  Eigen::VectorXd vector = Eigen::VectorXd::Zero(kPoseSize);
  for (int f = 0; f < frames + rest; ++f) {
    for (int i = 0; i < kPoseJoints; ++i) vector[3 * i] = -0.02 * std::min(f, frames);
    clip.hands[0].poses.push_back(pose_from_vector(hand, {}, vector));
  }
  return clip;
}

TEST(PoseSamples, LeaveOutAHandThatRests) {
  const Hand hand = build_hand().value();
  const auto samples = pose_samples({curling(hand, 30, 100)}, 0.01);
  ASSERT_TRUE(samples.ok());
  EXPECT_EQ(samples->rows(), 31);
  EXPECT_EQ(pose_samples({curling(hand, 30, 100)}, 0.03)->rows(), 16);
  EXPECT_EQ(pose_samples({curling(hand, 30, 100)}, 0.0)->rows(), 130);
}

TEST(PoseSamples, TakeEveryHandAndNeedFingers) {
  const Hand hand = build_hand().value();
  Clip both = curling(hand, 10, 0);
  both.hands.push_back(curling(mirrored(hand), 10, 0).hands[0]);
  EXPECT_EQ(pose_samples({both, both}, 0.01)->rows(), 40);
  Hand stump = hand;
  stump.xr_segments[8] = -1;
  EXPECT_FALSE(pose_samples({curling(stump, 10, 0)}, 0.01).ok());
  EXPECT_FALSE(pose_samples({}, 0.01).ok());
}

}  // namespace
}  // namespace prehend::grasp_space
