// The accelerations that constraints allow, by Newton's method in the structure of hands.
//
// The engine asks for the acceleration a that is least in
//   1/2 (a - a0)^T M (a - a0) + s(J a - b),
// a0 the unconstrained one, s a sum of convex costs, one of each weld, limit and contact cone
// (MuJoCo's documentation, "Computation", the primal problem). Its own solver works on dense
// matrices in the order of the tree, root first, where every digit fills every other. Here digits
// come first, then roots, then objects; a contact concerns its digit and the last twelve numbers
// alone, and H = M + J^T s'' J is factored anew each time as a Skyline, which is cheaper than to
// keep a dense factor up to date.
//
// A state calls the engine's stages one by one and this in the place of mj_fwdConstraint.
#include "physics/engine_solver.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "physics/constraint_blocks.h"
#include "prehend/core/assert.h"

namespace prehend::physics {
namespace {

constexpr int kMostLineSteps = 50;
constexpr double kLineShare = 0.01;  // of the tolerance, for the slope along a line

}  // namespace

struct ConstraintSolver::Impl {
  void solve(const mjModel* m, mjData* d, const SolverStructure& structure);
  void gather(const mjModel* m, const mjData* d);
  void choose_start(const mjModel* m);
  double cost();
  void find_gradient();
  void find_search();
  double line_step(double enough) const;
  void advance(double step);
  void give(mjData* d) const;

