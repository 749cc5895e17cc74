// Goldfarb and Idnani 1983, section 3 and 4 (the dual algorithm and its factors J and R).
// Departs:  a warm start: constraints that are guessed to be active are taken in at once and those
//           whose multipliers come out negative are let go, which leaves a dual feasible point.
// Symbols:  L Cholesky factor of H; J = L^-T Q, where Q' L^-1 N = (R; 0) for the matrix N of active
//           constraints' normals; u their multipliers; z, r directions of x and -u as a constraint
//           comes in; q number of active constraints.
#include "prehend/optimize/quadratic_program.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Cholesky>

namespace prehend::optimize {

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();
// A normal whose part outside the active ones' span is below this share of it depends on them.
constexpr double kDependent = 1e-10;
// Times the tolerance: what rounding leaves of a combination of many constraints.
constexpr double kRounding = 1e4;
}  // namespace

struct QuadraticSolver::Workspace {
  const QuadraticProgram* program = nullptr;
  int n = 0, equalities = 0, inequalities = 0, bounds = 0;

  Eigen::LLT<Eigen::MatrixXd> cholesky;
  Eigen::MatrixXd j, r;
  Eigen::VectorXd x, free_x, u, d, z, step, normal, slack, row_length;
  std::vector<int> active;  // constraint of each column of R; equalities come first
  std::vector<char> is_active, ignored;
  int q = 0, changes = 0;

  // Constraints are counted: equalities, inequalities, lower bounds, upper bounds.
  int count() const { return equalities + inequalities + bounds; }
  void set_size(const QuadraticProgram& given);
  bool factor();
  void normal_of(int constraint);
  double least_of(int constraint) const;
  double length_of(int constraint) const;
  double slack_of(int constraint) const;
  void project();  // d = J' normal and z, step from it
  double outside() const { return d.tail(n - q).norm(); }
  bool depends() const { return outside() <= kDependent * std::max(d.norm(), 1e-300); }
  void take_in(int constraint);
  void let_go(int position);
  void solve_active();
  void begin_with(const std::vector<int>& guess);
  int most_violated(double tolerance);
  bool add_equalities(double tolerance);
  QuadraticOutcome run(const QuadraticOptions& options);
  bool satisfy(int constraint, int most_changes, double tolerance, QuadraticOutcome& outcome);
  void refine();
  void write(QuadraticResult& result) const;
};

void QuadraticSolver::Workspace::set_size(const QuadraticProgram& given) {
  program = &given;
  n = static_cast<int>(given.gradient.size());
  equalities = static_cast<int>(given.equality.rows());
  inequalities = static_cast<int>(given.inequality.rows());
  bounds = given.lower.size() > 0 || given.upper.size() > 0 ? 2 * n : 0;
  q = changes = 0;
  active.clear();
  is_active.assign(static_cast<size_t>(count()), 0);
  ignored.assign(static_cast<size_t>(count()), 0);
  if (d.size() != n) {
    for (Eigen::VectorXd* v : {&x, &free_x, &d, &z, &step, &normal}) v->resize(n);
    u.resize(n + 1);
    j.resize(n, n);
    r.resize(n, n);
  }
  slack.resize(inequalities);
  row_length.resize(equalities + inequalities);
  for (int i = 0; i < equalities; ++i) row_length[i] = given.equality.row(i).norm();
  for (int i = 0; i < inequalities; ++i)
    row_length[equalities + i] = given.inequality.row(i).norm();
}

// J = L^-T and the minimum without constraints.
bool QuadraticSolver::Workspace::factor() {
  if (!program->gradient.allFinite()) return false;
  cholesky.compute(program->hessian);
  if (cholesky.info() != Eigen::Success) return false;
  j.setIdentity();
  cholesky.matrixU().solveInPlace(j);
  if (!j.allFinite()) return false;
  free_x = -program->gradient;
  cholesky.solveInPlace(free_x);
  x = free_x;
  return x.allFinite();
}

