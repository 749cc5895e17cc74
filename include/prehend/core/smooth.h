// Zero-phase smoothing and differentiation of sampled signals.
#pragma once

#include <Eigen/Core>

namespace prehend {

// A signal a column, a sample a row.
struct Smoothed {
  Eigen::MatrixXd value, first, second;  // the signal and its derivatives by time
};

// At every sample a cubic is fitted by least squares to the samples within `half_width` seconds
// (Savitzky and Golay 1964); at the ends the window is one-sided. A cubic passes unchanged. Windows
// are made wide enough for a cubic: seven samples, or all if there are fewer.
Smoothed smooth(const Eigen::MatrixXd& samples, double sample_rate, double half_width);

}  // namespace prehend
