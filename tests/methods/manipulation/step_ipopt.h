// One step's problem for Ipopt: the reference for tests and benchmarks. Residuals, equations and
// inequalities are those of StepProblem::linearize, written once; Ipopt moves through them by
// itself, with the Gauss-Newton Hessian of the objective and exact first derivatives of everything.
#pragma once

#include <algorithm>

#include <coin/IpIpoptApplication.hpp>
#include <coin/IpSolveStatistics.hpp>
#include <coin/IpTNLP.hpp>

#include "methods/manipulation/step_solver.h"

namespace prehend::manipulation {

// m and rad around the point at which an answer is expected, within which Ipopt looks: farther away
// other places of the hand are near, and the inequalities are not the same ones. The answer is well
// inside.
inline constexpr double kAround = 0.05, kAroundPlanes = 0.005;

// row . x + constant >= 0.
struct Plane {
  Eigen::RowVectorXd row;
  double constant = 0.0;
};

// The gaps between hands and things that are near at `x`, to first order.
inline void add_planes(StepProblem& problem, const Eigen::VectorXd& x, std::vector<Plane>& planes) {
  constexpr double kNear = 2e-3;  // m
  Linearized at;
  problem.linearize(x, at);
  for (int i = 0; i < at.inequality_count; ++i) {
    if (at.inequality_names[size_t(i)].kind != InequalityName::Kind::kHandGap ||
        at.inequality_value[i] > kNear)
      continue;
    planes.push_back({at.inequality.row(i), at.inequality_value[i] - at.inequality.row(i).dot(x)});
  }
}

class StepNlp : public Ipopt::TNLP {
 public:
  // Ipopt wants the same inequalities everywhere: those that have a row at `near`, the point at
  // which an answer is expected. One without a row elsewhere is far away there, and is taken as it
  // was at `near`, to first order. The caller checks all inequalities at the answer.
  // If there are `planes`, they stand for all gaps between hands and things.
  StepNlp(StepProblem& problem, const Eigen::VectorXd& start, const Eigen::VectorXd& near,
          const std::vector<Plane>& planes)
      : problem_(problem), start_(start), near_(near), planes_(planes) {
    problem_.linearize(near, at_near_);
    for (int i = 0; i < at_near_.inequality_count; ++i) {
      const InequalityName& name = at_near_.inequality_names[size_t(i)];
      if (!planes.empty() && name.kind == InequalityName::Kind::kHandGap) continue;
      names_.push_back(name);
      near_rows_.push_back(i);
    }
  }

  Eigen::VectorXd x;
  double value = 0.0;

  bool get_nlp_info(int& n, int& m, int& nnz_jac, int& nnz_hess, IndexStyleEnum& style) override {
    n = problem_.size();
    m = int(at_near_.equality.rows()) + int(names_.size() + planes_.size());
    nnz_jac = n * m;
    nnz_hess = n * (n + 1) / 2;
    style = C_STYLE;
    return true;
  }
  bool get_bounds_info(int n, double* lower, double* upper, int m, double* g_lower,
                       double* g_upper) override {
    for (int i = 0; i < n; ++i) {
      const double far = i >= problem_.pose_count() ? 1e20
                         : !planes_.empty()         ? kAroundPlanes
                                                    : kAround;
      lower[i] = std::max(problem_.lower()[i], near_[i] - far);
      upper[i] = std::min(problem_.upper()[i], near_[i] + far);
    }
    const int equations = int(at_near_.equality.rows());
    for (int i = 0; i < m; ++i) {
      g_lower[i] = 0.0;
      g_upper[i] = i < equations ? 0.0 : 1e20;
    }
    return true;
  }
  // Displacements are millimeters and milliradians to Ipopt, overlaps micrometers.
  bool get_scaling_parameters(double& objective, bool& scale_x, int n, double* x_scale,
                              bool& scale_g, int m, double* g_scale) override {
    objective = 1.0;
    scale_x = true;
    scale_g = false;
    for (int i = 0; i < n; ++i)
      x_scale[i] = i < problem_.pose_count() ? 1e3 : i >= n - int(StepProblem::kSlacks) ? 1e6 : 1.0;
    std::fill(g_scale, g_scale + m, 1.0);
    return true;
  }
  bool get_starting_point(int n, bool, double* start, bool, double*, double*, int, bool,
                          double*) override {
    std::copy(start_.data(), start_.data() + n, start);
    return true;
  }
  bool eval_f(int n, const double* at, bool fresh, double& result) override {
    const Eigen::VectorXd& v = move(n, at, fresh);
    result = problem_.objective(v, here_) + 0.5 * kStepRidge * v.squaredNorm();
    return true;
  }
  bool eval_grad_f(int n, const double* at, bool fresh, double* gradient) override {
    const Eigen::VectorXd& v = move(n, at, fresh);
    Eigen::Map<Eigen::VectorXd> g(gradient, n);
    g = here_.rows.topRows(here_.row_count).transpose() * here_.residuals.head(here_.row_count) +
        kStepRidge * v;
    g.tail(StepProblem::kSlacks).array() += StepProblem::kOverlapPrice;
    return true;
  }
  bool eval_g(int n, const double* at, bool fresh, int m, double* g) override {
    move(n, at, fresh);
    Eigen::Map<Eigen::VectorXd>(g, m) = values_;
    return true;
  }
  bool eval_jac_g(int n, const double* at, bool fresh, int m, int, int* rows, int* columns,
                  double* values) override {
    if (values) {
      move(n, at, fresh);
      Eigen::Map<Eigen::Matrix<double, -1, -1, Eigen::RowMajor>>(values, m, n) = jacobian_;
      return true;
    }
    for (int i = 0, k = 0; i < m; ++i)
      for (int c = 0; c < n; ++c, ++k) rows[k] = i, columns[k] = c;
    return true;
  }
  bool eval_h(int n, const double* at, bool fresh, double factor, int, const double*, bool, int,
              int* rows, int* columns, double* values) override {
    Eigen::MatrixXd hessian;
    if (values) {
      move(n, at, fresh);
      const auto all = here_.rows.topRows(here_.row_count);
      hessian.noalias() = all.transpose() * all;
      hessian.diagonal().array() += kStepRidge;
    }
    for (int i = 0, k = 0; i < n; ++i)
      for (int c = 0; c <= i; ++c, ++k) {
        if (values)
          values[k] = factor * hessian(i, c);
        else
          rows[k] = i, columns[k] = c;
      }
    return true;
  }
  void finalize_solution(Ipopt::SolverReturn, int n, const double* at, const double*, const double*,
                         int, const double*, const double*, double result, const Ipopt::IpoptData*,
                         Ipopt::IpoptCalculatedQuantities*) override {
    x = Eigen::Map<const Eigen::VectorXd>(at, n);
    value = result;
  }