void QuadraticSolver::Workspace::normal_of(int constraint) {
  if (constraint < equalities) {
    normal = program->equality.row(constraint).transpose();
  } else if (constraint < equalities + inequalities) {
    normal = program->inequality.row(constraint - equalities).transpose();
  } else {
    const int bound = constraint - equalities - inequalities;
    normal.setZero();
    normal[bound % n] = bound < n ? 1.0 : -1.0;
  }
}

double QuadraticSolver::Workspace::least_of(int constraint) const {
  if (constraint < equalities) return program->equality_value[constraint];
  if (constraint < equalities + inequalities)
    return program->inequality_least[constraint - equalities];
  const int bound = constraint - equalities - inequalities;
  if (bound < n) return program->lower.size() > 0 ? program->lower[bound] : -kInfinity;
  return program->upper.size() > 0 ? -program->upper[bound - n] : -kInfinity;
}

double QuadraticSolver::Workspace::length_of(int constraint) const {
  return constraint < equalities + inequalities ? row_length[constraint] : 1.0;
}

double QuadraticSolver::Workspace::slack_of(int constraint) const {
  double value;
  if (constraint < equalities) {
    value = program->equality.row(constraint).dot(x);
  } else if (constraint < equalities + inequalities) {
    value = program->inequality.row(constraint - equalities).dot(x);
  } else {
    const int bound = constraint - equalities - inequalities;
    value = bound < n ? x[bound] : -x[bound - n];
  }
  return value - least_of(constraint);
}

void QuadraticSolver::Workspace::project() {
  d.noalias() = j.transpose() * normal;
  z.noalias() = j.rightCols(n - q) * d.tail(n - q);
  step.head(q) = d.head(q);
  r.topLeftCorner(q, q).triangularView<Eigen::Upper>().solveInPlace(step.head(q));
}

// The normal's projection d is at hand. Rotations of J's last columns leave one number below the
// first q of d.
void QuadraticSolver::Workspace::take_in(int constraint) {
  for (int i = n - 1; i > q; --i) {
    if (d[i] == 0.0) continue;
    const double length = std::hypot(d[i - 1], d[i]);
    const double c = d[i - 1] / length, s = d[i] / length;
    d[i - 1] = length;
    d[i] = 0.0;
    for (int row = 0; row < n; ++row) {
      const double first = j(row, i - 1), second = j(row, i);
      j(row, i - 1) = c * first + s * second;
      j(row, i) = c * second - s * first;
    }
  }
  r.col(q).head(q + 1) = d.head(q + 1);
  active.push_back(constraint);
  is_active[static_cast<size_t>(constraint)] = 1;
  ++q;
  ++changes;
}

void QuadraticSolver::Workspace::let_go(int position) {
  is_active[static_cast<size_t>(active[static_cast<size_t>(position)])] = 0;
  active.erase(active.begin() + position);
  for (int i = position; i + 1 < q; ++i) {
    r.col(i).head(i + 2) = r.col(i + 1).head(i + 2);
    u[i] = u[i + 1];
  }
  u[q - 1] = u[q];  // the multiplier of the constraint that is coming in
  --q;
  ++changes;
  for (int i = position; i < q; ++i) {
    const double length = std::hypot(r(i, i), r(i + 1, i));
    if (length == 0.0) continue;
    const double c = r(i, i) / length, s = r(i + 1, i) / length;
    for (int column = i; column < q; ++column) {
      const double first = r(i, column), second = r(i + 1, column);
      r(i, column) = c * first + s * second;
      r(i + 1, column) = c * second - s * first;
    }
    for (int row = 0; row < n; ++row) {
      const double first = j(row, i), second = j(row, i + 1);
      j(row, i) = c * first + s * second;
      j(row, i + 1) = c * second - s * first;
    }
  }
}

// x and u of the problem in which the active constraints are equations:
// x = free_x + J1 y with R' y = b - N' free_x, and R u = y.
void QuadraticSolver::Workspace::solve_active() {
  for (int i = 0; i < q; ++i) {
    normal_of(active[static_cast<size_t>(i)]);
    step[i] = least_of(active[static_cast<size_t>(i)]) - normal.dot(free_x);
  }
  r.topLeftCorner(q, q).triangularView<Eigen::Upper>().transpose().solveInPlace(step.head(q));
  x = free_x;
  x.noalias() += j.leftCols(q) * step.head(q);
  u.head(q) = step.head(q);
  r.topLeftCorner(q, q).triangularView<Eigen::Upper>().solveInPlace(u.head(q));
  u[q] = 0.0;
}

