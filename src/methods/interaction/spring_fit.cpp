// Kry and Pai 2006, section 3.3, beyond the paper: it divides slopes of angle and torque at
// contact, which counts impact and damping as stiffness. Here the torque, which is measured well,
// goes through the joint's damping, and the angle, which is noisy, is what is explained: nothing
// noisy is differentiated or divided by, so that noise makes estimates uncertain and not biased.
#include "methods/interaction/spring_fit.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>

namespace prehend::interaction {
namespace {

using Part = TouchReading::Part;

// s: damping over stiffness is sought up to this, twice what the paper's table 2 has.
constexpr double kLongestDamping = 0.05, kDampingStep = 0.001;
// rad: a free motion that is so near to a line is one. A parabola carried on for 0.1 s is much less
// certain than a line, so what it gains must be worth it.
constexpr double kStraight = 0.005;
// s: what people show. The paper's table 2 has b / k of 23 ms exploring and 15 ms scratching, so
// that other values need evidence.
constexpr double kUsualDamping = 0.019, kDampingSpread = 0.005;
constexpr double kTimeScale = 0.1;  // s: times over it are of the order of one

// What is left of `values` after a least-squares fit by the columns of `basis`, and the fit.
struct LeastSquares {
  Eigen::VectorXd solved;
  Eigen::MatrixXd inverse;
  double squares = 0.0;

  LeastSquares(const Eigen::MatrixXd& basis, const Eigen::VectorXd& values) {
    const Eigen::MatrixXd normal = basis.transpose() * basis;
    inverse = normal.ldlt().solve(Eigen::MatrixXd::Identity(normal.rows(), normal.cols()));
    solved = inverse * (basis.transpose() * values);
    squares = (basis * solved - values).squaredNorm();
  }
};

// Powers of time, and `x` as the last column unless it is empty, at the samples of some parts.
void rows_of(const TouchReading& reading, int degree, const std::vector<double>& x, bool touching,
             Eigen::MatrixXd& basis, Eigen::VectorXd& values) {
  std::vector<std::size_t> used;
  for (std::size_t i = 0; i < reading.part.size(); ++i)
    if (reading.part[i] == Part::kFree || (touching && reading.part[i] == Part::kTouching))
      used.push_back(i);
  const Eigen::Index count = static_cast<Eigen::Index>(used.size());
  basis.resize(count, degree + 1 + (x.empty() ? 0 : 1));
  values.resize(count);
  for (Eigen::Index r = 0; r < count; ++r) {
    const std::size_t i = used[static_cast<std::size_t>(r)];
    double power = 1.0;
    for (int d = 0; d <= degree; ++d, power *= reading.time[i] / kTimeScale) basis(r, d) = power;
    if (!x.empty()) basis(r, degree + 1) = x[i];
    values[r] = reading.angle[i];
  }
}

}  // namespace

std::vector<double> lagged(std::span<const double> torque, double step, double damping_time) {
  std::vector<double> x(torque.begin(), torque.end());
  if (damping_time <= 0.0) return x;
  // Exact for a torque that is straight between samples.
  const double h = step / damping_time, keep = std::exp(-h), mean = (1.0 - keep) / h;
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] =
        i == 0 ? 0.0 : keep * x[i - 1] + (mean - keep) * torque[i - 1] + (1.0 - mean) * torque[i];
  return x;
}

TouchFit fit_touch(const TouchReading& reading, double damping_time, int degree) {
  Eigen::MatrixXd basis;
  Eigen::VectorXd values;
  rows_of(reading, degree, lagged(reading.torque, reading.step, damping_time), true, basis, values);
  const LeastSquares fit(basis, values);
  const int last = degree + 1;
  TouchFit made;
  made.samples = static_cast<int>(values.size());
  made.squares = fit.squares;
  made.compliance = fit.solved[last];
  made.error =
      std::sqrt(fit.squares / std::max(1, made.samples - last - 1) * fit.inverse(last, last));
  return made;
}

int free_degree(std::span<const TouchReading> readings) {
  double squares[2] = {}, samples = 0.0;
  Eigen::MatrixXd basis;
  Eigen::VectorXd values;
  for (const TouchReading& reading : readings) {
    for (const int degree : {1, 2}) {
      rows_of(reading, degree, {}, false, basis, values);
      squares[degree - 1] += LeastSquares(basis, values).squares;
    }
    samples += static_cast<double>(values.size());
  }
  // The Bayesian information criterion with a margin: a coefficient costs log(n), and twice that is
  // asked because a parabola is carried on beyond the free motion.
  const double least = kStraight * kStraight * samples;
  const double gain = samples * std::log((squares[0] + least) / (squares[1] + least));
  const double cost = 2.0 * static_cast<double>(readings.size()) * std::log(samples);
  return gain > cost ? 2 : 1;
}

double likeliest_damping_time(std::span<const JointReadings> joints) {
  double best = 0.0, least = HUGE_VAL;
  const int steps = static_cast<int>(std::lround(kLongestDamping / kDampingStep));
  for (int k = 0; k <= steps; ++k) {
    // Minus the logarithm of the likelihood, each joint with noise of its own.
    const double off = (k * kDampingStep - kUsualDamping) / kDampingSpread;
    double badness = 0.5 * off * off;
    for (const JointReadings& joint : joints) {
      double squares = 0.0, samples = 0.0;
      for (const TouchReading& reading : joint.readings) {
        const TouchFit fit = fit_touch(reading, k * kDampingStep, joint.degree);
        squares += fit.squares;
        samples += fit.samples;
      }
      if (samples > 0.0) badness += 0.5 * samples * std::log(squares / samples + 1e-16);
    }
    if (badness >= least) continue;
    least = badness;
    best = k * kDampingStep;
  }
  return best;
}

}  // namespace prehend::interaction
