// One run of expectation-maximisation, step by step.
#pragma once

#include <vector>

#include <Eigen/Core>

#include "prehend/core/random.h"
#include "prehend/optimize/mixture.h"

namespace prehend::optimize {

struct Whitener {
  explicit Whitener(const Gaussian& part);
  Eigen::MatrixXd matrix;  // inverse Cholesky factor of the covariance, lower
  double log_scale = 0.0;  // log weight minus log normalizer
};

// With `blur` added to their diagonals, covariances fit not the samples but clouds of that variance
// around them. Then the quantity that never falls is the likelihood of the clouds,
//   sum_n log sum_k pi_k p(x_n | k) exp(-blur / 2 tr C_k^-1),
// so it, not the samples' own, is what responsibilities come from and what is watched.
class MixtureEm {
 public:
  // Keeps a reference to the samples, one a row. Starts from k-means; has fewer components than
  // asked for when fewer samples differ.
  MixtureEm(const Eigen::MatrixXd& samples, int components, double blur, Random& random);

  // Responsibilities of the present Gaussians; the clouds' mean log likelihood under them.
  double expect();
  // Gaussians of the present responsibilities.
  void maximize();
  const std::vector<Gaussian>& parts() const { return parts_; }

 private:
  Eigen::MatrixXd spread_seeds(int components, Random& random) const;
  void assign_nearest(Eigen::MatrixXd& centers);

  const Eigen::MatrixXd& samples_;
  double blur_;
  std::vector<Gaussian> parts_;
  Eigen::MatrixXd responsibilities_;  // samples x components
  Eigen::MatrixXd centered_;          // scratch, samples x dimensions
  Eigen::VectorXd column_;            // scratch, samples
};

}  // namespace prehend::optimize