void QuadraticSolver::Workspace::begin_with(const std::vector<int>& guess) {
  for (const int index : guess) {
    const int constraint = equalities + index;
    if (index < 0 || constraint >= count() || q >= n) continue;
    if (is_active[static_cast<size_t>(constraint)] || !std::isfinite(least_of(constraint)))
      continue;
    normal_of(constraint);
    project();
    if (depends()) continue;
    take_in(constraint);
  }
  if (q == equalities) return;
  for (;;) {
    solve_active();
    int worst = -1;
    for (int i = 0; i < q; ++i) {
      if (active[static_cast<size_t>(i)] < equalities) continue;
      if (u[i] < 0.0 && (worst < 0 || u[i] < u[worst])) worst = i;
    }
    if (worst < 0) return;
    let_go(worst);
  }
}

// By the violation relative to the row's length; -1 if all are kept.
int QuadraticSolver::Workspace::most_violated(double tolerance) {
  const double scale = tolerance * std::max(1.0, x.lpNorm<Eigen::Infinity>());
  int worst = -1;
  double most = 0.0;
  const auto consider = [&](int constraint, double value, double length) {
    if (is_active[static_cast<size_t>(constraint)] || ignored[static_cast<size_t>(constraint)])
      return;
    if (!(value < -scale * std::max(length, 1e-300))) return;
    if (value / std::max(length, 1e-300) < most) {
      most = value / std::max(length, 1e-300);
      worst = constraint;
    }
  };
  if (inequalities > 0) {
    slack.noalias() = program->inequality * x;
    slack -= program->inequality_least;
  }
  for (int i = 0; i < inequalities; ++i)
    consider(equalities + i, slack[i], row_length[equalities + i]);
  for (int i = 0; i < bounds; ++i) {
    const int constraint = equalities + inequalities + i;
    const double least = least_of(constraint);
    if (least > -kInfinity) consider(constraint, (i < n ? x[i] : -x[i - n]) - least, 1.0);
  }
  return worst;
}

// Brings one constraint to equality, letting go of others whose multipliers reach zero on the way.
// False: there is no such x, or too many changes.
bool QuadraticSolver::Workspace::satisfy(int constraint, int most_changes, double tolerance,
                                         QuadraticOutcome& outcome) {
  normal_of(constraint);
  double value = slack_of(constraint);
  u[q] = 0.0;
  for (;;) {
    if (changes > most_changes) {
      outcome = QuadraticOutcome::kLimitReached;
      return false;
    }
    project();
    const bool dependent = depends();
    double dual_step = kInfinity;
    int blocking = -1;
    for (int i = 0; i < q; ++i) {
      if (active[static_cast<size_t>(i)] < equalities || step[i] <= 0.0) continue;
      const double length = u[i] / step[i];
      if (length < dual_step) {
        dual_step = length;
        blocking = i;
      }
    }
    const double primal_step = dependent ? kInfinity : -value / z.dot(normal);
    const double length = std::min(dual_step, primal_step);
    if (!(length < kInfinity)) {
      // A combination of active constraints that is violated by their rounding alone.
      const double scale = std::max(1.0, x.lpNorm<Eigen::Infinity>()) * length_of(constraint);
      if (-value <= kRounding * tolerance * scale) {
        ignored[static_cast<size_t>(constraint)] = 1;
        return true;
      }
      outcome = QuadraticOutcome::kInfeasible;
      return false;
    }
    u.head(q) -= length * step.head(q);
    u[q] += length;
    if (!dependent) {
      x += length * z;
      value += length * z.dot(normal);
    }
    if (primal_step <= dual_step) {
      take_in(constraint);
      return true;
    }
    let_go(blocking);
  }
}

