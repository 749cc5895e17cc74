// Murty, "Linear Complementarity, Linear and Nonlinear Programming", 1988, sections 2.2 (Lemke's
// complementary pivot method) and 2.2.8 (the lexicographic rule).
// Implements: the whole method on w = q + M z + d z0.
// Departs:    the tableau holds nonbasic columns alone, n x (n + 1) instead of n x (2 n + 2), which
//             halves the work of an exchange; the rule reads the columns of B^-1 that it needs from
//             where they stand.
// Symbols:    z0 artificial variable; d its cover; B the basis.
#include <algorithm>
#include <cmath>

#include "optimize/lcp_workspace.h"

namespace prehend::optimize {
namespace {

// Entries of the scaled tableau above -kPivot do not bound the entering variable.
constexpr double kPivot = 1e-10;
// Ratios nearer than this, relative to the largest |q|, are alike, and the rule decides.
constexpr double kTie = 1e-12;
// Constants below it are rounding: rows that were zero from the start, as those of friction
// multipliers, must tie exactly.
constexpr double kZeroConstant = 1e-14;
// Of the largest |q|, below the tolerance of answers.
constexpr double kZeroArtificial = 1e-12;

}  // namespace

void LemkePivots::reserve(int unknowns) {
  if (tableau_.rows() < unknowns) {
    tableau_.resize(unknowns, unknowns + 1);
    constant_.resize(unknowns);
    column_.resize(unknowns);
    row_.resize(unknowns + 1);
  }
  basic_.reserve(unknowns);
  nonbasic_.reserve(unknowns + 1);
  place_.reserve(2 * unknowns + 1);
}

// The coefficient of epsilon^(equation + 1) in a row's constant when q is q + (epsilon, epsilon^2,
// ...): an entry of B^-1.
double LemkePivots::perturbation(int row, int equation) const {
  const int place = place_[equation];
  return place >= 0 ? (place == row ? 1.0 : 0.0) : -tableau_(row, -1 - place);
}

bool LemkePivots::lexicographically_less(int row, int other, int column) const {
  const double first = -tableau_(row, column), second = -tableau_(other, column);
  for (int e = 0; e < size_; ++e) {
    const double a = perturbation(row, e) / first, b = perturbation(other, e) / second;
    if (std::abs(a - b) > kTie * std::max(1.0, std::max(std::abs(a), std::abs(b)))) return a < b;
  }
  return false;
}

// The basic variable that reaches zero first as the column's variable grows; -1: none does.
int LemkePivots::entering_row(int column) const {
  double least = HUGE_VAL;
  for (int i = 0; i < size_; ++i)
    if (tableau_(i, column) < -kPivot)
      least = std::min(least, std::max(constant_[i], 0.0) / -tableau_(i, column));
  if (least == HUGE_VAL) return -1;
  const double same = least + kTie * (1.0 + least);
  int best = -1;
  for (int i = 0; i < size_; ++i) {
    if (!(tableau_(i, column) < -kPivot)) continue;
    if (std::max(constant_[i], 0.0) / -tableau_(i, column) > same) continue;
    if (basic_[i] == 2 * size_) return i;  // the artificial variable leaves: done
    if (best < 0 || lexicographically_less(i, best, column)) best = i;
  }
  return best;
}

void LemkePivots::exchange(int row, int column) {
  const int n = size_;
  const double pivot = tableau_(row, column);
  row_.head(n + 1) = tableau_.row(row).head(n + 1) / -pivot;
  row_[column] = 1.0 / pivot;
  const double constant = -constant_[row] / pivot;
  column_.head(n) = tableau_.col(column).head(n);
  column_[row] = 0.0;
  tableau_.col(column).head(n).setZero();
  for (int j = 0; j <= n; ++j)
    if (row_[j] != 0.0) tableau_.col(j).head(n) += row_[j] * column_.head(n);
  tableau_.row(row).head(n + 1) = row_.head(n + 1);
  constant_.head(n) += constant * column_.head(n);
  constant_[row] = constant;
  for (int i = 0; i < n; ++i)
    if (std::abs(constant_[i]) < kZeroConstant) constant_[i] = 0.0;
  std::swap(basic_[row], nonbasic_[column]);
  place_[basic_[row]] = row;
  place_[nonbasic_[column]] = -1 - column;
  ++pivots_;
}

LcpOutcome LemkePivots::run(const ScaledLcp& lcp, const Eigen::VectorXd& cover, int max_pivots,
                            std::vector<char>& active, Eigen::VectorXd& z) {
  const int n = size_ = lcp.size;
  pivots_ = 0;
  z.head(n).setZero();
  std::fill(active.begin(), active.end(), 0);
  const double unit = lcp.q_size > 0.0 ? lcp.q_size : 1.0;
  constant_.head(n) = lcp.q.head(n) / unit;
  if (n == 0 || constant_.head(n).minCoeff() >= 0.0) return LcpOutcome::kSolved;
  for (int j = 0; j < n; ++j) tableau_.col(j).head(n) = lcp.m.col(j).head(n);
  tableau_.col(n).head(n) = cover.head(n);
  basic_.resize(n);
  nonbasic_.resize(n + 1);
  place_.resize(2 * n + 1);
  for (int i = 0; i < n; ++i) {
    basic_[i] = i;
    place_[i] = i;
  }
  for (int j = 0; j <= n; ++j) {
    nonbasic_[j] = n + j;
    place_[n + j] = -1 - j;
  }
  // The first exchange brings in z0 where q lies deepest under the cover; among alike ones the
  // last, whose perturbation is the smallest.
  int row = 0;
  for (int i = 1; i < n; ++i)
    if (constant_[i] / cover[i] <= constant_[row] / cover[row]) row = i;
  int leaving = basic_[row];
  exchange(row, n);
  while (pivots_ < max_pivots) {
    const int column = -1 - place_[complement(leaving)];
    row = entering_row(column);
    if (row < 0)
      return std::isfinite(constant_.head(n).sum()) ? LcpOutcome::kRay : LcpOutcome::kPivotLimit;
    leaving = basic_[row];
    exchange(row, column);
    // An artificial variable that is zero up to rounding is a solution too: exchanges that would
    // take away the rest follow directions along which nothing moves.
    const int artificial = place_[2 * n];
    if (leaving == 2 * n || (artificial >= 0 && constant_[artificial] < kZeroArtificial)) {
      for (int i = 0; i < n; ++i) {
        if (basic_[i] < n || basic_[i] == 2 * n) continue;
        active[basic_[i] - n] = 1;
        z[basic_[i] - n] = unit * constant_[i];
      }
      return LcpOutcome::kSolved;
    }
  }
  return LcpOutcome::kPivotLimit;
}

}  // namespace prehend::optimize
