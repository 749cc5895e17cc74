// Memory of the complementarity solver and its two ways to an answer.
#pragma once

#include <vector>

#include "prehend/optimize/lcp.h"

namespace prehend::optimize {

// A problem whose unknowns are scaled: m = D M D, q = D q, z = D^-1 z.
struct ScaledLcp {
  int size = 0;
  Eigen::MatrixXd m;
  Eigen::VectorXd q, scale;
  double q_size = 0.0;  // largest |q|

  void set(const Eigen::Ref<const Eigen::MatrixXd>& matrix,
           const Eigen::Ref<const Eigen::VectorXd>& vector);
  // Room for `unknowns`; shrinks nothing.
  void reserve(int unknowns);
  // Largest of -z, -w and min(z, w), over q_size; leaves w = m z + q.
  double residual(const Eigen::VectorXd& z, Eigen::VectorXd& w) const;
};

// The answer that belongs to an active set, by one factorization.
class ActiveSetSolve {
 public:
  void reserve(int unknowns);
  // z is zero outside the set and w is zero inside. False when the set's matrix is singular.
  bool solve(const ScaledLcp& lcp, const std::vector<char>& active, Eigen::VectorXd& z,
             Eigen::VectorXd& w);

 private:
  bool factor(int count);
  void substitute(int count, Eigen::VectorXd& x) const;

  Eigen::MatrixXd factors_;
  Eigen::VectorXd right_, step_;
  std::vector<int> members_, rows_;
};

// Lemke's method on a dense tableau that holds the columns of nonbasic variables alone.
class LemkePivots {
 public:
  void reserve(int unknowns);
  // `cover` is the column of the artificial variable: all above zero.
  LcpOutcome run(const ScaledLcp& lcp, const Eigen::VectorXd& cover, int max_pivots,
                 std::vector<char>& active, Eigen::VectorXd& z);
  int pivots() const { return pivots_; }

 private:
  // Variables are numbered w_0.. w_n-1, z_0 .. z_n-1, and 2 n for the artificial one.
  int complement(int variable) const {
    return variable < size_ ? variable + size_ : variable - size_;
  }
  int entering_row(int column) const;
  bool lexicographically_less(int row, int other, int column) const;
  double perturbation(int row, int equation) const;
  void exchange(int row, int column);

  int size_ = 0, pivots_ = 0;
  Eigen::MatrixXd tableau_;            // basic = constant + tableau * nonbasic
  Eigen::VectorXd constant_, column_;  // column_ is scratch of an exchange
  Eigen::RowVectorXd row_;
  std::vector<int> basic_, nonbasic_;  // variable of each row and of each column
  std::vector<int> place_;             // of each variable: its row, or -1 - its column
};

}  // namespace prehend::optimize
