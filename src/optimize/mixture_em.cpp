// Ben Amor, Heumer, Jung, Vitzthum, "Grasp synthesis from low-dimensional probabilistic grasp
// models", Computer Animation and Virtual Worlds 2008, section "Gaussian Mixture Model".
// Implements: the estimation of eq. 3's parameters by expectation-maximisation.
// Departs:    covariances are blurred (see the header), as the paper's would collapse onto
//             duplicated samples; seeds are k-means++ with a few rounds of k-means, as the paper
//             names none.
// Symbols:    pi weight, mu mean, C covariance of a Gaussian.
#include "optimize/mixture_em.h"

#include <cmath>
#include <limits>
#include <numbers>

#include <Eigen/Cholesky>

namespace prehend::optimize {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kMeansRounds = 8;
// A Gaussian with less than this many samples is switched off.
constexpr double kEmpty = 1e-6;

}  // namespace

Whitener::Whitener(const Gaussian& part) {
  const Eigen::Index d = part.mean.size();
  const Eigen::LLT<Eigen::MatrixXd> cholesky(part.covariance);
  matrix = cholesky.matrixL().solve(Eigen::MatrixXd::Identity(d, d));
  log_scale = std::log(part.weight) + matrix.diagonal().array().log().sum() -
              0.5 * static_cast<double>(d) * std::log(2.0 * std::numbers::pi);  // eq. 4
}

MixtureEm::MixtureEm(const Eigen::MatrixXd& samples, int components, double blur, Random& random)
    : samples_(samples), blur_(blur) {
  Eigen::MatrixXd centers = spread_seeds(components, random);
  for (int round = 0; round < kMeansRounds; ++round) assign_nearest(centers);
  parts_.resize(static_cast<size_t>(centers.rows()));
  maximize();
}

// k-means++: each seed is a sample, likely one far from the seeds before.
Eigen::MatrixXd MixtureEm::spread_seeds(int components, Random& random) const {
  const Eigen::Index count = samples_.rows();
  Eigen::MatrixXd seeds(components, samples_.cols());
  Eigen::VectorXd distance = Eigen::VectorXd::Ones(count);
  for (int k = 0; k < components; ++k) {
    if (distance.maxCoeff() <= 0.0) return seeds.topRows(k);
    double left = random.uniform() * distance.sum();
    Eigen::Index chosen = 0;
    for (Eigen::Index i = 0; i < count && left >= 0.0; ++i) {
      if (distance[i] > 0.0) chosen = i;
      left -= distance[i];
    }
    seeds.row(k) = samples_.row(chosen);
    const auto to_seed = (samples_.rowwise() - seeds.row(k)).rowwise().squaredNorm();
    distance = k == 0 ? Eigen::VectorXd(to_seed) : Eigen::VectorXd(distance.cwiseMin(to_seed));
  }
  return seeds;
}

void MixtureEm::assign_nearest(Eigen::MatrixXd& centers) {
  const Eigen::Index count = samples_.rows();
  Eigen::VectorXd nearest = Eigen::VectorXd::Constant(count, kInfinity);
  Eigen::VectorXi owner = Eigen::VectorXi::Zero(count);
  for (int k = 0; k < centers.rows(); ++k) {
    centered_ = samples_.rowwise() - centers.row(k);
    const Eigen::VectorXd distance = centered_.rowwise().squaredNorm();
    owner = (distance.array() < nearest.array()).select(k, owner);
    nearest = nearest.cwiseMin(distance);
  }
  responsibilities_.setZero(count, centers.rows());
  for (Eigen::Index i = 0; i < count; ++i) responsibilities_(i, owner[i]) = 1.0;
  for (int k = 0; k < centers.rows(); ++k) {
    const auto own = responsibilities_.col(k);
    if (own.sum() > 0.0) centers.row(k) = own.transpose() * samples_ / own.sum();
  }
}

double MixtureEm::expect() {
  const Eigen::Index count = samples_.rows();
  Eigen::VectorXd largest = Eigen::VectorXd::Constant(count, -kInfinity);
  for (size_t k = 0; k < parts_.size(); ++k) {
    const Gaussian& part = parts_[k];
    auto column = responsibilities_.col(static_cast<Eigen::Index>(k));
    if (part.weight <= 0.0) {
      column.setConstant(-kInfinity);
      continue;
    }
    const Whitener whitener(part);
    centered_ = samples_.rowwise() - part.mean.transpose();
    column.setConstant(whitener.log_scale - 0.5 * blur_ * whitener.matrix.squaredNorm());
    for (Eigen::Index i = 0; i < samples_.cols(); ++i) {
      // Column by column: a general product packs such thin matrices for longer than it multiplies.
      column_ = whitener.matrix(i, 0) * centered_.col(0);
      for (Eigen::Index j = 1; j <= i; ++j) column_ += whitener.matrix(i, j) * centered_.col(j);
      column -= 0.5 * column_.cwiseAbs2();
    }
    largest = largest.cwiseMax(column);
  }
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(count);
  for (auto column : responsibilities_.colwise()) {
    column = (column - largest).array().exp();
    sum += column;
  }
  for (auto column : responsibilities_.colwise()) column.array() /= sum.array();
  return (largest.array() + sum.array().log()).mean();
}

void MixtureEm::maximize() {
  const double count = static_cast<double>(samples_.rows());
  const Eigen::Index d = samples_.cols();
  for (size_t k = 0; k < parts_.size(); ++k) {
    Gaussian& part = parts_[k];
    const auto own = responsibilities_.col(static_cast<Eigen::Index>(k));
    const double total = own.sum();
    part.weight = total > kEmpty ? total / count : 0.0;
    if (part.weight <= 0.0) continue;
    part.mean = samples_.transpose() * own / total;
    centered_ = samples_.rowwise() - part.mean.transpose();
    part.covariance.resize(d, d);
    for (Eigen::Index i = 0; i < d; ++i) {
      column_ = own.cwiseProduct(centered_.col(i)) / total;
      for (Eigen::Index j = 0; j <= i; ++j) {
        part.covariance(i, j) = part.covariance(j, i) = column_.dot(centered_.col(j));
      }
      part.covariance(i, i) += blur_;
    }
  }
}

}  // namespace prehend::optimize
