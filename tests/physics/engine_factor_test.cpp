#include <random>

#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include "physics/engine.h"

namespace prehend::physics {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Five blocks and a border that joins them, border first: a hand's structure in the tree's order.
struct HandLike {
  explicit HandLike(int digit, int border, std::mt19937& random)
      : n(5 * digit + border), matrix(RowMajor::Identity(n, n)) {
    std::normal_distribution<double> gauss;
    for (int d = 0; d < 5; ++d) {
      const RowMajor some = RowMajor::NullaryExpr(n, border + digit, [&] { return gauss(random); });
      RowMajor part = RowMajor::Zero(n, border + digit);
      part.topRows(border) = some.topRows(border);
      part.middleRows(border + d * digit, digit) = some.middleRows(border + d * digit, digit);
      matrix += part * part.transpose();
    }
    for (int i = border; i < n; ++i) order.push_back(i);
    for (int i = 0; i < border; ++i) order.push_back(i);
  }
  int n;
  RowMajor matrix;
  std::vector<int> order;
};

class EngineFactor : public testing::Test {
 protected:
  ~EngineFactor() override { set_solver_order({}); }
  Eigen::VectorXd solved(const RowMajor& factor, const Eigen::VectorXd& right) {
    Eigen::VectorXd x(right.size());
    mju_cholSolve(x.data(), factor.data(), right.data(), static_cast<int>(right.size()));
    return x;
  }
  std::mt19937 random{3};
  std::normal_distribution<double> gauss;
};

constexpr double kTolerance = 1e-9;

TEST_F(EngineFactor, SolvesAsEigenDoesInAnyOrder) {
  for (int digit : {1, 3, 12}) {
    const HandLike hand(digit, 6, random);
    const Eigen::VectorXd right =
        Eigen::VectorXd::NullaryExpr(hand.n, [&] { return gauss(random); });
    const Eigen::VectorXd expected = hand.matrix.llt().solve(right);
    for (const bool ordered : {false, true}) {
      set_solver_order(ordered ? hand.order : std::vector<int>{});
      RowMajor factor = hand.matrix;
      EXPECT_EQ(mju_cholFactor(factor.data(), hand.n, 1e-15), hand.n);
      EXPECT_LT((solved(factor, right) - expected).norm(), kTolerance * expected.norm());
    }
  }
}

// Of one digit, of two that touch each other, of everything, of nothing but the last; then back.
TEST_F(EngineFactor, FollowsWhatIsAddedAndTakenAway) {
  const HandLike hand(12, 6, random);
  const Eigen::VectorXd right = Eigen::VectorXd::NullaryExpr(hand.n, [&] { return gauss(random); });
  for (const bool ordered : {false, true}) {
    set_solver_order(ordered ? hand.order : std::vector<int>{});
    RowMajor factor = hand.matrix, matrix = hand.matrix;
    mju_cholFactor(factor.data(), hand.n, 1e-15);
    std::vector<Eigen::VectorXd> added;
    for (const auto& [low, high] : {std::pair{18, 30}, {30, 54}, {0, 66}, {64, 66}, {6, 7}}) {
      Eigen::VectorXd x = Eigen::VectorXd::Zero(hand.n);
      for (int i = low; i < high; ++i) x[i] = i % 5 == 2 ? 0.0 : gauss(random);
      added.push_back(x);
      matrix += x * x.transpose();
      EXPECT_EQ(mju_cholUpdate(factor.data(), x.data(), hand.n, 1), hand.n);
      const Eigen::VectorXd expected = matrix.llt().solve(right);
      EXPECT_LT((solved(factor, right) - expected).norm(), kTolerance * expected.norm()) << low;
    }
    for (Eigen::VectorXd x : added)
      EXPECT_EQ(mju_cholUpdate(factor.data(), x.data(), hand.n, 0), hand.n);
    const Eigen::VectorXd expected = hand.matrix.llt().solve(right);
    EXPECT_LT((solved(factor, right) - expected).norm(), kTolerance * expected.norm());
  }
}

TEST_F(EngineFactor, WhatIsNoLongerPositiveIsCounted) {
  RowMajor factor = RowMajor::Identity(2, 2);
  EXPECT_EQ(mju_cholFactor(factor.data(), 2, 1e-15), 2);
  Eigen::Vector2d x(2.0, 0.0);
  EXPECT_EQ(mju_cholUpdate(factor.data(), x.data(), 2, 0), 1);
  RowMajor flat = RowMajor::Zero(3, 3);
  EXPECT_EQ(mju_cholFactor(flat.data(), 3, 1e-15), 0);
}

}  // namespace
}  // namespace prehend::physics
