#include <random>

#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include "physics/engine.h"

namespace prehend::physics {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

TEST(EngineKernels, AFactorFollowsWhatIsAddedAndTakenAway) {
  constexpr double kTolerance = 1e-10;
  std::mt19937 random(3);
  std::normal_distribution<double> gauss;
  for (int n : {1, 3, 4, 7, 16, 69}) {
    const RowMajor some = RowMajor::NullaryExpr(n, n, [&] { return gauss(random); });
    const RowMajor start = some * some.transpose() + RowMajor::Identity(n, n);
    Eigen::VectorXd x = Eigen::VectorXd::NullaryExpr(n, [&](Eigen::Index i) {
      return i % 3 == 1 || i < n / 4 ? 0.0 : gauss(random);  // as contacts of one digit are
    });
    RowMajor factor = start.llt().matrixL();
    Eigen::VectorXd scratch = x;
    EXPECT_EQ(mju_cholUpdate(factor.data(), scratch.data(), n, 1), n);
    const RowMajor more = start + x * x.transpose();
    EXPECT_LT((factor * factor.transpose() - more).norm(), kTolerance * more.norm()) << n;
    scratch = x;
    EXPECT_EQ(mju_cholUpdate(factor.data(), scratch.data(), n, 0), n);
    EXPECT_LT((factor * factor.transpose() - start).norm(), kTolerance * start.norm()) << n;
  }
}

TEST(EngineKernels, WhatIsNoLongerPositiveIsCounted) {
  RowMajor factor = RowMajor::Identity(2, 2);
  Eigen::Vector2d x(2.0, 0.0);
  EXPECT_EQ(mju_cholUpdate(factor.data(), x.data(), 2, 0), 1);
}

}  // namespace
}  // namespace prehend::physics
