// A primal-dual interior-point method with Nesterov-Todd scaling and Mehrotra's predictor and
// corrector (Vandenberghe, "The CVXOPT linear and quadratic cone program solvers", 2010, sections 3
// to 5, has the scalings), specialised: every cone has four dimensions and the wrench six, so a
// step is one 6 x 6 Cholesky factorisation whatever the number of contacts.
//
// One routine solves two problems that differ in two numbers:
//   minimize  cost * sum n + |y|^2 softness / 2   subject to  G f + softness y = w
//   least force    cost 1, softness 0: the program itself
//   nearest wrench cost tiny, softness 1: y is the residual, its square is minimized. The tiny cost
//                  keeps forces finite where a sum of cones is not closed.
//
// Symbols: f scaled forces, each in the second-order cone Q = {f0 >= |f1..3|}; z their duals, in Q;
//   y dual of the wrench; s = max - n slack of a bound, v its dual; W scaling, W z = W^-1 f =
//   lambda.
#include "prehend/optimize/cone_program.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>

namespace prehend::optimize {
namespace {

using Vec4 = Eigen::Vector4d;
using Vec6 = Eigen::Matrix<double, 6, 1>;
using Mat6 = Eigen::Matrix<double, 6, 6>;
using Mat64 = Eigen::Matrix<double, 6, 4>;

// Cost of a newton in the nearest-wrench problem, in units of wrench squared: shifts the residual
// by about this times the price.
constexpr double kNearestCost = 1e-10;
// How far towards the boundary of the cones a step may go.
constexpr double kStepFraction = 0.99;

// The scaling W = beta [w0 w'; w I + w w' / (1 + w0)], symmetric, kept as beta and w.
struct Scaling {
  double beta = 1.0;
  Vec4 w = Vec4::UnitX();

  Vec4 operator*(const Vec4& x) const {
    const double dot = w.tail<3>().dot(x.tail<3>());
    Vec4 y;
    y[0] = beta * (w[0] * x[0] + dot);
    y.tail<3>() = beta * (x.tail<3>() + (x[0] + dot / (1.0 + w[0])) * w.tail<3>());
    return y;
  }
  Vec4 inverse_times(const Vec4& x) const {
    const double dot = w.tail<3>().dot(x.tail<3>());
    Vec4 y;
    y[0] = (w[0] * x[0] - dot) / beta;
    y.tail<3>() = (x.tail<3>() - (x[0] - dot / (1.0 + w[0])) * w.tail<3>()) / beta;
    return y;
  }
  Mat64 left_times(const Mat64& g) const {
    const Vec6 dot = g.rightCols<3>() * w.tail<3>();
    const Vec6 along = g.col(0) + dot / (1.0 + w[0]);
    Mat64 out;
    out.col(0) = beta * (w[0] * g.col(0) + dot);
    for (int k = 1; k < 4; ++k) out.col(k) = beta * (g.col(k) + w[k] * along);
    return out;
  }
};

// M with M M' = (W^-2 + d e0 e0')^-1, d = v / s of a bound. By blocks of the inverse, so that
// nothing cancels when the bound is tight: with q = |w|^2 and r^2 = 1 + 2 q,
//   M = [a 0; a u  beta (I - rho w w')],  1/a^2 = d + 1 / (beta r)^2,  u = 2 w0 w / r^2,
//   rho = 2 / (r (r + 1)).
struct BoundedRoot {
  double a = 1.0, rho = 0.0, beta = 1.0;
  Eigen::Vector3d u = Eigen::Vector3d::Zero(), w = Eigen::Vector3d::Zero();

