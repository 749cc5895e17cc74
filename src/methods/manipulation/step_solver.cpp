// Beyond the paper, which gives its problem to a general solver: see the header.
#include "methods/manipulation/step_solver.h"

namespace prehend::manipulation {
namespace {

constexpr int kMostPrograms = 6;
// m and rad of the displacements between two programs. Equations are then met to its square.
constexpr double kSettled = 5e-6;

}  // namespace

void StepSolver::solve(StepProblem& problem, const Eigen::VectorXd& start, StepSolution& solution) {
  const int n = problem.size();
  Eigen::VectorXd& y = solution.x;
  y = start;
  solution.iterations = 0;
  solution.converged = false;
  solution.solved = true;
  problem.linearize(y, linearized_);
  guess_.clear();
  for (int i = 0; i < kMostPrograms; ++i) {
    const auto rows = linearized_.rows.topRows(linearized_.row_count);
    const auto residuals = linearized_.residuals.head(linearized_.row_count);
    program_.hessian.setZero(n, n);
    program_.hessian.selfadjointView<Eigen::Lower>().rankUpdate(rows.transpose());
    program_.hessian.diagonal().array() += kStepRidge;
    program_.gradient.noalias() = rows.transpose() * residuals;
    program_.gradient -= program_.hessian.selfadjointView<Eigen::Lower>() * y;
    program_.gradient += kStepRidge * y;
    program_.gradient.tail(StepProblem::kSlacks).array() += StepProblem::kOverlapPrice;
    program_.equality = linearized_.equality;
    program_.equality_value = linearized_.equality * y - linearized_.equality_value;
    const int count = linearized_.inequality_count;
    program_.inequality = linearized_.inequality.topRows(count);
    program_.inequality_least = program_.inequality * y - linearized_.inequality_value.head(count);
    program_.lower = problem.lower();
    program_.upper = problem.upper();
    if (count != guess_inequalities_) {
      // Rows changed their numbers; bounds of variables are found again by theirs.
      std::erase_if(guess_, [&](int index) { return index < guess_inequalities_; });
      for (int& index : guess_) index += count - guess_inequalities_;
      guess_inequalities_ = count;
    }
    solver_.solve(program_, result_, guess_);
    ++solution.iterations;
    if (result_.outcome != optimize::QuadraticOutcome::kSolved) {
      solution.solved = false;
      break;
    }
    guess_ = result_.active;
    const int poses = problem.pose_count();
    const double shifted = (result_.x - y).head(poses).lpNorm<Eigen::Infinity>();
    y = result_.x;
    problem.linearize(y, linearized_);
    if (shifted < kSettled) {
      solution.converged = true;
      break;
    }
  }
  if (solution.solved) {
    problem.integrate(y);
    problem.linearize(y, linearized_);
  }
  solution.objective = problem.objective(y, linearized_);
  solution.residual = problem.dynamics_residual(linearized_);
  solution.cone_excess = problem.cone_excess(y);
}

}  // namespace prehend::manipulation
