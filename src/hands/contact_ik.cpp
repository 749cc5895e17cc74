// Ye and Liu 2012, section 4.3: hand poses from contact points (eq. 1 to 3).
// Implements: eq. 1 as least squares by Levenberg and Marquardt's damping with exact derivatives;
//   eq. 2 and all gaps as bounds, linearized, of which a small active set takes part in a step;
//   eq. 3 and the joints' limits as a box that no step leaves.
// Departs: the paper solves a new problem whenever the pose of the last one enters the object, with
//   the deepest places as new contacts. Here what is about to be entered takes part in every step,
//   so that one problem is enough; a bound that is still broken at the minimum is asked for as much
//   more as it was broken by, which is a multiplier's step (augmented Lagrangian).
// Order: with a fixed root each digit is a problem of its own. Only if two digits then enter each
//   other, all are solved together; so they are if the root is free.
#include "prehend/hands/contact_ik.h"

#include <algorithm>
#include <cmath>

#include "hands/ik_model.h"
#include "prehend/core/assert.h"

namespace prehend::hands {
namespace {

// Levenberg and Marquardt's damping, as a share of the normal matrix's diagonal, and the factors by
// which it grows after a step that failed and shrinks after one that did not.
constexpr double kFirstDamping = 1e-4, kLeastDamping = 1e-10, kMostDamping = 1e8;
constexpr double kDampingUp = 8.0, kDampingDown = 0.1;
// Damping of a coordinate that nothing holds, in its own unit's inverse square.
constexpr double kFloor = 1e-6;
constexpr int kActiveRounds = 10;
constexpr int kMarginRounds = 4;
constexpr double kBent = 0.3;  // of the way to the middle of the ranges
// Falls of the cost, relative, below which a minimum is near: Newton's steps are the better ones.
constexpr double kNewtonFall = 0.3;
// A fall of the cost that is worth another step: relative, and by itself. The latter is that of a
// target that was 0.003 mm off.
constexpr double kLeastFall = 1e-5, kLeastFallBy = 1e-5;
// The same once all targets are met on a surface, where what is left is to slide along the surface
// towards the preferred pose: slow, since the surface's curvature is not in the steps.
constexpr double kSettledFall = 0.3;
// A bound predicted to be broken by more than this takes part in the step.
constexpr double kPredicted = 1e-7;  // m, or of a cosine

}  // namespace

double ContactIkResult::worst_error() const {
  double worst = 0.0;
  for (const double error : errors) worst = std::max(worst, error);
  return worst;
}

struct ContactIk::Impl {
  Impl(const Hand& hand, const ContactIkOptions& solver_options)
      : options(solver_options),
        model(hand, options),
        limits(coordinate_limits(hand)),
        best(model.tree(), model.size(), model.bound_capacity()),
        trial(model.tree(), model.size(), model.bound_capacity()),
        work(model.size(), model.tree().border_columns, model.tree().block_columns) {
    for (Eigen::VectorXd* v : {&x, &next, &start, &kept, &lower, &upper, &step, &damping}) {
      v->setZero(model.size());
    }
    fixed.assign(model.size(), 0);
    active.reserve(model.bound_capacity());
    result.coordinates.setZero(hand.dof());
    result.errors.reserve(kReservedTargets);
  }

  void begin(const ContactIkProblem& problem);
  bool border_moves() const;
  void assemble();
  bool change_active_set();
  bool find_step(double lambda);
  // Levenberg and Marquardt's steps until none helps.
  void descend(const IkGroup& group);
  // The same, and again while bounds are broken.
  void keep_bounds(const IkGroup& group);
  void set_start(int attempt);
  // The same, and from other starts if that misses.
  void minimize(const IkGroup& group, int tries);