  const SolverStructure* structure_ = nullptr;
  int size_ = 0, rows_ = 0;
  ConstraintBlocks constraints_;
  std::vector<int> first_;
  Skyline inertia_, hessian_;
  // a, M a, a0, M a0, the step of a and M times it, the gradient; in the structure's order.
  std::vector<Quad> acceleration_, pull_, smooth_, smooth_pull_, search_, search_pull_, gradient_;
  std::vector<Quad> warm_;  // where the last step ended
  // J a - b, what the search adds to it, b, forces; the engine's rows.
  std::vector<double> residual_, along_, reference_, force_;
};

namespace {

PREHEND_FOUR_WIDE double product(const std::vector<Quad>& one, const std::vector<Quad>& other) {
  return dot(one[0].at, other[0].at, 4 * static_cast<int>(one.size()));
}

PREHEND_FOUR_WIDE void add_times(std::vector<Quad>& sum, double factor,
                                 const std::vector<Quad>& more) {
  for (size_t i = 0; i < sum.size(); ++i) four(sum[i]) += factor * four(more[i]);
}

}  // namespace

void ConstraintSolver::Impl::gather(const mjModel* m, const mjData* d) {
  size_ = m->nv, rows_ = d->nefc;
  constraints_.gather(m, d, *structure_);
  first_ = structure_->first;
  constraints_.lower(first_);
  inertia_.reset(first_);
  hessian_.reset(first_);
  for (size_t i = 0; i < structure_->inertia.size(); ++i)
    inertia_.at(structure_->inertia[i].row, structure_->inertia[i].column) = d->qM[i];
  for (auto* v : {&acceleration_, &pull_, &smooth_, &smooth_pull_, &search_, &search_pull_,
                  &gradient_, &warm_})
    v->assign(inertia_.groups(), Quad{});
  for (auto* v : {&residual_, &along_, &force_}) v->resize(rows_);
  reference_.assign(d->efc_aref, d->efc_aref + rows_);
  for (int i = 0; i < size_; ++i) {
    const int dof = structure_->order[i];
    smooth_[0].at[i] = d->qacc_smooth[dof];
    smooth_pull_[0].at[i] = d->qfrc_smooth[dof];
    warm_[0].at[i] = d->qacc_warmstart[dof];
  }
}

double ConstraintSolver::Impl::cost() {
  double sum = 0.0;
  for (int i = 0; i < size_; ++i)
    sum += (pull_[0].at[i] - smooth_pull_[0].at[i]) * (acceleration_[0].at[i] - smooth_[0].at[i]);
  return 0.5 * sum + constraints_.evaluate(residual_.data(), force_.data());
}

// The end of the last step, or the unconstrained acceleration: whichever costs less.
void ConstraintSolver::Impl::choose_start(const mjModel* m) {
  const auto try_at = [&](const std::vector<Quad>& acceleration) {
    acceleration_ = acceleration;
    constraints_.multiply(acceleration_.data(), residual_.data());
    for (int i = 0; i < rows_; ++i) residual_[i] -= reference_[i];
    return cost();
  };
  pull_ = smooth_pull_;
  const double cold = try_at(smooth_);
  if (m->opt.disableflags & mjDSBL_WARMSTART) return;
  inertia_.multiply(warm_.data(), pull_.data());
  if (try_at(warm_) <= cold) return;
  pull_ = smooth_pull_;
  try_at(smooth_);
}

void ConstraintSolver::Impl::find_gradient() {
  gradient_ = pull_;
  add_times(gradient_, -1.0, smooth_pull_);
  constraints_.subtract_forces(force_.data(), gradient_.data());
}

void ConstraintSolver::Impl::find_search() {
  hessian_.copy(inertia_);
  constraints_.add_curvature(residual_.data(), hessian_);
  hessian_.factor(mjMINVAL);
  search_ = gradient_;
  hessian_.solve(search_.data());
  for (Quad& numbers : search_)
    for (double& number : numbers.at) number = -number;
  inertia_.multiply(search_.data(), search_pull_.data());
  constraints_.multiply(search_.data(), along_.data());
}

// Where the slope vanishes: Newton's steps, and halves where those leave the ends known or, as they
// may across a kink, go to and fro between them.
double ConstraintSolver::Impl::line_step(double enough) const {
  const double smooth_slope = product(search_, pull_) - product(search_, smooth_pull_);
  const double smooth_curvature = product(search_, search_pull_);
  constexpr double kUnknown = std::numeric_limits<double>::infinity();
  double low = 0.0, high = kUnknown, step = 1.0;
  for (int i = 0; i < kMostLineSteps; ++i) {
    double first, second;
    constraints_.slope(step, first, second);
    first += smooth_slope + step * smooth_curvature;
    second += smooth_curvature;
    if (!(std::abs(first) > enough && second > 0.0)) break;
    const double width = high - low;
    (first < 0.0 ? low : high) = step;
    step -= first / second;
    const bool shrank = width == kUnknown || high - low <= 0.5 * width;
    if (high < kUnknown && !(shrank && step > low && step < high)) step = 0.5 * (low + high);
  }
  return step;
}

void ConstraintSolver::Impl::advance(double step) {
  add_times(acceleration_, step, search_);
  add_times(pull_, step, search_pull_);
  for (int i = 0; i < rows_; ++i) residual_[i] += step * along_[i];
}

void ConstraintSolver::Impl::give(mjData* d) const {
  for (int i = 0; i < size_; ++i) {
    const int dof = structure_->order[i];
    d->qacc[dof] = d->qacc_warmstart[dof] = acceleration_[0].at[i];
    d->qfrc_constraint[dof] = pull_[0].at[i] - smooth_pull_[0].at[i] - gradient_[0].at[i];
  }
  std::copy(force_.begin(), force_.end(), d->efc_force);
  constraints_.states(d->efc_state);
}

// Ends where the engine's does: when gradient or gain, by its measure, are less than its tolerance,
// but never before a first step. By that measure a warm start may seem good enough and be wrong by
// what moves the lightest bones.
void ConstraintSolver::Impl::solve(const mjModel* m, mjData* d, const SolverStructure& structure) {
  structure_ = &structure;
  gather(m, d);
  choose_start(m);
  const double scale = 1.0 / (m->stat.meaninertia * m->nv), tolerance = m->opt.tolerance;
  double now = cost(), gain = 0.0;
  d->solver_iter = 0;
  for (find_gradient(); d->solver_iter < m->opt.iterations; ++d->solver_iter) {
    const double slope = scale * std::sqrt(product(gradient_, gradient_));
    if (d->solver_iter > 0 && !(gain >= tolerance && slope >= tolerance)) break;
    find_search();
    constraints_.prepare_line(residual_.data(), along_.data());
    advance(line_step(kLineShare * tolerance / scale * std::sqrt(product(search_, search_))));
    const double before = now;
    now = cost();
    gain = scale * (before - now);
    find_gradient();
  }
  give(d);
}

SolverStructure solver_structure(const mjModel& m, std::vector<int> order) {
  SolverStructure out;
  std::vector<int> place(m.nv);
  for (int i = 0; i < m.nv; ++i) place[order[i]] = i;
  out.order = std::move(order);
  out.inertia.resize(m.nM);
  out.first.resize(m.nv);
  for (int i = 0; i < m.nv; ++i) out.first[i] = i;
  for (int dof = 0; dof < m.nv; ++dof) {
    int address = m.dof_Madr[dof];
    for (int other = dof; other >= 0; other = m.dof_parentid[other]) {
      const int row = std::max(place[dof], place[other]);
      const int column = std::min(place[dof], place[other]);
      out.inertia[address++] = {row, column};
      out.first[row] = std::min(out.first[row], column);
    }
  }
  return out;
}

ConstraintSolver::ConstraintSolver() : impl_(std::make_unique<Impl>()) {}
ConstraintSolver::~ConstraintSolver() = default;
ConstraintSolver::ConstraintSolver(ConstraintSolver&&) noexcept = default;
ConstraintSolver& ConstraintSolver::operator=(ConstraintSolver&&) noexcept = default;

bool ConstraintSolver::knows(const mjModel* m, const mjData* d) {
  return d->nefc > 0 && m->opt.solver == mjSOL_NEWTON && m->opt.cone == mjCONE_ELLIPTIC &&
         m->opt.noslip_iterations == 0 && !mj_isSparse(m);
}

void ConstraintSolver::solve(const mjModel* m, mjData* d, const SolverStructure& structure) {
  PREHEND_ASSERT(knows(m, d) && static_cast<int>(structure.order.size()) == m->nv);
  impl_->solve(m, d, structure);
}

}  // namespace prehend::physics
