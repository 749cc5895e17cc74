// Sequential quadratic programming for a step's problem: the objective is a sum of squares whose
// rows are known exactly, so each program takes the Gauss-Newton Hessian; forces are linear, so two
// or three programs do. Ipopt on the same problem is the reference in tests.
#pragma once

#include "methods/manipulation/step_problem.h"

namespace prehend::manipulation {

// Added to the Hessian's diagonal, so that directions that nothing asks for are settled too: half
// of it times the square of each variable is part of the objective.
inline constexpr double kStepRidge = 1e-7;

struct StepSolution {
  Eigen::VectorXd x;
  int iterations = 0;
  bool converged = false;
  bool solved = true;  // false: a quadratic program had no answer
  double objective = 0.0;
  double residual = 0.0;     // of eq. 1 and 2, over m g
  double cone_excess = 0.0;  // over m g
};

class StepSolver {
 public:
  // Begins at `start`. The problem is left linearized at the answer.
  void solve(StepProblem& problem, const Eigen::VectorXd& start, StepSolution& solution);
  const Linearized& linearized() const { return linearized_; }

 private:
  Linearized linearized_;
  optimize::QuadraticProgram program_;
  optimize::QuadraticResult result_;
  optimize::QuadraticSolver solver_;
  std::vector<int> guess_;
  int guess_inequalities_ = -1;
};

}  // namespace prehend::manipulation
