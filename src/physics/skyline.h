// Symmetric positive matrices whose rows begin late, and their Cholesky factors.
//
// Put the degrees of freedom of digits first, those that join them last: then a digit's rows begin
// where the digit does, and the factor L of L L^T is no fuller than that. Rows lie in groups of
// four, a column of a group beside the next, so that four rows are worked on at once. Vectors are
// in groups of four too; what they hold beyond the matrix's size must be 0.
#pragma once

#include <vector>

#include "physics/engine_vectors.h"

namespace prehend::physics {

class Skyline {
 public:
  // All zero, row i from column first[i] <= i on.
  void reset(const std::vector<int>& first);
  // The numbers of one reset alike.
  void copy(const Skyline& other);
  int groups() const { return groups_; }
  // Lower triangle: first[row] <= column <= row.
  double& at(int row, int column) { return rows_of(row / 4)[column].at[row % 4]; }
  // Four rows of one column. Above the diagonal they may hold anything.
  Quad& four_rows(int group, int column) { return rows_of(group)[column]; }
  // out = A x
  void multiply(const Quad* x, Quad* out) const;
  // In place. Pivots below `least` are raised to it; returns whether there were none.
  bool factor(double least);
  // Of a factored one: x, given as b, becomes the solution of L L^T x = b.
  void solve(Quad* x) const;

 private:
  Quad* rows_of(int group) { return columns_.data() + 4 * group * groups_; }
  const Quad* rows_of(int group) const { return columns_.data() + 4 * group * groups_; }

  int groups_ = 0;
  std::vector<int> begins_;    // column of each group: a multiple of four
  std::vector<Quad> columns_;  // of each group as many as the matrix has
  std::vector<double> over_diagonal_;
};

}  // namespace prehend::physics
