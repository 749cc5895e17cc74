// A quadratic program for Ipopt: the reference for tests and benchmarks.
#pragma once

#include <coin/IpIpoptApplication.hpp>
#include <coin/IpTNLP.hpp>

#include "prehend/optimize/quadratic_program.h"

namespace prehend::optimize {

class QuadraticNlp : public Ipopt::TNLP {
 public:
  explicit QuadraticNlp(const QuadraticProgram& program) : p_(program) {}

  Eigen::VectorXd x;
  double value = 0.0;

  bool get_nlp_info(int& n, int& m, int& nnz_jac, int& nnz_hess, IndexStyleEnum& style) override {
    n = int(p_.gradient.size());
    m = int(p_.equality.rows() + p_.inequality.rows());
    nnz_jac = n * m;
    nnz_hess = n * (n + 1) / 2;
    style = C_STYLE;
    return true;
  }
  bool get_bounds_info(int n, double* lower, double* upper, int m, double* g_lower,
                       double* g_upper) override {
    for (int i = 0; i < n; ++i) {
      lower[i] = p_.lower.size() ? std::max(p_.lower[i], -1e20) : -1e20;
      upper[i] = p_.upper.size() ? std::min(p_.upper[i], 1e20) : 1e20;
    }
    const int equations = int(p_.equality.rows());
    for (int i = 0; i < m; ++i) {
      g_lower[i] = i < equations ? p_.equality_value[i] : p_.inequality_least[i - equations];
      g_upper[i] = i < equations ? g_lower[i] : 1e20;
    }
    return true;
  }
  bool get_starting_point(int n, bool, double* start, bool, double*, double*, int, bool,
                          double*) override {
    std::fill(start, start + n, 0.0);
    return true;
  }
  bool eval_f(int n, const double* at, bool, double& result) override {
    const Eigen::Map<const Eigen::VectorXd> v(at, n);
    result = 0.5 * v.dot(p_.hessian.selfadjointView<Eigen::Lower>() * v) + p_.gradient.dot(v);
    return true;
  }
  bool eval_grad_f(int n, const double* at, bool, double* gradient) override {
    const Eigen::Map<const Eigen::VectorXd> v(at, n);
    Eigen::Map<Eigen::VectorXd>(gradient, n) =
        p_.hessian.selfadjointView<Eigen::Lower>() * v + p_.gradient;
    return true;
  }
  bool eval_g(int n, const double* at, bool, int m, double* g) override {
    const Eigen::Map<const Eigen::VectorXd> v(at, n);
    for (int i = 0; i < m; ++i) g[i] = row(i).dot(v);
    return true;
  }
  bool eval_jac_g(int n, const double*, bool, int m, int, int* rows, int* columns,
                  double* values) override {
    for (int i = 0, k = 0; i < m; ++i) {
      const Eigen::VectorXd normal = row(i);
      for (int c = 0; c < n; ++c, ++k) {
        if (values)
          values[k] = normal[c];
        else
          rows[k] = i, columns[k] = c;
      }
    }
    return true;
  }
  bool eval_h(int n, const double*, bool, double factor, int, const double*, bool, int, int* rows,
              int* columns, double* values) override {
    for (int i = 0, k = 0; i < n; ++i) {
      for (int c = 0; c <= i; ++c, ++k) {
        if (values)
          values[k] = factor * p_.hessian(i, c);
        else
          rows[k] = i, columns[k] = c;
      }
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
  Eigen::VectorXd row(int i) const {
    const int equations = int(p_.equality.rows());
    return i < equations ? p_.equality.row(i).transpose()
                         : p_.inequality.row(i - equations).transpose();
  }
  const QuadraticProgram& p_;
};

struct IpoptAnswer {
  bool solved = false;
  Eigen::VectorXd x;
  double value = 0.0;
};
inline IpoptAnswer solve_with_ipopt(const QuadraticProgram& program, double tolerance = 1e-10) {
  Ipopt::SmartPtr<Ipopt::IpoptApplication> app = new Ipopt::IpoptApplication(false);
  app->Options()->SetIntegerValue("print_level", 0);
  app->Options()->SetStringValue("sb", "yes");
  app->Options()->SetNumericValue("tol", tolerance);
  app->Options()->SetStringValue("jac_c_constant", "yes");
  app->Options()->SetStringValue("jac_d_constant", "yes");
  app->Options()->SetStringValue("hessian_constant", "yes");
  app->Initialize();
  auto* raw = new QuadraticNlp(program);
  const Ipopt::SmartPtr<Ipopt::TNLP> nlp = raw;
  const auto status = app->OptimizeTNLP(nlp);
  return {status == Ipopt::Solve_Succeeded || status == Ipopt::Solved_To_Acceptable_Level, raw->x,
          raw->value};
}

}  // namespace prehend::optimize
