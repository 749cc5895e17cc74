#include "prehend/optimize/lcp.h"

#include <algorithm>
#include <cmath>

#include "optimize/lcp_workspace.h"
#include "prehend/core/random.h"

namespace prehend::optimize {
namespace {

// Of the largest entry: a pivot below it makes an active set singular.
constexpr double kSingular = 1e-13;
// Of the largest |q|: what counts as zero in an answer that is still being improved.
constexpr double kZero = 1e-11;
// Lemke's method is tried again with another cover when rounding spoiled an answer.
constexpr int kCovers = 4;

// Room for `size` entries; keeps what was allocated for larger problems.
template <typename Vector>
void at_least(Vector& v, Eigen::Index size) {
  if (v.size() < size) v.resize(size);
}

}  // namespace

const char* to_string(LcpOutcome outcome) {
  switch (outcome) {
    case LcpOutcome::kSolved:
      return "solved";
    case LcpOutcome::kRay:
      return "went off along a ray";
    case LcpOutcome::kPivotLimit:
      return "took too many exchanges";
  }
  return "";
}

void ScaledLcp::reserve(int unknowns) {
  if (m.rows() < unknowns) m.resize(unknowns, unknowns);
  at_least(q, unknowns);
  at_least(scale, unknowns);
}

void ScaledLcp::set(const Eigen::Ref<const Eigen::MatrixXd>& matrix,
                    const Eigen::Ref<const Eigen::VectorXd>& vector) {
  size = static_cast<int>(vector.size());
  for (int i = 0; i < size; ++i)
    scale[i] = matrix(i, i) > 0.0 ? 1.0 / std::sqrt(matrix(i, i)) : 0.0;
  // An unknown without a diagonal, such as a friction multiplier, is scaled by those it meets.
  for (int i = 0; i < size; ++i) {
    if (matrix(i, i) > 0.0) continue;
    double largest = 0.0;
    for (int j = 0; j < size; ++j)
      if (matrix(j, j) > 0.0)
        largest = std::max(
            {largest, std::abs(matrix(i, j)) * scale[j], std::abs(matrix(j, i)) * scale[j]});
    scale[i] = largest > 0.0 ? 1.0 / largest : 1.0;
  }
  for (int j = 0; j < size; ++j)
    for (int i = 0; i < size; ++i) m(i, j) = scale[i] * matrix(i, j) * scale[j];
  q_size = 0.0;
  for (int i = 0; i < size; ++i) {
    q[i] = scale[i] * vector[i];
    q_size = std::max(q_size, std::abs(q[i]));
  }
}

double ScaledLcp::residual(const Eigen::VectorXd& z, Eigen::VectorXd& w) const {
  w.head(size) = q.head(size);
  for (int j = 0; j < size; ++j)
    if (z[j] != 0.0) w.head(size) += z[j] * m.col(j).head(size);
  double worst = 0.0;
  for (int i = 0; i < size; ++i) worst = std::max({worst, -z[i], -w[i], std::min(z[i], w[i])});
  const double relative = q_size > 0.0 ? worst / q_size : worst;
  return std::isfinite(relative) ? relative : HUGE_VAL;
}

void ActiveSetSolve::reserve(int unknowns) {
  if (factors_.rows() < unknowns) factors_.resize(unknowns, unknowns);
  at_least(right_, unknowns);
  at_least(step_, unknowns);
  members_.reserve(unknowns);
  rows_.reserve(unknowns);
}

// Gaussian elimination with row exchanges, in place.
bool ActiveSetSolve::factor(int count) {
  rows_.resize(count);
  for (int i = 0; i < count; ++i) rows_[i] = i;
  for (int k = 0; k < count; ++k) {
    int best = k;
    factors_.col(k).segment(k, count - k).cwiseAbs().maxCoeff(&best);
    best += k;
    if (!(std::abs(factors_(best, k)) > kSingular)) return false;
    if (best != k) {
      factors_.row(k).head(count).swap(factors_.row(best).head(count));
      std::swap(rows_[k], rows_[best]);
    }
    const int rest = count - k - 1;
    if (rest == 0) break;
    factors_.col(k).segment(k + 1, rest) /= factors_(k, k);
    for (int j = k + 1; j < count; ++j)
      factors_.col(j).segment(k + 1, rest) -= factors_(k, j) * factors_.col(k).segment(k + 1, rest);
  }
  return true;
}

void ActiveSetSolve::substitute(int count, Eigen::VectorXd& x) const {
  for (int k = 0; k < count; ++k)
    x.segment(k + 1, count - k - 1) -= x[k] * factors_.col(k).segment(k + 1, count - k - 1);
  for (int k = count - 1; k >= 0; --k) {
    x[k] /= factors_(k, k);
    x.head(k) -= x[k] * factors_.col(k).head(k);
  }
}

bool ActiveSetSolve::solve(const ScaledLcp& lcp, const std::vector<char>& active,
                           Eigen::VectorXd& z, Eigen::VectorXd& w) {
  members_.clear();
  for (int i = 0; i < lcp.size; ++i)
    if (active[i]) members_.push_back(i);
  const int count = static_cast<int>(members_.size());
  for (int j = 0; j < count; ++j)
    for (int i = 0; i < count; ++i) factors_(i, j) = lcp.m(members_[i], members_[j]);
  if (!factor(count)) return false;
  z.head(lcp.size).setZero();
  // The second round takes away the rounding of the first.
  for (int round = 0; round < 2; ++round) {
    w.head(lcp.size) = lcp.q.head(lcp.size);
    for (int j : members_) w.head(lcp.size) += z[j] * lcp.m.col(j).head(lcp.size);
    for (int i = 0; i < count; ++i) step_[i] = -w[members_[rows_[i]]];
    substitute(count, step_);
    for (int i = 0; i < count; ++i) z[members_[i]] += step_[i];
  }
  w.head(lcp.size) = lcp.q.head(lcp.size);
  for (int j : members_) w.head(lcp.size) += z[j] * lcp.m.col(j).head(lcp.size);
  for (int j : members_) w[j] = 0.0;
  return std::isfinite(z.head(lcp.size).sum());
}

struct LcpSolver::Workspace {
  ScaledLcp lcp;
  ActiveSetSolve active_set;
  LemkePivots lemke;
  Eigen::VectorXd z, w, cover, best;

