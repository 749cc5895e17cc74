// Principal components of samples.
#pragma once

#include <Eigen/Core>

namespace prehend::optimize {

struct Pca {
  Eigen::VectorXd mean;
  Eigen::MatrixXd components;  // orthonormal columns, the most variance first
  // Of every direction, not only of those kept; descending. Their sum is the samples' variance.
  Eigen::VectorXd variances;

  int dimension() const { return static_cast<int>(components.cols()); }
  // Fraction of the variance that the first `count` directions hold; 1 when there is none at all.
  double kept(int count) const;
  Eigen::VectorXd project(const Eigen::VectorXd& sample) const;
  Eigen::VectorXd reproject(const Eigen::VectorXd& reduced) const;
};

// One sample a row. Each component's largest entry is positive, so that signs do not depend on the
// decomposition. Keeps all directions; `truncated` drops the later ones.
Pca fit_pca(const Eigen::MatrixXd& samples);
Pca truncated(const Pca& pca, int dimension);
// The fewest directions that keep this fraction of the variance, at least one.
int dimension_keeping(const Pca& pca, double fraction);

}  // namespace prehend::optimize
