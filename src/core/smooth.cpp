#include "prehend/core/smooth.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <Eigen/QR>

namespace prehend {
namespace {

// Rows give value, first and second derivative at sample `at` of `count` samples, in samples.
Eigen::MatrixXd window_weights(int count, int at) {
  const int order = std::min(3, count - 1);
  Eigen::MatrixXd powers(count, order + 1);
  for (int i = 0; i < count; ++i) {
    double power = 1.0;
    for (int p = 0; p <= order; ++p, power *= i - at) powers(i, p) = power;
  }
  const Eigen::MatrixXd solved =
      powers.householderQr().solve(Eigen::MatrixXd::Identity(count, count));
  Eigen::MatrixXd weights = Eigen::MatrixXd::Zero(3, count);
  weights.topRows(std::min(3, order + 1)) = solved.topRows(std::min(3, order + 1));
  weights.row(2) *= 2.0;
  return weights;
}

}  // namespace

Smoothed smooth(const Eigen::MatrixXd& samples, double sample_rate, double half_width) {
  const int rows = static_cast<int>(samples.rows());
  const int half = std::max(3, static_cast<int>(std::lround(half_width * sample_rate)));
  const int count = std::min(rows, 2 * half + 1);
  Smoothed out;
  out.value.resizeLike(samples);
  out.first.resizeLike(samples);
  out.second.resizeLike(samples);
  std::map<int, Eigen::MatrixXd> weights;  // by place in the window
  for (int row = 0; row < rows; ++row) {
    const int first = std::clamp(row - half, 0, rows - count);
    auto [at, made] = weights.try_emplace(row - first);
    if (made) at->second = window_weights(count, row - first);
    const Eigen::MatrixXd fitted = at->second * samples.middleRows(first, count);
    out.value.row(row) = fitted.row(0);
    out.first.row(row) = fitted.row(1) * sample_rate;
    out.second.row(row) = fitted.row(2) * sample_rate * sample_rate;
  }
  return out;
}

}  // namespace prehend