  void reserve(int unknowns) {
    lcp.reserve(unknowns);
    active_set.reserve(unknowns);
    lemke.reserve(unknowns);
    for (Eigen::VectorXd* v : {&z, &w, &cover, &best}) at_least(*v, unknowns);
  }

  // Clears what rounding left below zero and tells how good the answer then is.
  double cleaned_residual(Eigen::VectorXd& answer) {
    answer.head(lcp.size) = answer.head(lcp.size).cwiseMax(0.0);
    return lcp.residual(answer, w);
  }

  // Changes the guess until its answer has the right signs. Unknowns that came out negative leave
  // together; of those whose w came out negative the worst one enters, since two edges of one
  // friction pyramid may be dependent.
  bool improve_guess(LcpResult& result, const LcpOptions& options) {
    const double zero = kZero * lcp.q_size;
    for (int change = 0; change <= options.max_guess_changes; ++change) {
      ++result.factorizations;
      if (!active_set.solve(lcp, result.active, z, w)) return false;
      bool right = true;
      int worst = -1;
      for (int i = 0; i < lcp.size; ++i) {
        if (z[i] < -zero) {
          result.active[i] = 0;
          right = false;
        }
        if (w[i] < -zero && (worst < 0 || w[i] < w[worst])) worst = i;
      }
      if (worst >= 0) {
        result.active[worst] = 1;
        right = false;
      }
      if (right) {
        result.residual = cleaned_residual(z);
        return result.residual <= options.tolerance;
      }
    }
    return false;
  }

  void run_lemke(LcpResult& result, const LcpOptions& options) {
    const int limit = options.max_pivots_per_unknown * std::max(lcp.size, 1);
    result.residual = HUGE_VAL;
    best.head(lcp.size).setZero();
    Random random(7);
    cover.head(lcp.size).setOnes();
    for (int round = 0; round < kCovers && result.residual > options.tolerance; ++round) {
      const LcpOutcome outcome = lemke.run(lcp, cover, limit, result.active, z);
      result.pivots += lemke.pivots();
      if (round == 0 || outcome == LcpOutcome::kSolved) result.outcome = outcome;
      if (outcome == LcpOutcome::kSolved) {
        keep_better(result);
        if (active_set.solve(lcp, result.active, z, w)) keep_better(result);
      }
      for (int i = 0; i < lcp.size; ++i) cover[i] = random.uniform(0.5, 2.0);
    }
    z.head(lcp.size) = best.head(lcp.size);
    if (result.outcome == LcpOutcome::kSolved && result.residual > options.tolerance)
      result.outcome = LcpOutcome::kPivotLimit;
  }

  void keep_better(LcpResult& result) {
    const double residual = cleaned_residual(z);
    if (residual >= result.residual) return;
    result.residual = residual;
    best.head(lcp.size) = z.head(lcp.size);
  }
};

LcpSolver::LcpSolver() : workspace_(std::make_unique<Workspace>()) {}
LcpSolver::~LcpSolver() = default;
LcpSolver::LcpSolver(LcpSolver&&) noexcept = default;
LcpSolver& LcpSolver::operator=(LcpSolver&&) noexcept = default;

void LcpSolver::solve(const Eigen::Ref<const Eigen::MatrixXd>& matrix,
                      const Eigen::Ref<const Eigen::VectorXd>& vector, std::span<const char> guess,
                      LcpResult& result, const LcpOptions& options) {
  Workspace& work = *workspace_;
  const int size = static_cast<int>(vector.size());
  work.reserve(size);
  work.lcp.set(matrix, vector);
  result.outcome = LcpOutcome::kPivotLimit;
  result.pivots = result.factorizations = 0;
  result.guessed = false;
  result.residual = 0.0;
  result.active.assign(size, 0);
  if (static_cast<int>(guess.size()) == size && size > 0) {
    std::copy(guess.begin(), guess.end(), result.active.begin());
    result.guessed = work.improve_guess(result, options);
    if (result.guessed) result.outcome = LcpOutcome::kSolved;
  }
  if (!result.guessed) {
    std::fill(result.active.begin(), result.active.end(), 0);
    work.run_lemke(result, options);
  }
  work.lcp.residual(work.z, work.w);
  result.z.resize(size);
  result.w.resize(size);
  for (int i = 0; i < size; ++i) {
    result.z[i] = work.lcp.scale[i] * work.z[i];
    result.w[i] = work.w[i] / work.lcp.scale[i];
  }
}

}  // namespace prehend::optimize
