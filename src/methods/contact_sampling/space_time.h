// Ye and Liu 2012, section 6, eq. 9 to 11: joint angles through time that are smooth, bend alike
// and keep the contacts.
#pragma once

#include <vector>

#include "methods/contact_sampling/beyond/working_hand.h"

namespace prehend::contact_sampling {

// A frame of one digit.
struct DigitFrame {
  // How the contact point moves with the digit's coordinates; no rows: no contact.
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic> jacobian;
  // How much the digit shall stay where it is, besides: free digits give way, others hardly.
  double hold = 1.0;
};

// Coordinates of one digit, a frame a row, moved to the minimum of eq. 9 around `angles`.
Eigen::MatrixXd smooth_digit(const Eigen::MatrixXd& angles, const std::vector<DigitFrame>& frames,
                             const std::vector<int>& bending);

// Columns of a digit's coordinates that bend its knuckles, base to tip: eq. 11's three.
std::vector<int> bending_columns(const WorkingHand& hand, Digit digit);

}  // namespace prehend::contact_sampling
