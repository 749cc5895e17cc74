#include "prehend/optimize/least_squares.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <Eigen/QR>

namespace prehend::optimize {
namespace {

using Eigen::VectorXd;

VectorXd everywhere(int count, double value) { return VectorXd::Constant(count, value); }

// Until nothing is left to gain: the default stops a little before.
LeastSquaresOptions to_the_end() {
  LeastSquaresOptions options;
  options.function_tolerance = 1e-18;
  return options;
}

struct Line {
  Eigen::MatrixXd a;
  VectorXd b;
  void operator()(const VectorXd& x, VectorXd& residuals) const { residuals = a * x - b; }
};

Line some_line(int rows, int columns) {
  Line line{Eigen::MatrixXd(rows, columns), VectorXd(rows)};
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) line.a(i, j) = std::sin(1.0 + 3.0 * i + 1.7 * i * j + j);
    line.b[i] = std::cos(2.0 * i);
  }
  return line;
}

// Two routes: Levenberg-Marquardt by differences, and a QR decomposition.
TEST(LeastSquares, OfALinearProblemIsThatOfItsNormalEquations) {
  const Line line = some_line(7, 3);
  const auto found = minimize_squares(line, 7, everywhere(3, 0.0), everywhere(3, -1e3),
                                      everywhere(3, 1e3), to_the_end());
  const VectorXd expected = line.a.colPivHouseholderQr().solve(line.b);
  EXPECT_TRUE(found.converged);
  EXPECT_LT((found.x - expected).norm(), 1e-6);
  EXPECT_NEAR(found.cost, 0.5 * (line.a * expected - line.b).squaredNorm(), 1e-9);
}

TEST(LeastSquares, FollowsRosenbrocksValley) {
  const auto valley = [](const VectorXd& x, VectorXd& r) {
    r[0] = 10.0 * (x[1] - x[0] * x[0]);
    r[1] = 1.0 - x[0];
  };
  const auto found =
      minimize_squares(valley, 2, VectorXd{{-1.2, 1.0}}, everywhere(2, -5.0), everywhere(2, 5.0));
  EXPECT_TRUE(found.converged);
  EXPECT_LT((found.x - everywhere(2, 1.0)).norm(), 1e-6);
  EXPECT_LT(found.cost, 1e-12);
}

// The nearest point of a box to a point beside it, and a start that lies outside.
TEST(LeastSquares, StaysWithinItsBounds) {
  const VectorXd wanted{{2.0, -3.0, 0.25}};
  const VectorXd lower{{-1.0, -1.0, 0.0}}, upper{{1.0, 1.0, 1.0}};
  bool within = true;
  const auto towards = [&](const VectorXd& x, VectorXd& r) {
    // Central differences may step over a bound by what they differ.
    constexpr double kDifference = 1e-5;
    within = within && ((x - lower).array() > -kDifference).all() &&
             ((upper - x).array() > -kDifference).all();
    r = x - wanted;
  };
  const auto found = minimize_squares(towards, 3, everywhere(3, 9.0), lower, upper, to_the_end());
  EXPECT_TRUE(within);
  EXPECT_EQ(found.x[0], 1.0);
  EXPECT_EQ(found.x[1], -1.0);
  // Ceres's first step is damped by 1e-4, and it takes no second one beside active bounds.
  EXPECT_NEAR(found.x[2], 0.25, 1e-4);
  EXPECT_NEAR(found.cost, 0.5 * (1.0 + 4.0), 1e-8);
}

TEST(LeastSquares, SaysWhenItsIterationsDidNotSuffice) {
  const auto valley = [](const VectorXd& x, VectorXd& r) {
    r[0] = 10.0 * (x[1] - x[0] * x[0]);
    r[1] = 1.0 - x[0];
  };
  LeastSquaresOptions options;
  options.max_iterations = 3;
  const VectorXd start{{-1.2, 1.0}};
  const auto found =
      minimize_squares(valley, 2, start, everywhere(2, -5.0), everywhere(2, 5.0), options);
  EXPECT_FALSE(found.converged);
  EXPECT_LE(found.iterations, 4);  // the start counts as one
  VectorXd residuals(2);
  valley(start, residuals);
  EXPECT_LT(found.cost, 0.5 * residuals.squaredNorm());
  valley(found.x, residuals);
  EXPECT_DOUBLE_EQ(found.cost, 0.5 * residuals.squaredNorm());
}

TEST(LeastSquares, DoesNotClaimToHaveConvergedOnNumbersThatAreNone) {
  const auto nowhere = [](const VectorXd&, VectorXd& r) {
    r.setConstant(std::numeric_limits<double>::quiet_NaN());
  };
  const auto found =
      minimize_squares(nowhere, 2, everywhere(2, 0.5), everywhere(2, 0.0), everywhere(2, 1.0));
  EXPECT_FALSE(found.converged);
  EXPECT_EQ(found.x, everywhere(2, 0.5));
}

}  // namespace
}  // namespace prehend::optimize
