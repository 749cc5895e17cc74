// Ben Amor, Heumer, Jung, Vitzthum, "Grasp synthesis from low-dimensional probabilistic grasp
// models", Computer Animation and Virtual Worlds 2008.
// Implements: eq. 1 (principal components), eq. 2 (re-projection).
// Departs:    M is symmetric, so its singular vectors are its eigenvectors and the symmetric
//             eigenproblem, which keeps them orthonormal, takes the place of the SVD.
// Symbols:    M covariance; V components; W variances; x_m mean; a point of the reduced space.
#include "prehend/optimize/pca.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include <Eigen/Eigenvalues>

namespace prehend::optimize {
namespace {

// Entries this near the largest count as equally large: the first of them decides the sign, not
// rounding.
constexpr double kTie = 1e-9;

void fix_sign(Eigen::Ref<Eigen::VectorXd> component) {
  const double largest = component.cwiseAbs().maxCoeff();
  const auto decides = [&](double entry) { return std::abs(entry) >= (1.0 - kTie) * largest; };
  if (*std::find_if(component.begin(), component.end(), decides) < 0.0) component *= -1.0;
}

}  // namespace

double Pca::kept(int count) const {
  const double all = variances.sum();
  return all > 0.0 ? variances.head(count).sum() / all : 1.0;
}

Eigen::VectorXd Pca::project(const Eigen::VectorXd& sample) const {
  return components.transpose() * (sample - mean);
}

Eigen::VectorXd Pca::reproject(const Eigen::VectorXd& reduced) const {
  return mean + components * reduced;  // eq. 2
}

Pca fit_pca(const Eigen::MatrixXd& samples) {
  assert(samples.rows() > 0 && samples.cols() > 0);
  Pca pca;
  pca.mean = samples.colwise().mean();
  const Eigen::MatrixXd centered = samples.rowwise() - pca.mean.transpose();
  const double freedom = std::max<double>(1.0, static_cast<double>(samples.rows() - 1));
  const Eigen::MatrixXd covariance = centered.transpose() * centered / freedom;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(covariance);  // eq. 1
  // Eigen sorts them ascending; those of no variance may come out a rounding below zero.
  pca.variances = solver.eigenvalues().reverse().cwiseMax(0.0);
  pca.components = solver.eigenvectors().rowwise().reverse();
  for (auto component : pca.components.colwise()) fix_sign(component);
  return pca;
}

Pca truncated(const Pca& pca, int dimension) {
  assert(dimension >= 1 && dimension <= pca.dimension());
  Pca result = pca;
  result.components = pca.components.leftCols(dimension);
  return result;
}

int dimension_keeping(const Pca& pca, double fraction) {
  int count = 1;
  while (count < pca.dimension() && pca.kept(count) < fraction) ++count;
  return count;
}

}  // namespace prehend::optimize