  ContactIkOptions options;
  IkModel model;
  CoordinateLimits limits;
  IkLinear best, trial;
  BlockSystem work;
  bool newton = false;  // steps use the second derivatives too
  Eigen::VectorXd x, next, start, kept, lower, upper, step, damping;
  std::vector<char> fixed;   // columns that a step leaves at a limit
  std::vector<char> active;  // bounds that take part in a step
  ContactIkResult result;
};

void ContactIk::Impl::begin(const ContactIkProblem& problem) {
  const int joints = model.size() - 6;
  PREHEND_ASSERT(problem.preferred.size() == joints);
  PREHEND_ASSERT(problem.preference.size() == 0 || problem.preference.size() == joints);
  PREHEND_ASSERT(problem.previous.size() == problem.greatest_change.size());
  PREHEND_ASSERT(problem.previous.size() == 0 || problem.previous.size() == joints);
  PREHEND_ASSERT(problem.start.size() == 0 || problem.start.size() == joints);
  lower.head<3>().setConstant(-problem.root_shift);
  lower.segment<3>(3).setConstant(-problem.root_turn);
  upper.head<6>() = -lower.head<6>();
  lower.tail(joints) = limits.lower;
  upper.tail(joints) = limits.upper;
  x.setZero();
  const bool hasty = problem.previous.size() > 0;
  if (problem.start.size() > 0) {
    x.tail(joints) = problem.start;
  } else {
    x.tail(joints) = hasty ? problem.previous : problem.preferred;
  }
  for (int j = 0; hasty && j < joints; ++j) {
    const double change = problem.greatest_change[j], before = problem.previous[j];
    const double low = limits.lower[j], high = limits.upper[j];
    lower[6 + j] = std::clamp(before - change, low, high);
    upper[6 + j] = std::clamp(before + change, low, high);
  }
  if (problem.start_root_world) {
    const Transform& root = *problem.start_root_world;
    x.head<3>() = root.position - problem.root_world.position;
    x.segment<3>(3) =
        log_map((root.rotation * problem.root_world.rotation.conjugate()).normalized());
  }
  x = x.cwiseMax(lower).cwiseMin(upper);
  for (int d = 0; d < kDigitCount; ++d) {
    if (problem.moving[d]) continue;
    for (const int c : model.tree().block_columns[d]) lower[c] = upper[c] = x[c];
  }
  model.begin(problem, problem.root_shift > 0.0 || problem.root_turn > 0.0, x);
  result.iterations = 0;
  result.termination = Termination::kConverged;
}

bool ContactIk::Impl::border_moves() const {
  for (const int c : model.tree().border_columns) {
    if (upper[c] > lower[c]) return true;
  }
  return false;
}

// The equations of a step: the objective's and the active bounds'.
void ContactIk::Impl::assemble() {
  work.copy(best.system);
  if (newton) work.add_matrix(best.bend);
  for (size_t i = 0; i < best.bounds.size(); ++i) {
    if (!active[i]) continue;
    const IkBound& bound = best.bounds[i];
    if (bound.other_block == BlockSystem::kBorder) {
      work.add(best.row(i), bound.value, bound.weight, bound.block);
    } else {
      work.add_split(best.row(i), bound.value, bound.weight, bound.block, bound.other_block);
    }
  }
}

// Columns that the step takes out of their box stop at its side; bounds that it would break take
// part, and those that it leaves behind do no longer. False if nothing changed.
bool ContactIk::Impl::change_active_set() {
  bool changed = false;
  for (const int c : work.columns()) {
    if (fixed[c]) continue;
    const double inside = std::clamp(x[c] + step[c], lower[c], upper[c]);
    if (inside == x[c] + step[c]) continue;
    step[c] = inside - x[c];
    fixed[c] = 1;
    changed = true;
  }
  for (size_t i = 0; i < best.bounds.size(); ++i) {
    const double predicted = best.bounds[i].value + best.row(i).dot(step);
    const bool wanted = predicted < (active[i] ? kPredicted : -kPredicted);
    changed = changed || wanted != static_cast<bool>(active[i]);
    active[i] = wanted;
  }
  return changed;
}

bool ContactIk::Impl::find_step(double lambda) {
  active.clear();
  for (const IkBound& bound : best.bounds) active.push_back(bound.value < 0.0);
  assemble();
  step.setZero();
  for (const int c : work.columns()) {
    damping[c] = lambda * (best.system.diagonal(c) + kFloor);
    const double slope = work.gradient(c);
    fixed[c] = lower[c] >= upper[c] || (x[c] <= lower[c] && slope > 0.0) ||
               (x[c] >= upper[c] && slope < 0.0);
  }
  for (int round = 0; round < kActiveRounds; ++round) {
    if (round > 0) assemble();
    if (!work.solve(damping, fixed, step)) return false;
    if (!change_active_set()) break;
  }
  next = (x + step).cwiseMax(lower).cwiseMin(upper);
  return true;
}

void ContactIk::Impl::descend(const IkGroup& group) {
  model.linearize(group, x, best);
  double lambda = kFirstDamping;
  bool refused = false;
  newton = false;
  while (lambda < kMostDamping) {
    if (result.iterations >= options.max_iterations) {
      result.termination = Termination::kLimitReached;
      return;
    }
    if (!find_step(lambda)) {
      if (!newton) lambda *= kDampingUp;
      newton = false;
      continue;
    }
    if ((next - x).cwiseAbs().maxCoeff() < options.step_tolerance) return;
    ++result.iterations;
    model.linearize(group, next, trial);
    if (!(trial.cost < best.cost)) {
      if (refused && model.settled(best)) return;
      lambda *= kDampingUp;
      newton = false;
      refused = true;
      continue;
    }
    const double fall = best.cost - trial.cost;
    const double least = model.settled(trial) ? kSettledFall : kLeastFall;
    const bool done = fall < least * best.cost + kLeastFallBy;
    newton = fall < kNewtonFall * best.cost;
    // Less damping was just too little.
    if (!refused) lambda = std::max(kLeastDamping, kDampingDown * lambda);
    refused = false;
    std::swap(best, trial);
    x = next;
    if (done) return;
  }
}

void ContactIk::Impl::keep_bounds(const IkGroup& group) {
  model.heed_bounds(true);
  descend(group);
  for (int round = 0; round < kMarginRounds && model.raise_margins(best); ++round) descend(group);
}

// Where another try begins. First as the paper does: to the targets through everything, then out of
// what was entered. Then a little towards the middle of the joints' ranges, since a straight finger
// that is too long for its target does not know which way to bend. Then from the ranges' other
// side.
void ContactIk::Impl::set_start(int attempt) {
  for (const int c : best.system.columns()) {
    const double middle = 0.5 * (lower[c] + upper[c]);
    if (attempt == 1) x[c] = start[c];
    if (attempt == 2) x[c] += kBent * (middle - x[c]);
    if (attempt == 3) x[c] = 2.0 * middle - x[c];
  }
}

void ContactIk::Impl::minimize(const IkGroup& group, int tries) {
  start = x;
  model.clear_margins();
  keep_bounds(group);
  double cost = model.true_cost(best);
  for (int attempt = 1; attempt < tries && model.misses(best); ++attempt) {
    if (attempt == 1 && best.bounds.empty()) continue;
    kept = x;
    set_start(attempt);
    model.clear_margins();
    model.heed_bounds(false);
    descend(group);
    keep_bounds(group);
    const double other = model.true_cost(best);
    if (other < cost) {
      cost = other;
    } else {
      x = kept;
      model.linearize(group, x, best);
    }
  }
}

ContactIk::ContactIk(const Hand& hand, const ContactIkOptions& options)
    : impl_(std::make_unique<Impl>(hand, options)) {}
ContactIk::~ContactIk() = default;
ContactIk::ContactIk(ContactIk&&) noexcept = default;
ContactIk& ContactIk::operator=(ContactIk&&) noexcept = default;

const ContactIkResult& ContactIk::solve(const ContactIkProblem& problem) {
  Impl& impl = *impl_;
  impl.begin(problem);
  const IkTree& tree = impl.model.tree();
  if (impl.border_moves()) {
    impl.minimize(tree.whole, impl.options.tries);
    impl.model.report(impl.x, impl.result);
    return impl.result;
  }
  for (int d = 0; d < kDigitCount; ++d) {
    if (!problem.moving[d] || tree.block_columns[d].empty()) continue;
    impl.minimize(tree.digits[d], impl.options.tries);
  }
  impl.model.report(impl.x, impl.result);
  if (problem.keep_apart &&
      impl.result.self_penetration.depth > impl.options.penetration_tolerance) {
    impl.minimize(tree.all_digits, 1);
    impl.model.report(impl.x, impl.result);
  }
  return impl.result;
}

}  // namespace prehend::hands
