// Ye and Liu 2012, section 6.
// Implements: eq. 9 with E1 (eq. 10) and E2 (eq. 11) for one digit; with the wrist given, digits do
//   not depend on each other.
// Departs:    the contact constraint is linearized at the search's pose and weighs 1 / (0.1 mm)^2
//   instead of being exact; the contact solver meets it afterwards. The problem is then a banded
//   linear one, solved for the whole clip at once instead of in segments.
// Symbols:    q coordinates of the digit at a frame; J derivative of its contact point.
#include "methods/contact_sampling/space_time.h"

#include <cmath>

#include <Eigen/SparseCholesky>

namespace prehend::contact_sampling {
namespace {

// Weights of the terms, all against E1 in rad^2.
constexpr double kBendAlike = 0.002;  // w of eq. 9
constexpr double kContact = 1e4;      // 1 / m^2 a squared millimeter counts as much as 0.1 rad^2

using Triplets = std::vector<Eigen::Triplet<double>>;

void add_square(const std::vector<std::pair<int, double>>& row, double weight, Triplets& entries) {
  for (const auto& [i, a] : row) {
    for (const auto& [j, b] : row) entries.emplace_back(i, j, weight * a * b);
  }
}

}  // namespace

std::vector<int> bending_columns(const WorkingHand& hand, Digit digit) {
  std::vector<int> columns;
  int column = 0;
  for (const Segment& segment : hand.hand->segments) {
    if (segment.digit != digit) continue;
    int bend = -1;
    double best = 0.7;  // cosine to the flexion's axis
    for (const Joint& joint : segment.joints) {
      if (joint.type == JointType::kHinge && -joint.axis.x() > best) {
        bend = column;
        best = -joint.axis.x();
      }
      column += joint.dof();
    }
    if (bend >= 0 && segment.phalanx >= 1) columns.push_back(bend);
  }
  return columns;
}

Eigen::MatrixXd smooth_digit(const Eigen::MatrixXd& angles, const std::vector<DigitFrame>& frames,
                             const std::vector<int>& bending) {
  const int n = static_cast<int>(angles.rows()), dof = static_cast<int>(angles.cols());
  const int size = n * dof;
  Triplets entries;
  entries.reserve(static_cast<size_t>(size) * (9 + dof));
  Eigen::VectorXd right = Eigen::VectorXd::Zero(size);
  const auto at = [&](int frame, int column) { return frame * dof + column; };
  for (int f = 1; f + 1 < n; ++f) {
    for (int c = 0; c < dof; ++c)  // eq. 10
      add_square({{at(f - 1, c), 1.0}, {at(f, c), -2.0}, {at(f + 1, c), 1.0}}, 1.0, entries);
  }
  for (int f = 0; f < n; ++f) {
    if (bending.size() == 3)  // eq. 11
      add_square({{at(f, bending[2]), 1.0}, {at(f, bending[1]), -2.0}, {at(f, bending[0]), 1.0}},
                 kBendAlike, entries);
    const Eigen::VectorXd here = angles.row(f).transpose();
    Eigen::MatrixXd stay = frames[f].hold * Eigen::MatrixXd::Identity(dof, dof);
    if (frames[f].jacobian.rows() > 0)
      stay += kContact * frames[f].jacobian.transpose() * frames[f].jacobian;
    for (int i = 0; i < dof; ++i) {
      for (int j = 0; j < dof; ++j) entries.emplace_back(at(f, i), at(f, j), stay(i, j));
    }
    right.segment(f * dof, dof) += stay * here;
  }
  Eigen::SparseMatrix<double> normal(size, size);
  normal.setFromTriplets(entries.begin(), entries.end());
  const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> solver(normal);
  const Eigen::VectorXd solved = solver.solve(right);
  Eigen::MatrixXd result(n, dof);
  for (int f = 0; f < n; ++f) result.row(f) = solved.segment(f * dof, dof).transpose();
  return result;
}

}  // namespace prehend::contact_sampling
