// Quadratic programs drawn at random, feasible by construction.
#pragma once

#include <limits>
#include <random>

#include "prehend/optimize/quadratic_program.h"

namespace prehend::optimize {

struct QuadraticSizes {
  int variables = 10, equalities = 2, inequalities = 15;
  bool bounds = true;
  double condition = 1e3;  // of the Hessian
  double touching = 0.3;   // share of the constraints that hold with equality at a known point
};

inline QuadraticProgram random_quadratic(const QuadraticSizes& sizes, std::mt19937& random) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  const auto matrix = [&](int rows, int cols) {
    return Eigen::MatrixXd(
        Eigen::MatrixXd::NullaryExpr(rows, cols, [&](auto, auto) { return normal(random); }));
  };
  const int n = sizes.variables;
  QuadraticProgram p;
  const Eigen::MatrixXd root = matrix(n, n);
  p.hessian = root * root.transpose() / n +
              Eigen::MatrixXd::Identity(n, n) * (root.squaredNorm() / n / sizes.condition);
  p.gradient = 3.0 * matrix(n, 1);
  const Eigen::VectorXd feasible = matrix(n, 1);
  p.equality = matrix(sizes.equalities, n);
  p.equality_value = p.equality * feasible;
  p.inequality = matrix(sizes.inequalities, n);
  p.inequality_least = p.inequality * feasible;
  for (double& least : p.inequality_least)
    if (uniform(random) > sizes.touching) least -= std::abs(normal(random));
  if (sizes.bounds) {
    p.lower = feasible;
    p.upper = feasible;
    for (int i = 0; i < n; ++i) {
      if (uniform(random) > sizes.touching) p.lower[i] -= std::abs(normal(random));
      if (uniform(random) > sizes.touching) p.upper[i] += std::abs(normal(random));
      if (uniform(random) < 0.2) p.lower[i] = -std::numeric_limits<double>::infinity();
      if (uniform(random) < 0.2) p.upper[i] = std::numeric_limits<double>::infinity();
    }
  }
  return p;
}

}  // namespace prehend::optimize
