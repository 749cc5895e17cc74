// Ben Amor, Heumer, Jung, Vitzthum, "Grasp synthesis from low-dimensional probabilistic grasp
// models", Computer Animation and Virtual Worlds 2008, section "Gaussian Mixture Model".
// Implements: eq. 3 (density of a mixture), eq. 4 (of a Gaussian), the number of Gaussians by the
//             Bayesian information criterion.
// Departs:    eq. 4 prints the normalizer sqrt(2 pi^d) sqrt(det C); with sqrt((2 pi)^d det C) the
//             density integrates to one. Everything is in logarithms: p(x) underflows 40 standard
//             deviations out.
// Symbols:    pi weight, mu mean, C covariance of a Gaussian; d dimensions; C = L L', and L^-1
//             whitens: z = L^-1 (x - mu).
#include "prehend/optimize/mixture.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>

#include <Eigen/Cholesky>

#include "optimize/mixture_em.h"

namespace prehend::optimize {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// exp(-kNegligible) changes no bit of a number from 1 on.
constexpr double kNegligible = 38.0;
// Variance of samples that do not differ, relative to their squares.
constexpr double kLeastBlur = 1e-12;
// So often in a row may the criterion rise before the search ends.
constexpr int kMaxRises = 3;

// Returns the log of weight times density, leaves z whitened.
inline double log_term(const double* packed, const double* x, int d, double* z) {
  const double* mean = packed + 1;
  const double* row = mean + d;
  double squares = 0.0;
  for (int i = 0; i < d; row += ++i) {
    double sum = 0.0;
    for (int j = 0; j <= i; ++j) sum += row[j] * (x[j] - mean[j]);
    z[i] = sum;
    squares += sum * sum;
  }
  return packed[0] - 0.5 * squares;
}

int free_parameters(int components, int d) {
  return components - 1 + components * (d + d * (d + 1) / 2);
}

double blur_of(const Eigen::MatrixXd& samples, double regularization) {
  const Eigen::RowVectorXd mean = samples.colwise().mean();
  const double variance = (samples.rowwise() - mean).squaredNorm() / samples.size();
  const double size = std::max(1.0, samples.cwiseAbs().maxCoeff());
  return std::max(regularization * variance, kLeastBlur * size * size);
}

struct Run {
  std::vector<Gaussian> parts;
  double score = -kInfinity;
  int iterations = 0;
};

Run run_em(const Eigen::MatrixXd& samples, int components, double blur,
           const MixtureOptions& options, Random random) {
  MixtureEm em(samples, components, blur, random);
  Run run;
  while (true) {
    const double score = em.expect();
    const bool done = score - run.score < options.tolerance ||
                      run.iterations >= options.max_iterations || options.stop.stop_requested();
    run.score = score;
    if (done) break;
    em.maximize();
    ++run.iterations;
  }
  run.parts = em.parts();
  std::erase_if(run.parts, [](const Gaussian& part) { return part.weight <= 0.0; });
  return run;
}

}  // namespace

Mixture::Mixture(std::vector<Gaussian> parts) : parts_(std::move(parts)) {
  assert(valid(parts_));
  if (parts_.empty()) return;
  const Eigen::Index d = parts_.front().mean.size();
  dimension_ = static_cast<int>(d);
  for (const Gaussian& part : parts_) {
    const Whitener whitener(part);
    packed_.push_back(whitener.log_scale);
    packed_.insert(packed_.end(), part.mean.begin(), part.mean.end());
    for (Eigen::Index i = 0; i < d; ++i) {
      for (Eigen::Index j = 0; j <= i; ++j) packed_.push_back(whitener.matrix(i, j));
    }
  }
}

bool Mixture::valid(const std::vector<Gaussian>& parts) {
  return std::all_of(parts.begin(), parts.end(), [&](const Gaussian& part) {
    const Eigen::Index d = parts.front().mean.size();
    return d >= 1 && d <= kMaxDimension && part.mean.size() == d && part.mean.allFinite() &&
           part.weight > 0.0 && std::isfinite(part.weight) && part.covariance.rows() == d &&
           part.covariance.cols() == d && part.covariance.allFinite() &&
           part.covariance.isApprox(part.covariance.transpose()) &&
           Eigen::LLT<Eigen::MatrixXd>(part.covariance).info() == Eigen::Success;
  });
}

