// Nonlinear least squares within bounds, for problems whose derivatives are not worth deriving.
#pragma once

#include <functional>

#include <Eigen/Core>

namespace prehend::optimize {

struct LeastSquaresOptions {
  int max_iterations = 200;
  // Stop when the cost falls by less than this fraction.
  double function_tolerance = 1e-9;
  // Step of the central differences, relative to each variable and at least this.
  double difference = 1e-6;
};

struct LeastSquaresResult {
  Eigen::VectorXd x;
  double cost = 0.0;  // half the sum of squares
  int iterations = 0;
  bool converged = false;
};

// Writes residual_count numbers for x.
using Residuals = std::function<void(const Eigen::VectorXd& x, Eigen::VectorXd& residuals)>;

// Levenberg-Marquardt from `start`, which is first moved into the bounds.
LeastSquaresResult minimize_squares(const Residuals& residuals, int residual_count,
                                    const Eigen::VectorXd& start, const Eigen::VectorXd& lower,
                                    const Eigen::VectorXd& upper,
                                    const LeastSquaresOptions& options = {});

}  // namespace prehend::optimize