  void set(const Scaling& s, double d) {
    w = s.w.tail<3>();
    beta = s.beta;
    const double rr = 1.0 + 2.0 * w.squaredNorm(), r = std::sqrt(rr);
    a = 1.0 / std::sqrt(d + 1.0 / (beta * beta * rr));
    u = (2.0 * s.w[0] / rr) * w;
    rho = 2.0 / (r * (r + 1.0));
  }
  Vec4 operator*(const Vec4& x) const {
    Vec4 y;
    y[0] = a * x[0];
    y.tail<3>() = y[0] * u + beta * (x.tail<3>() - (rho * w.dot(x.tail<3>())) * w);
    return y;
  }
  Vec4 transposed_times(const Vec4& x) const {
    Vec4 y;
    y[0] = a * (x[0] + u.dot(x.tail<3>()));
    y.tail<3>() = beta * (x.tail<3>() - (rho * w.dot(x.tail<3>())) * w);
    return y;
  }
  Mat64 left_times(const Mat64& g) const {
    Mat64 out;
    const Vec6 dot = g.rightCols<3>() * w;
    out.col(0) = a * (g.col(0) + g.rightCols<3>() * u);
    for (int k = 1; k < 4; ++k) out.col(k) = beta * (g.col(k) - (rho * w[k - 1]) * dot);
    return out;
  }
};

struct Cone {
  Mat64 map;  // scaled: wrench from a force in Q
  Vec4 force, dual;
  Vec4 step_force, step_dual;
  Vec4 step_scaled;  // W^-1 step_force
  Scaling scaling;
  Vec4 lambda;
  // M M' = (W^-2 + v/s e0 e0')^-1 is what a unit of dual moves; without a bound M = W.
  BoundedRoot root;
  Mat64 mapped;  // map * M
  Vec4 dual_residual;
  Vec4 rhs;         // M' h
  Vec4 correction;  // (W^-1 df) o (W dz) of the predictor
  bool bounded;
  double max_normal, slack, slack_dual, step_slack, step_slack_dual, slack_correction;
};

struct Problem {
  double cost = 1.0;
  double softness = 0.0;
};

// f0^2 - |f1..3|^2, as a product so that it keeps its digits near the boundary.
double determinant(const Vec4& f) {
  const double tail = f.tail<3>().norm();
  return (f[0] - tail) * (f[0] + tail);
}

Vec4 jordan_product(const Vec4& a, const Vec4& b) {
  Vec4 c;
  c[0] = a.dot(b);
  c.tail<3>() = a[0] * b.tail<3>() + b[0] * a.tail<3>();
  return c;
}

// x with lambda o x = b.
Vec4 jordan_divide(const Vec4& lambda, const Vec4& b) {
  const double det = determinant(lambda);
  Vec4 x;
  x[0] = (lambda[0] * b[0] - lambda.tail<3>().dot(b.tail<3>())) / det;
  x.tail<3>() = (b.tail<3>() - x[0] * lambda.tail<3>()) / lambda[0];
  return x;
}

// Largest a <= limit with f + a d in the cone.
double longest_step(const Vec4& f, const Vec4& d, double limit) {
  const double end = f[0] + limit * d[0];
  // Most cones do not stop a step, and a look at its end is cheaper than the roots.
  if (end > 0.0 && end * end > (f + limit * d).tail<3>().squaredNorm()) return limit;
  const double a = d[0] * d[0] - d.tail<3>().squaredNorm();
  const double b = f[0] * d[0] - f.tail<3>().dot(d.tail<3>());
  const double c = determinant(f);
  // Smallest positive root of a t^2 + 2 b t + c, or where f0 + t d0 turns negative.
  double t = limit;
  if (d[0] < 0.0) t = std::min(t, -f[0] / d[0]);
  const double discriminant = b * b - a * c;
  if (discriminant < 0.0) return t;
  const double q = -(b + std::copysign(std::sqrt(discriminant), b));
  const double r1 = q != 0.0 ? c / q : limit;
  const double r2 = a != 0.0 ? q / a : limit;
  if (r1 > 0.0) t = std::min(t, r1);
  if (r2 > 0.0) t = std::min(t, r2);
  return t;
}

double longest_step(double x, double d, double limit) {
  return d < 0.0 ? std::min(limit, -x / d) : limit;
}

// Sets W and lambda; false when an iterate has reached the boundary within rounding.
bool scale(Cone& c) {
  const double det_f = determinant(c.force);
  const double det_z = determinant(c.dual);
  if (!(det_f > 0.0) || !(det_z > 0.0)) return false;
  const double root_f = std::sqrt(det_f), root_z = std::sqrt(det_z);
  const Vec4 f = c.force / root_f, z = c.dual / root_z;
  const double gamma = std::sqrt(0.5 * (1.0 + f.dot(z)));
  c.scaling.beta = std::sqrt(root_f / root_z);
  c.scaling.w = 0.5 / gamma * Vec4(f[0] + z[0], f[1] - z[1], f[2] - z[2], f[3] - z[3]);
  c.lambda = c.scaling * c.dual;
  if (c.bounded) c.root.set(c.scaling, c.slack_dual / c.slack);
  c.mapped = c.bounded ? c.root.left_times(c.map) : c.scaling.left_times(c.map);
  return true;
}

}  // namespace

struct ConeProgram::Workspace {
  std::vector<Cone> cones;
  Vec6 wrench, y, step_y, primal_residual;
  Eigen::LLT<Mat6> factor;
  Vec6 pivot_scale;
  double gap = 0.0;
  int degree = 0;  // of the barrier: cones plus bounds

