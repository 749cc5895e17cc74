// The cone program as a general nonlinear program for Ipopt: the reference for tests and
// benchmarks.
#pragma once

#include <span>
#include <vector>

#include <coin/IpIpoptApplication.hpp>
#include <coin/IpTNLP.hpp>

#include "prehend/optimize/cone_program.h"

namespace prehend::optimize {

// Variables n, t1, t2, torsion of each contact; six equations, then n^2 - (t/mu)^2 -
// (torsion/mu_t)^2
// >= 0 of each contact. Exact first and second derivatives, so that Ipopt is at its best. (The form
// n >= sqrt(...) has no gradient at idle contacts, and Ipopt fails on most grasps with it.)
class ConeProgramNlp : public Ipopt::TNLP {
 public:
  ConeProgramNlp(std::span<const ConeContact> contacts, const Eigen::Matrix<double, 6, 1>& wrench)
      : contacts_(contacts.begin(), contacts.end()), wrench_(wrench) {}

  std::vector<Eigen::Vector4d> forces;
  double total_normal = 0.0;

  bool get_nlp_info(int& n, int& m, int& nnz_jac, int& nnz_hess, IndexStyleEnum& style) override {
    const int count = static_cast<int>(contacts_.size());
    n = 4 * count;
    m = 6 + count;
    nnz_jac = 24 * count + 4 * count;
    nnz_hess = 4 * count;
    style = C_STYLE;
    return true;
  }
  bool get_bounds_info(int n, double* lower, double* upper, int m, double* g_lower,
                       double* g_upper) override {
    for (int i = 0; i < n; ++i) {
      const ConeContact& c = contacts_[static_cast<size_t>(i / 4)];
      const bool absent = i % 4 == 3 ? c.torsional_friction == 0.0 : c.friction == 0.0;
      lower[i] = i % 4 == 0 || absent ? 0.0 : -1e19;
      upper[i] = i % 4 != 0 ? (absent ? 0.0 : 1e19) : (c.max_normal > 0.0 ? c.max_normal : 1e19);
    }
    for (int i = 0; i < 6; ++i) g_lower[i] = g_upper[i] = wrench_[i];
    for (int i = 6; i < m; ++i) g_lower[i] = 0.0, g_upper[i] = 1e19;
    return true;
  }
  bool get_starting_point(int n, bool, double* x, bool, double*, double*, int, bool,
                          double*) override {
    for (int i = 0; i < n; ++i) x[i] = i % 4 == 0 ? wrench_.norm() : 0.0;
    return true;
  }
  bool eval_f(int n, const double* x, bool, double& value) override {
    value = 0.0;
    for (int i = 0; i < n; i += 4) value += x[i];
    return true;
  }
  bool eval_grad_f(int n, const double*, bool, double* gradient) override {
    for (int i = 0; i < n; ++i) gradient[i] = i % 4 == 0 ? 1.0 : 0.0;
    return true;
  }
  bool eval_g(int, const double* x, bool, int, double* g) override {
    Eigen::Map<Eigen::Matrix<double, 6, 1>> given(g);
    given.setZero();
    for (size_t i = 0; i < contacts_.size(); ++i) {
      const Eigen::Map<const Eigen::Vector4d> f(x + 4 * i);
      given += contacts_[i].wrench_map * f;
      g[6 + i] = weights(i).dot(f.cwiseAbs2());
    }
    return true;
  }
  bool eval_jac_g(int, const double* x, bool, int, int, int* rows, int* columns,
                  double* values) override {
    int k = 0;
    for (size_t i = 0; i < contacts_.size(); ++i) {
      const Eigen::Vector4d w = weights(i);
      for (int c = 0; c < 4; ++c) {
        const int variable = static_cast<int>(4 * i) + c;
        for (int r = 0; r < 6; ++r, ++k) {
          if (values) {
            values[k] = contacts_[i].wrench_map(r, c);
          } else {
            rows[k] = r, columns[k] = variable;
          }
        }
        if (values) {
          values[k] = 2.0 * w[c] * x[variable];
        } else {
          rows[k] = 6 + static_cast<int>(i), columns[k] = variable;
        }
        ++k;
      }
    }
    return true;
  }
  bool eval_h(int n, const double*, bool, double, int, const double* multipliers, bool, int,
              int* rows, int* columns, double* values) override {
    for (int i = 0; i < n; ++i) {
      if (values) {
        const size_t contact = static_cast<size_t>(i / 4);
        values[i] = 2.0 * weights(contact)[i % 4] * multipliers[6 + contact];
      } else {
        rows[i] = columns[i] = i;
      }
    }
    return true;
  }
  void finalize_solution(Ipopt::SolverReturn, int n, const double* x, const double*, const double*,
                         int, const double*, const double*, double value, const Ipopt::IpoptData*,
                         Ipopt::IpoptCalculatedQuantities*) override {
    forces.resize(static_cast<size_t>(n / 4));
    for (size_t i = 0; i < forces.size(); ++i) {
      forces[i] = Eigen::Map<const Eigen::Vector4d>(x + 4 * i);
    }
    total_normal = value;
  }

 private:
  Eigen::Vector4d weights(size_t i) const {
    const ConeContact& c = contacts_[i];
    const auto inverse_square = [](double mu) { return mu > 0.0 ? -1.0 / (mu * mu) : 0.0; };
    const double tangent = inverse_square(c.friction);
    return {1.0, tangent, tangent, inverse_square(c.torsional_friction)};
  }

  std::vector<ConeContact> contacts_;
  Eigen::Matrix<double, 6, 1> wrench_;
};

inline Ipopt::SmartPtr<Ipopt::IpoptApplication> quiet_ipopt() {
  Ipopt::SmartPtr<Ipopt::IpoptApplication> app = IpoptApplicationFactory();
  app->Options()->SetIntegerValue("print_level", 0);
  app->Options()->SetStringValue("sb", "yes");
  app->Options()->SetStringValue("linear_solver", "mumps");
  app->Options()->SetNumericValue("tol", 1e-8);
  // Ipopt relaxes bounds by 1e-8 unless told not to: of a squared force, that is 1e-4 of force.
  app->Options()->SetNumericValue("bound_relax_factor", 0.0);
  app->Options()->SetIntegerValue("max_iter", 200);
  app->Initialize();
  return app;
}

}  // namespace prehend::optimize