// Equations first. One that follows from the others is left out; one that contradicts them ends it.
bool QuadraticSolver::Workspace::add_equalities(double tolerance) {
  for (int i = 0; i < equalities; ++i) {
    normal_of(i);
    project();
    const double value = slack_of(i);
    const double scale = std::max({1.0, x.lpNorm<Eigen::Infinity>(), std::abs(least_of(i))});
    if (q >= n || depends() || row_length[i] == 0.0) {
      if (std::abs(value) > kRounding * tolerance * std::max(row_length[i], 1e-300) * scale)
        return false;
      continue;
    }
    const double length = -value / z.dot(normal);
    x += length * z;
    u.head(q) -= length * step.head(q);
    u[q] = length;
    take_in(i);
  }
  return true;
}

// Rounding of many changes is taken out of x by one step onto the active constraints.
void QuadraticSolver::Workspace::refine() {
  for (int i = 0; i < q; ++i) step[i] = -slack_of(active[static_cast<size_t>(i)]);
  r.topLeftCorner(q, q).triangularView<Eigen::Upper>().transpose().solveInPlace(step.head(q));
  x.noalias() += j.leftCols(q) * step.head(q);
}

QuadraticOutcome QuadraticSolver::Workspace::run(const QuadraticOptions& options) {
  const int most_changes = 100 + options.changes_per_row * (n + count());
  QuadraticOutcome outcome = QuadraticOutcome::kSolved;
  for (int repeats = 0;;) {
    const int constraint = most_violated(options.tolerance);
    if (constraint < 0) {
      refine();
      // The step may have moved a constraint that only just held.
      if (repeats++ > 2 || most_violated(options.tolerance) < 0) return QuadraticOutcome::kSolved;
      continue;
    }
    if (!satisfy(constraint, most_changes, options.tolerance, outcome)) return outcome;
  }
}

void QuadraticSolver::Workspace::write(QuadraticResult& result) const {
  result.x = x;
  result.changes = changes;
  result.value =
      0.5 * x.dot(program->hessian.selfadjointView<Eigen::Lower>() * x) + program->gradient.dot(x);
  result.equality.setZero(equalities);
  result.inequality.setZero(inequalities);
  result.lower.setZero(bounds > 0 ? n : 0);
  result.upper.setZero(bounds > 0 ? n : 0);
  result.active.clear();
  for (int i = 0; i < q; ++i) {
    const int constraint = active[static_cast<size_t>(i)];
    if (constraint < equalities) {
      result.equality[constraint] = u[i];
      continue;
    }
    const int index = constraint - equalities;
    result.active.push_back(index);
    if (index < inequalities)
      result.inequality[index] = u[i];
    else if (index - inequalities < n)
      result.lower[index - inequalities] = u[i];
    else
      result.upper[index - inequalities - n] = u[i];
  }
}

const char* to_string(QuadraticOutcome outcome) {
  switch (outcome) {
    case QuadraticOutcome::kSolved:
      return "solved";
    case QuadraticOutcome::kInfeasible:
      return "infeasible";
    case QuadraticOutcome::kNotConvex:
      return "not convex";
    case QuadraticOutcome::kLimitReached:
      return "limit reached";
  }
  return "";
}

QuadraticSolver::QuadraticSolver() : workspace_(std::make_unique<Workspace>()) {}
QuadraticSolver::~QuadraticSolver() = default;
QuadraticSolver::QuadraticSolver(QuadraticSolver&&) noexcept = default;
QuadraticSolver& QuadraticSolver::operator=(QuadraticSolver&&) noexcept = default;

void QuadraticSolver::solve(const QuadraticProgram& program, QuadraticResult& result,
                            const std::vector<int>& active, const QuadraticOptions& options) {
  Workspace& w = *workspace_;
  w.set_size(program);
  w.u.setZero();
  if (!w.factor()) {
    w.x.setZero();
    result.outcome = QuadraticOutcome::kNotConvex;
  } else if (!w.add_equalities(options.tolerance)) {
    result.outcome = QuadraticOutcome::kInfeasible;
  } else {
    w.begin_with(active);
    result.outcome = w.run(options);
  }
  w.write(result);
}

}  // namespace prehend::optimize
