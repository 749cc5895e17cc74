#include "prehend/optimize/least_squares.h"

#include <ceres/ceres.h>

namespace prehend::optimize {

namespace {

struct Functor {
  const Residuals* residuals;
  int variables;
  int count;
  mutable Eigen::VectorXd x;
  mutable Eigen::VectorXd r;

  bool operator()(double const* const* parameters, double* out) const {
    x = Eigen::Map<const Eigen::VectorXd>(parameters[0], variables);
    (*residuals)(x, r);
    Eigen::Map<Eigen::VectorXd>(out, count) = r;
    return r.allFinite();
  }
};

}  // namespace

LeastSquaresResult minimize_squares(const Residuals& residuals, int residual_count,
                                    const Eigen::VectorXd& start, const Eigen::VectorXd& lower,
                                    const Eigen::VectorXd& upper,
                                    const LeastSquaresOptions& options) {
  const int n = static_cast<int>(start.size());
  LeastSquaresResult result;
  result.x = start.cwiseMax(lower).cwiseMin(upper);
  ceres::NumericDiffOptions difference;
  difference.relative_step_size = options.difference;
  auto* cost = new ceres::DynamicNumericDiffCostFunction<Functor, ceres::CENTRAL>(
      new Functor{&residuals, n, residual_count, Eigen::VectorXd(n),
                  Eigen::VectorXd::Zero(residual_count)},
      ceres::TAKE_OWNERSHIP, difference);
  cost->AddParameterBlock(n);
  cost->SetNumResiduals(residual_count);
  ceres::Problem problem;
  problem.AddResidualBlock(cost, nullptr, result.x.data());
  for (int i = 0; i < n; ++i) {
    problem.SetParameterLowerBound(result.x.data(), i, lower[i]);
    problem.SetParameterUpperBound(result.x.data(), i, upper[i]);
  }
  ceres::Solver::Options solver;
  solver.max_num_iterations = options.max_iterations;
  solver.function_tolerance = options.function_tolerance;
  solver.linear_solver_type = ceres::DENSE_QR;
  solver.logging_type = ceres::SILENT;
  ceres::Solver::Summary summary;
  ceres::Solve(solver, &problem, &summary);
  result.cost = summary.final_cost;
  result.iterations = static_cast<int>(summary.iterations.size());
  result.converged = summary.termination_type == ceres::CONVERGENCE;
  return result;
}

}  // namespace prehend::optimize