  void start(const Problem& problem);
  bool factorise(const Problem& problem);
  void direction(double target, bool corrector);
  double step_length() const;
  void advance(double length);
  void residuals(const Problem& problem);
  double objective() const;
  double price_bound() const;
  enum class End { kOptimal, kUnreachable, kStuck };
  End run(const Problem& problem, const ConeProgramOptions& options, int& iterations);
};

namespace {
constexpr double kTiny = 1e-300;
}

void ConeProgram::Workspace::start(const Problem& problem) {
  y.setZero();
  degree = 0;
  // y = 0 with z = cost e0 is strictly feasible for the dual, and exact feasibility then lasts.
  const double size = std::max(1.0, 2.0 / static_cast<double>(cones.size()));
  const double dual = problem.softness > 0.0 ? 1.0 : problem.cost;
  for (Cone& c : cones) {
    double normal = size;
    c.slack_dual = 0.0;
    if (c.bounded) {
      normal = std::min(normal, 0.5 * c.max_normal);
      c.slack = c.max_normal - normal;
      c.slack_dual = dual;
    }
    c.force = Vec4(normal, 0.0, 0.0, 0.0);
    c.dual = Vec4(dual + c.slack_dual, 0.0, 0.0, 0.0);
    degree += c.bounded ? 2 : 1;
  }
}

void ConeProgram::Workspace::residuals(const Problem& problem) {
  primal_residual = wrench - problem.softness * y;
  gap = 0.0;
  for (Cone& c : cones) {
    primal_residual.noalias() -= c.map * c.force;
    c.dual_residual.noalias() = -c.dual - c.map.transpose() * y;
    c.dual_residual[0] += problem.cost + c.slack_dual;
    gap += c.force.dot(c.dual);
    if (c.bounded) gap += c.slack * c.slack_dual;
  }
}

bool ConeProgram::Workspace::factorise(const Problem& problem) {
  Mat6 normal_matrix = problem.softness * Mat6::Identity();
  for (Cone& c : cones) {
    if (!scale(c)) return false;
    normal_matrix.noalias() += c.mapped * c.mapped.transpose();
  }
  // Scaled to a unit diagonal so that rows in small units are not taken for missing ones; what is
  // added to the diagonal then only matters in directions that no contact reaches.
  pivot_scale = (normal_matrix.diagonal().array() + kTiny).sqrt().inverse();
  normal_matrix = pivot_scale.asDiagonal() * normal_matrix * pivot_scale.asDiagonal();
  normal_matrix.diagonal().array() += problem.softness > 0.0 ? 1e-15 : 1e-13;
  factor.compute(normal_matrix);
  return factor.info() == Eigen::Success;
}

// The Newton step towards complementarity `target`; the corrector adds the predictor's second
// order.
void ConeProgram::Workspace::direction(double target, bool corrector) {
  Vec6 rhs = primal_residual;
  for (Cone& c : cones) {
    // h = W^-1 (lambda \ wanted) - dual residual - bound term e0.
    Vec4 h = -c.lambda;
    if (corrector) {
      Vec4 wanted = -c.correction;
      wanted[0] += target;
      h += jordan_divide(c.lambda, wanted);
    }
    if (c.bounded) {
      const double q = target - c.slack * c.slack_dual - (corrector ? c.slack_correction : 0.0);
      const double gap_of_bound = c.max_normal - c.force[0] - c.slack;
      h = c.scaling.inverse_times(h) - c.dual_residual;
      h[0] -= (q - c.slack_dual * gap_of_bound) / c.slack;
      h = c.root.transposed_times(h);
    } else {
      h -= c.scaling * c.dual_residual;
    }
    c.rhs = h;
    rhs.noalias() -= c.mapped * h;
  }
  step_y = pivot_scale.asDiagonal() * factor.solve(pivot_scale.asDiagonal() * rhs);
  for (Cone& c : cones) {
    c.step_scaled.noalias() = c.mapped.transpose() * step_y;
    c.step_scaled += c.rhs;
    if (c.bounded) {
      c.step_force = c.root * c.step_scaled;
      c.step_scaled = c.scaling.inverse_times(c.step_force);
    } else {
      c.step_force = c.scaling * c.step_scaled;
    }
    c.step_dual.noalias() = c.dual_residual - c.map.transpose() * step_y;
    if (c.bounded) {
      const double q = target - c.slack * c.slack_dual - (corrector ? c.slack_correction : 0.0);
      c.step_slack = c.max_normal - c.force[0] - c.slack - c.step_force[0];
      c.step_slack_dual = (q - c.slack_dual * c.step_slack) / c.slack;
      c.step_dual[0] += c.step_slack_dual;
    }
  }
}

double ConeProgram::Workspace::step_length() const {
  double length = 1.0 / kStepFraction;
  for (const Cone& c : cones) {
    length = longest_step(c.force, c.step_force, length);
    length = longest_step(c.dual, c.step_dual, length);
    if (!c.bounded) continue;
    length = longest_step(c.slack, c.step_slack, length);
    length = longest_step(c.slack_dual, c.step_slack_dual, length);
  }
  return length;
}

void ConeProgram::Workspace::advance(double length) {
  y += length * step_y;
  for (Cone& c : cones) {
    c.force += length * c.step_force;
    c.dual += length * c.step_dual;
    if (!c.bounded) continue;
    c.slack += length * c.step_slack;
    c.slack_dual += length * c.step_slack_dual;
  }
}

double ConeProgram::Workspace::objective() const {
  double total = 0.0;
  for (const Cone& c : cones) total += c.force[0];
  return total;
}

// A lower bound on the normal force of any forces that give the wrench, from a feasible dual.
double ConeProgram::Workspace::price_bound() const {
  double bound = wrench.dot(y);
  for (const Cone& c : cones) {
    if (c.bounded) bound -= c.max_normal * c.slack_dual;
  }
  return bound;
}

ConeProgram::Workspace::End ConeProgram::Workspace::run(const Problem& problem,
                                                        const ConeProgramOptions& options,
                                                        int& iterations) {
  const bool nearest = problem.softness > 0.0;
  const double wrench_tolerance = 0.1 * options.tolerance;
  start(problem);
  for (int step = 0; step < options.max_iterations; ++step) {
    residuals(problem);
    const double normal = objective();
    // |y - y*|^2 / 2 <= gap: the nearest problem is strongly convex in its residual.
    // Deeper, the scalings would drown the softness in rounding.
    const double gap_tolerance = nearest ? 0.5 * options.tolerance * options.tolerance
                                         : wrench_tolerance * std::max(1e-3, normal);
    if (primal_residual.norm() <= wrench_tolerance && gap <= gap_tolerance) return End::kOptimal;
    if (!nearest) {
      // For forces of total N and residual r, y . r >= price_bound - N: none up to max_leverage
      // bring the residual within tolerance.
      const double shortfall = price_bound() - options.max_leverage;
      if (shortfall > options.tolerance * y.norm()) return End::kUnreachable;
    }
    if (!factorise(problem)) return End::kStuck;
    direction(0.0, false);
    const double reach = std::min(1.0, step_length());
    const double mu = gap / degree;
    const double sigma = (1.0 - reach) * (1.0 - reach) * (1.0 - reach);
    for (Cone& c : cones) {
      c.correction = jordan_product(c.step_scaled, c.scaling * c.step_dual);
      c.slack_correction = c.step_slack * c.step_slack_dual;
    }
    // Aiming no deeper than asked keeps the iterates off the boundary, where full steps end.
    direction(std::max(sigma * mu, 0.1 * gap_tolerance / degree), true);
    const double length = std::min(1.0, kStepFraction * step_length());
    if (!(length > 1e-10) || !step_y.allFinite()) return End::kStuck;
    advance(length);
    ++iterations;
  }
  return End::kStuck;
}

ConeProgram::ConeProgram() : workspace_(std::make_unique<Workspace>()) {}
ConeProgram::~ConeProgram() = default;
ConeProgram::ConeProgram(ConeProgram&&) noexcept = default;
ConeProgram& ConeProgram::operator=(ConeProgram&&) noexcept = default;

void ConeProgram::reserve(int contacts) {
  workspace_->cones.reserve(static_cast<size_t>(contacts));
}

namespace {

// Norm of the largest column: what one newton can do at most.
double largest_effect(std::span<const ConeContact> contacts) {
  double largest = 0.0;
  for (const ConeContact& c : contacts) {
    const Vec4 reach(1.0, c.friction, c.friction, c.torsional_friction);
    for (int k = 0; k < 4; ++k) {
      largest = std::max(largest, c.wrench_map.col(k).norm() * std::abs(reach[k]));
    }
  }
  return largest;
}

bool finite(std::span<const ConeContact> contacts, const Vec6& wrench) {
  bool ok = wrench.allFinite();
  for (const ConeContact& c : contacts) {
    ok = ok && c.wrench_map.allFinite() && std::isfinite(c.friction) && c.friction >= 0.0 &&
         std::isfinite(c.torsional_friction) && c.torsional_friction >= 0.0 &&
         std::isfinite(c.max_normal) && c.max_normal >= 0.0;
  }
  return ok;
}

}  // namespace

void ConeProgram::solve(std::span<const ConeContact> contacts, const Vec6& wrench,
                        ConeProgramResult& result, const ConeProgramOptions& options) {
  Workspace& work = *workspace_;
  result.forces.assign(contacts.size(), Vec4::Zero());
  result.total_normal = 0.0;
  result.residual = wrench;
  result.price.setZero();
  result.iterations = 0;
  result.converged = finite(contacts, wrench);
  result.feasible = result.converged && wrench.norm() == 0.0;
  const double effect = result.converged ? largest_effect(contacts) : 0.0;
  if (result.feasible || effect == 0.0) return;

  // Units in which the wrench is 1 long and the strongest contact gives 1 for 1.
  const double wrench_unit = wrench.norm();
  const double force_unit = wrench_unit / effect;
  work.wrench = wrench / wrench_unit;
  work.cones.resize(contacts.size());
  for (size_t i = 0; i < contacts.size(); ++i) {
    const ConeContact& contact = contacts[i];
    const Vec4 reach(1.0, contact.friction, contact.friction, contact.torsional_friction);
    work.cones[i].map = contact.wrench_map * reach.asDiagonal() / effect;
    work.cones[i].bounded = contact.max_normal > 0.0;
    work.cones[i].max_normal = contact.max_normal / force_unit;
    work.cones[i].step_slack = work.cones[i].step_slack_dual = 0.0;
  }

  using End = Workspace::End;
  End end = work.run({1.0, 0.0}, options, result.iterations);
  work.residuals({1.0, 0.0});
  // Forces may be good although the last digits of the optimum were out of reach.
  const bool explained = work.primal_residual.norm() <= options.tolerance &&
                         work.gap <= options.tolerance * std::max(1e-3, work.objective());
  if (end == End::kOptimal || explained) {
    result.price = work.y * (force_unit / wrench_unit);
    result.converged = true;
  } else {
    end = work.run({kNearestCost, 1.0}, options, result.iterations);
    work.residuals({kNearestCost, 1.0});
    result.converged =
        end == End::kOptimal || (work.primal_residual.norm() <= 10.0 * options.tolerance &&
                                 work.gap <= 50.0 * options.tolerance * options.tolerance);
  }
  for (size_t i = 0; i < contacts.size(); ++i) {
    const ConeContact& contact = contacts[i];
    const Vec4 reach(1.0, contact.friction, contact.friction, contact.torsional_friction);
    result.forces[i] = force_unit * reach.cwiseProduct(work.cones[i].force);
    result.total_normal += result.forces[i][0];
    result.residual -= contact.wrench_map * result.forces[i];
  }
  result.feasible = result.residual.norm() <= options.tolerance * wrench_unit;
}

ConeProgramResult solve_cone_program(std::span<const ConeContact> contacts, const Vec6& wrench,
                                     const ConeProgramOptions& options) {
  ConeProgram program;
  ConeProgramResult result;
  program.solve(contacts, wrench, result, options);
  return result;
}

}  // namespace prehend::optimize
