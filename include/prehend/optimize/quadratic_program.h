// Strictly convex quadratic programs of moderate size, dense:
//
//   minimize    1/2 x' H x + g' x
//   subject to  E x = e,   C x >= c,   lower <= x <= upper
//
// Goldfarb and Idnani, "A numerically stable dual method for solving strictly convex quadratic
// programs", Mathematical Programming 27, 1983: begins at the minimum without constraints and takes
// violated constraints in one by one, so it needs no feasible start. A set of constraints that an
// earlier, similar problem ended with saves most of the way.
#pragma once

#include <memory>
#include <vector>

#include <Eigen/Core>

namespace prehend::optimize {

// A part that is absent is left empty; bounds may be infinite one by one.
struct QuadraticProgram {
  Eigen::MatrixXd hessian;  // symmetric positive definite; the lower triangle is read
  Eigen::VectorXd gradient;
  Eigen::MatrixXd equality;  // a row each
  Eigen::VectorXd equality_value;
  Eigen::MatrixXd inequality;
  Eigen::VectorXd inequality_least;
  Eigen::VectorXd lower, upper;
};

enum class QuadraticOutcome {
  kSolved,
  kInfeasible,  // no x satisfies the constraints: `x` is where the method stopped
  kNotConvex,   // the Hessian is not positive definite, or something is not a number
  kLimitReached,
};
const char* to_string(QuadraticOutcome outcome);

struct QuadraticOptions {
  // A constraint counts as kept within this much of its row's length times the size of x. Rounding
  // of a hundred variables is a hundred times smaller.
  double tolerance = 1e-11;
  // Changes of the active set, per variable and constraint. Problems met here take 0.5 to 2.
  int changes_per_row = 10;
};

// Multipliers satisfy H x + g = E' equality + C' inequality + lower - upper, all but the first
// not below zero.
struct QuadraticResult {
  QuadraticOutcome outcome = QuadraticOutcome::kSolved;
  Eigen::VectorXd x;
  double value = 0.0;
  Eigen::VectorXd equality, inequality, lower, upper;
  // Of the constraints in the order inequality, lower, upper: those that hold with equality. What
  // the next solve may begin with.
  std::vector<int> active;
  int changes = 0;  // constraints taken in or let go
};

// The largest violation of the conditions of optimality, each relative to the size of its terms:
// stationarity, constraints, signs and complementarity.
double optimality_residual(const QuadraticProgram& program, const QuadraticResult& result);

// Keeps its memory between calls: a solve no larger than an earlier one does not allocate. One
// object a thread.
class QuadraticSolver {
 public:
  QuadraticSolver();
  ~QuadraticSolver();
  QuadraticSolver(QuadraticSolver&&) noexcept;
  QuadraticSolver& operator=(QuadraticSolver&&) noexcept;

  // `active` guesses which constraints will hold with equality; a wrong guess costs time only.
  void solve(const QuadraticProgram& program, QuadraticResult& result,
             const std::vector<int>& active = {}, const QuadraticOptions& options = {});

 private:
  struct Workspace;
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace prehend::optimize
