// Mixtures of Gaussians with full covariances, by expectation-maximisation.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include <Eigen/Core>

namespace prehend::optimize {

struct Gaussian {
  double weight = 1.0;
  Eigen::VectorXd mean;
  Eigen::MatrixXd covariance;
};

// Evaluates without allocating for dimensions up to kMaxDimension. Infinitely far from every part,
// and where there is none, the log density is minus infinity.
class Mixture {
 public:
  static constexpr int kMaxDimension = 64;

  Mixture() = default;
  // Parts must be valid.
  explicit Mixture(std::vector<Gaussian> parts);
  // One dimension for all, weights positive, covariances symmetric and positive definite: what a
  // reader of files asks first.
  static bool valid(const std::vector<Gaussian>& parts);

  int dimension() const { return dimension_; }
  const std::vector<Gaussian>& parts() const { return parts_; }
  double log_density(const Eigen::Ref<const Eigen::VectorXd>& x) const;
  // The same, and its derivative.
  double log_density(const Eigen::Ref<const Eigen::VectorXd>& x,
                     Eigen::Ref<Eigen::VectorXd> gradient) const;

 private:
  int dimension_ = 0;
  std::vector<Gaussian> parts_;
  // One part after the other, for the inner loop: log weight minus log normalizer, mean, rows of
  // the inverse Cholesky factor up to its diagonal.
  std::vector<double> packed_;
};

struct MixtureOptions {
  // K runs from 1 to this; it stops early when the criterion has risen for three K in a row, or
  // when a mixture would have more free parameters than there are samples.
  int max_components = 12;
  // Each K starts this often, from different k-means++ seeds, and keeps the likeliest.
  int restarts = 3;
  int max_iterations = 300;
  // Stop when an iteration raises the mean log likelihood of a sample by less than this.
  double tolerance = 1e-6;
  // Added to the diagonal of every covariance, as a fraction of the samples' mean variance: every
  // sample stands for a little cloud, so that no Gaussian collapses onto a few of them.
  double regularization = 1e-4;
  std::uint64_t seed = 1;
  // Ends the fit at the next iteration; what has been fitted until then is no use.
  std::stop_token stop;
};

struct MixtureFit {
  Mixture mixture;  // of the least criterion
  // Entry k - 1 belongs to K = k; of fit_mixture, the only entry to the K asked for.
  std::vector<double> bic;
  double log_likelihood = 0.0;  // of all samples together
  int iterations = 0;           // of the winner
};

// EM for one K; one sample a row, at least one. Has fewer parts when there are fewer than K
// different samples, or when a Gaussian loses all of its own.
MixtureFit fit_mixture(const Eigen::MatrixXd& samples, int components,
                       const MixtureOptions& options = {});
// K by the least Bayesian information criterion, -2 log L + (free parameters) log(samples).
MixtureFit fit_mixture_by_bic(const Eigen::MatrixXd& samples, const MixtureOptions& options = {});

}  // namespace prehend::optimize
