// The conditions of optimality of a quadratic program, apart from the solver that it judges.
#include <algorithm>
#include <cmath>

#include "prehend/optimize/quadratic_program.h"

namespace prehend::optimize {

double optimality_residual(const QuadraticProgram& program, const QuadraticResult& result) {
  const Eigen::VectorXd& x = result.x;
  const Eigen::VectorXd curved = program.hessian.selfadjointView<Eigen::Lower>() * x;
  Eigen::VectorXd left = curved + program.gradient;
  double size = 1.0 + curved.lpNorm<Eigen::Infinity>() + program.gradient.lpNorm<Eigen::Infinity>();
  const double reach = 1.0 + x.lpNorm<Eigen::Infinity>();
  double worst = 0.0;
  if (program.equality.rows() > 0) {
    left -= program.equality.transpose() * result.equality;
    for (int i = 0; i < program.equality.rows(); ++i) {
      const double miss = program.equality.row(i).dot(x) - program.equality_value[i];
      worst = std::max(worst, std::abs(miss) / (reach * (1.0 + program.equality.row(i).norm())));
    }
  }
  const auto one_sided = [&](double slack, double multiplier, double length) {
    worst = std::max(worst, -slack / (reach * (1.0 + length)));
    worst = std::max(worst, -multiplier / size);
    if (std::isfinite(slack))
      worst = std::max(worst, std::abs(slack) / (reach * (1.0 + length)) *
                                  std::min(1.0, std::abs(multiplier) / size));
    else
      worst = std::max(worst, std::abs(multiplier) / size);
  };
  if (program.inequality.rows() > 0) {
    left -= program.inequality.transpose() * result.inequality;
    for (int i = 0; i < program.inequality.rows(); ++i)
      one_sided(program.inequality.row(i).dot(x) - program.inequality_least[i],
                result.inequality[i], program.inequality.row(i).norm());
  }
  for (int i = 0; i < program.lower.size(); ++i) {
    left[i] -= result.lower[i];
    one_sided(x[i] - program.lower[i], result.lower[i], 1.0);
  }
  for (int i = 0; i < program.upper.size(); ++i) {
    left[i] += result.upper[i];
    one_sided(program.upper[i] - x[i], result.upper[i], 1.0);
  }
  return std::max(worst, left.lpNorm<Eigen::Infinity>() / size);
}

}  // namespace prehend::optimize