double Mixture::log_density(const Eigen::Ref<const Eigen::VectorXd>& x) const {
  assert(x.size() == dimension_);
  std::array<double, kMaxDimension> z;
  double largest = -kInfinity, sum = 0.0;  // of the terms, and of exp(term - largest)
  const size_t stride = static_cast<size_t>(1 + dimension_ + dimension_ * (dimension_ + 1) / 2);
  for (size_t at = 0; at < packed_.size(); at += stride) {
    const double term = log_term(&packed_[at], x.data(), dimension_, z.data());
    if (term > largest) {
      sum = 1.0 + sum * std::exp(largest - term);
      largest = term;
    } else if (term > largest - kNegligible) {
      sum += std::exp(term - largest);
    }
  }
  return sum > 0.0 ? largest + std::log(sum) : -kInfinity;
}

// The gradient is -sum_k p_k L_k^-T z_k over the sum of the p_k, its sum scaled as the density's.
double Mixture::log_density(const Eigen::Ref<const Eigen::VectorXd>& x,
                            Eigen::Ref<Eigen::VectorXd> gradient) const {
  assert(x.size() == dimension_ && gradient.size() == dimension_);
  std::array<double, kMaxDimension> z;
  double largest = -kInfinity, sum = 0.0;
  gradient.setZero();
  const size_t stride = static_cast<size_t>(1 + dimension_ + dimension_ * (dimension_ + 1) / 2);
  for (size_t at = 0; at < packed_.size(); at += stride) {
    const double term = log_term(&packed_[at], x.data(), dimension_, z.data());
    if (!(term > largest - kNegligible)) continue;
    double share = 1.0;
    if (term > largest) {
      const double shrink = std::exp(largest - term);
      sum *= shrink;
      gradient *= shrink;
      largest = term;
    } else {
      share = std::exp(term - largest);
    }
    sum += share;
    const double* row = &packed_[at] + 1 + dimension_;
    for (int i = 0; i < dimension_; row += ++i) {
      for (int j = 0; j <= i; ++j) gradient[j] -= share * z[static_cast<size_t>(i)] * row[j];
    }
  }
  if (sum <= 0.0) return -kInfinity;
  gradient /= sum;
  return largest + std::log(sum);
}

MixtureFit fit_mixture(const Eigen::MatrixXd& samples, int components,
                       const MixtureOptions& options) {
  assert(samples.rows() > 0 && components > 0 && samples.allFinite());
  const double blur = blur_of(samples, options.regularization);
  Run best;
  for (int restart = 0; restart < std::max(1, options.restarts); ++restart) {
    const auto stream =
        static_cast<std::uint64_t>(components) << 32 | static_cast<unsigned>(restart);
    Run run = run_em(samples, components, blur, options, Random(options.seed, stream));
    if (run.score > best.score || best.parts.empty()) best = std::move(run);
  }
  MixtureFit fit;
  fit.mixture = Mixture(std::move(best.parts));
  fit.iterations = best.iterations;
  for (Eigen::Index i = 0; i < samples.rows(); ++i) {
    fit.log_likelihood += fit.mixture.log_density(samples.row(i).transpose());
  }
  const int used = static_cast<int>(fit.mixture.parts().size());
  fit.bic = {-2.0 * fit.log_likelihood + free_parameters(used, fit.mixture.dimension()) *
                                             std::log(static_cast<double>(samples.rows()))};
  return fit;
}

MixtureFit fit_mixture_by_bic(const Eigen::MatrixXd& samples, const MixtureOptions& options) {
  MixtureFit best;
  std::vector<double> bic;
  for (int k = 1, rises = 0; k <= std::max(1, options.max_components) && rises < kMaxRises; ++k) {
    if (k > 1 && options.stop.stop_requested()) break;
    if (k > 1 && free_parameters(k, static_cast<int>(samples.cols())) > samples.rows()) break;
    MixtureFit fit = fit_mixture(samples, k, options);
    const double criterion = fit.bic.front();
    rises = k > 1 && criterion > bic.back() ? rises + 1 : 0;
    if (bic.empty() || criterion < *std::min_element(bic.begin(), bic.end())) best = std::move(fit);
    bic.push_back(criterion);
  }
  best.bic = std::move(bic);
  return best;
}

}  // namespace prehend::optimize
