// Linear complementarity: find z >= 0 with w = M z + q >= 0 and z . w = 0.
//
// Lemke's method (Murty 1988, section 2.2) with the lexicographic rule, so that it cannot cycle.
// It ends with a solution whenever M is copositive and M z >= 0, z >= 0, z . M z = 0 imply
// q . z >= 0: that holds for positive definite matrices and for contact problems with friction
// pyramids whose compliance is positive definite. A caller with a sequence of similar problems
// gives the last answer's active set: when that is still right, one factorization solves the
// problem, and when a few entries of it changed, one factorization a change.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <Eigen/Core>

namespace prehend::optimize {

struct LcpOptions {
  // Exchanges of Lemke's method, times the size of the problem. Random problems of 100 unknowns
  // take one to three times their size.
  int max_pivots_per_unknown = 50;
  // Changes of a guessed active set before the guess is given up: each costs a factorization, and
  // Lemke's method on ten contacts costs about twenty of them.
  int max_guess_changes = 20;
  // An answer counts when its residual is at most this.
  double tolerance = 1e-9;
};

enum class LcpOutcome {
  kSolved,
  kRay,         // Lemke's method went off along a ray: the problem may have no solution
  kPivotLimit,  // too many exchanges, or numbers that are not finite
};
const char* to_string(LcpOutcome outcome);

struct LcpResult {
  LcpOutcome outcome = LcpOutcome::kPivotLimit;
  Eigen::VectorXd z, w;
  std::vector<char> active;  // one an unknown: z is free there and w is zero
  // Largest of -z, -w and min(z, w) over the largest |q|, all with unknowns scaled so that the
  // diagonal of M is 1 (where it is zero, the largest of its row).
  double residual = 0.0;
  int pivots = 0;          // of Lemke's method
  int factorizations = 0;  // of guessed active sets
  bool guessed = false;    // the guess, perhaps changed, was the answer
};

// Keeps its memory between calls: a problem no larger than an earlier one allocates nothing. One
// object a thread.
class LcpSolver {
 public:
  LcpSolver();
  ~LcpSolver();
  LcpSolver(LcpSolver&&) noexcept;
  LcpSolver& operator=(LcpSolver&&) noexcept;

  // `guess` is empty or has one entry an unknown.
  void solve(const Eigen::Ref<const Eigen::MatrixXd>& matrix,
             const Eigen::Ref<const Eigen::VectorXd>& vector, std::span<const char> guess,
             LcpResult& result, const LcpOptions& options = {});

 private:
  struct Workspace;
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace prehend::optimize