 private:
  const Eigen::VectorXd& move(int n, const double* at, bool fresh) {
    if (!fresh && here_x_.size() == n) return here_x_;
    here_x_ = Eigen::Map<const Eigen::VectorXd>(at, n);
    problem_.linearize(here_x_, here_);
    const int equations = int(here_.equality.rows()),
              m = equations + int(names_.size() + planes_.size());
    values_.resize(m);
    jacobian_.resize(m, n);
    values_.head(equations) = here_.equality_value;
    jacobian_.topRows(equations) = here_.equality;
    const Eigen::VectorXd moved = here_x_ - near_;
    for (size_t i = 0; i < names_.size(); ++i) {
      const int row = equations + int(i);
      const auto found =
          std::find(here_.inequality_names.begin(), here_.inequality_names.end(), names_[i]);
      if (found != here_.inequality_names.end()) {
        const int k = int(found - here_.inequality_names.begin());
        values_[row] = here_.inequality_value[k];
        jacobian_.row(row) = here_.inequality.row(k);
      } else {
        jacobian_.row(row) = at_near_.inequality.row(near_rows_[i]);
        values_[row] = at_near_.inequality_value[near_rows_[i]] + jacobian_.row(row).dot(moved);
      }
    }
    for (size_t i = 0; i < planes_.size(); ++i) {
      const int row = equations + int(names_.size() + i);
      jacobian_.row(row) = planes_[i].row;
      values_[row] = planes_[i].row.dot(here_x_) + planes_[i].constant;
    }
    return here_x_;
  }

  StepProblem& problem_;
  Eigen::VectorXd start_, near_, here_x_, values_;
  Linearized at_near_, here_;
  std::vector<Plane> planes_;
  std::vector<InequalityName> names_;
  std::vector<int> near_rows_;
  Eigen::Matrix<double, -1, -1, Eigen::RowMajor> jacobian_;
};

struct StepReference {
  bool solved = false;
  bool planes = false;  // stand for distances to meshes
  Eigen::VectorXd x;
  double value = 0.0;
  int iterations = 0;
};

inline constexpr int kRounds = 8;
inline constexpr double kOverlaps = 5e-9;  // m

inline StepReference solve_step_with_ipopt(StepProblem& problem, const Eigen::VectorXd& start,
                                           const Eigen::VectorXd& near, double tolerance = 1e-8) {
  Ipopt::SmartPtr<Ipopt::IpoptApplication> app = new Ipopt::IpoptApplication(false);
  app->Options()->SetIntegerValue("print_level", 0);
  app->Options()->SetStringValue("sb", "yes");
  app->Options()->SetNumericValue("tol", tolerance);
  app->Options()->SetIntegerValue("max_iter", 300);
  app->Options()->SetNumericValue("bound_relax_factor", 0.0);
  app->Options()->SetStringValue("nlp_scaling_method", "user-scaling");
  // The start is good, and not to be pushed off bounds by a hundredth of a newton.
  for (const char* push : {"bound_push", "bound_frac", "slack_bound_push", "slack_bound_frac"})
    app->Options()->SetNumericValue(push, 1e-6);
  app->Options()->SetNumericValue("mu_init", 1e-4);
  app->Initialize();
  StepReference answer;
  const auto solve = [&](const std::vector<Plane>& planes) {
    auto* raw = new StepNlp(problem, start, near, planes);
    const Ipopt::SmartPtr<Ipopt::TNLP> nlp = raw;
    const auto status = app->OptimizeTNLP(nlp);
    answer.solved = status == Ipopt::Solve_Succeeded || status == Ipopt::Solved_To_Acceptable_Level;
    answer.x = raw->x;
    answer.value = raw->value;
    if (Ipopt::IsValid(app->Statistics())) answer.iterations += app->Statistics()->IterationCount();
  };
  solve({});
  if (answer.solved) return answer;
  // Distances to meshes come from an interpolated field, whose normals differ from the slopes of
  // its values by up to 3 %, and Ipopt's line search may stop at that. Planes then stand for them,
  // and more are added where an answer overlaps after all.
  answer.planes = true;
  std::vector<Plane> planes;
  add_planes(problem, near, planes);
  for (int round = 0; round < kRounds; ++round) {
    solve(planes);
    Linearized at;
    problem.linearize(answer.x, at);
    if (!answer.solved || at.inequality_count == 0 ||
        at.inequality_value.head(at.inequality_count).minCoeff() > -kOverlaps)
      break;
    add_planes(problem, answer.x, planes);
  }
  return answer;
}

}  // namespace prehend::manipulation
