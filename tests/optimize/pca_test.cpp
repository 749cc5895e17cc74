#include "prehend/optimize/pca.h"

#include <cmath>

#include <gtest/gtest.h>
#include <Eigen/SVD>

#include "prehend/core/random.h"

namespace prehend::optimize {
namespace {

constexpr double kRounding = 1e-12;

Eigen::MatrixXd random_samples(int count, int dimension, std::uint64_t seed) {
  Random random(seed);
  Eigen::MatrixXd mix(dimension, dimension), samples(count, dimension);
  for (double& entry : mix.reshaped()) entry = random.normal();
  for (double& entry : samples.reshaped()) entry = random.normal();
  return ((samples * mix).array() + 3.0).matrix();
}

TEST(Pca, FindsTheAxesOfAnEllipse) {
  // Four points at the ends of axes of half lengths 2 and 1, turned by 30 degrees.
  const Eigen::Vector2d a(std::sqrt(0.75), 0.5), b(-0.5, std::sqrt(0.75)), mean(7.0, -3.0);
  Eigen::MatrixXd samples(4, 2);
  samples << (mean + 2 * a).transpose(), (mean - 2 * a).transpose(), (mean + b).transpose(),
      (mean - b).transpose();
  const Pca pca = fit_pca(samples);
  EXPECT_NEAR((pca.mean - mean).norm(), 0.0, kRounding);
  EXPECT_NEAR((pca.components.col(0) - a).norm(), 0.0, kRounding);
  EXPECT_NEAR((pca.components.col(1) - b).norm(), 0.0, kRounding);
  EXPECT_NEAR(pca.variances[0], 8.0 / 3.0, kRounding);
  EXPECT_NEAR(pca.variances[1], 2.0 / 3.0, kRounding);
  EXPECT_NEAR(pca.kept(1), 0.8, kRounding);
  EXPECT_EQ(dimension_keeping(pca, 0.79), 1);
  EXPECT_EQ(dimension_keeping(pca, 0.81), 2);
}

TEST(Pca, RecoversTheCovarianceThatSamplesWereDrawnFrom) {
  Eigen::Vector3d deviation(3.0, 1.0, 0.2);
  Random random(4);
  Eigen::MatrixXd samples(40000, 3);
  for (double& entry : samples.reshaped()) entry = random.normal();
  const Pca pca = fit_pca(samples * deviation.asDiagonal());
  for (int i = 0; i < 3; ++i) {
    // The variance of n samples has a relative deviation of sqrt(2 / n): 0.7 %.
    EXPECT_NEAR(pca.variances[i] / (deviation[i] * deviation[i]), 1.0, 0.03);
    EXPECT_GT(pca.components(i, i), 0.999);
  }
}

TEST(Pca, ComponentsAreTheSamplesSingularVectors) {
  const Eigen::MatrixXd samples = random_samples(60, 9, 2);
  const Pca pca = fit_pca(samples);
  const Eigen::MatrixXd centered = samples.rowwise() - samples.colwise().mean();
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(centered, Eigen::ComputeThinV);
  for (int i = 0; i < 9; ++i) {
    const double variance = svd.singularValues()[i] * svd.singularValues()[i] / 59.0;
    EXPECT_NEAR(pca.variances[i], variance, 1e-10 * pca.variances[0]);
    EXPECT_NEAR(std::abs(svd.matrixV().col(i).dot(pca.components.col(i))), 1.0, 1e-9);
  }
  EXPECT_NEAR(pca.variances.sum(), centered.squaredNorm() / 59.0, 1e-10 * pca.variances.sum());
}

TEST(Pca, ReprojectionOfAllDirectionsIsTheSample) {
  const Eigen::MatrixXd samples = random_samples(50, 12, 3);
  const Pca pca = fit_pca(samples);
  EXPECT_NEAR(
      (pca.components.transpose() * pca.components - Eigen::MatrixXd::Identity(12, 12)).norm(), 0.0,
      kRounding);
  for (int i = 0; i < 50; ++i) {
    const Eigen::VectorXd sample = samples.row(i);
    EXPECT_NEAR((pca.reproject(pca.project(sample)) - sample).norm(), 0.0, 1e-10);
  }
}

TEST(Pca, WhatTruncationLosesIsTheVarianceOfTheDirectionsDropped) {
  const Eigen::MatrixXd samples = random_samples(50, 12, 3);
  const Pca all = fit_pca(samples), pca = truncated(all, 4);
  EXPECT_EQ(pca.dimension(), 4);
  EXPECT_EQ(pca.kept(4), all.kept(4));
  double lost = 0.0;
  for (int i = 0; i < 50; ++i) {
    const Eigen::VectorXd sample = samples.row(i), reduced = pca.project(sample);
    lost += (pca.reproject(reduced) - sample).squaredNorm() / 49.0;
    EXPECT_NEAR((pca.project(pca.reproject(reduced)) - reduced).norm(), 0.0, 1e-10);
  }
  EXPECT_NEAR(lost / all.variances.tail(8).sum(), 1.0, 1e-9);
}

TEST(Pca, TheLargestEntryOfEveryComponentIsPositive) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    const Eigen::MatrixXd samples = random_samples(40, 7, seed);
    const Pca pca = fit_pca(samples), mirrored = fit_pca(-samples);
    for (int i = 0; i < 7; ++i) {
      Eigen::Index largest = 0;
      pca.components.col(i).cwiseAbs().maxCoeff(&largest);
      EXPECT_GT(pca.components(largest, i), 0.0);
    }
    EXPECT_NEAR((pca.components - mirrored.components).norm(), 0.0, 1e-9);
  }
}

TEST(Pca, EqualEntriesTakeTheirSignFromTheFirst) {
  Eigen::MatrixXd samples(2, 2);
  const double hardly_larger = 1.0 + 1e-12;
  samples << 1.0, -hardly_larger, -1.0, hardly_larger;
  const Pca pca = fit_pca(samples);
  EXPECT_GT(pca.components(0, 0), 0.0);
  EXPECT_LT(pca.components(1, 0), 0.0);
}

TEST(Pca, FewOrEqualSamplesHaveNoVarianceToSpare) {
  const Pca one = fit_pca(random_samples(1, 5, 1));
  EXPECT_EQ(one.variances.sum(), 0.0);
  EXPECT_EQ(one.kept(1), 1.0);
  EXPECT_EQ(dimension_keeping(one, 1.0), 1);
  const Eigen::MatrixXd three = random_samples(3, 45, 1);
  const Pca pca = fit_pca(three);
  EXPECT_EQ(pca.dimension(), 45);
  EXPECT_NEAR(pca.kept(2), 1.0, kRounding);
  EXPECT_GE(pca.variances.minCoeff(), 0.0);
  const Eigen::VectorXd sample = three.row(1);
  const Pca flat = truncated(pca, 2);
  EXPECT_NEAR((flat.reproject(flat.project(sample)) - sample).norm(), 0.0, 1e-9);
}

}  // namespace
}  // namespace prehend::optimize
