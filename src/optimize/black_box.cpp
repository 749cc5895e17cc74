#include "prehend/optimize/black_box.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "optimize/search.h"
#include "prehend/core/random.h"

namespace prehend::optimize {

Search::Search(const Objective& objective, const Eigen::VectorXd& lower,
               const Eigen::VectorXd& upper, int budget)
    : objective_(objective), lower_(lower), upper_(upper), budget_(budget), x_(lower) {
  result_.x = lower;
  result_.value = std::numeric_limits<double>::infinity();
  result_.history.reserve(static_cast<size_t>(budget));
}

double Search::evaluate(const Eigen::VectorXd& x) {
  assert(left() > 0);
  double value = objective_(x);
  if (std::isnan(value)) value = std::numeric_limits<double>::infinity();
  // The first counts even when it is infinitely bad: x is always a point that was seen.
  if (value < result_.value || result_.evaluations == 0) {
    result_.value = value;
    result_.x = x;
  }
  ++result_.evaluations;
  result_.history.push_back(result_.value);
  return value;
}

double Search::evaluate_unit(const Eigen::VectorXd& unit) {
  // Rounding may leave the box by a bit, which an objective need not stand.
  x_ = (lower_ + unit.cwiseProduct(upper_ - lower_)).cwiseMax(lower_).cwiseMin(upper_);
  return evaluate(x_);
}

Eigen::VectorXd Search::to_unit(const Eigen::VectorXd& x) const {
  return (x - lower_).cwiseQuotient(upper_ - lower_).cwiseMax(0.0).cwiseMin(1.0);
}

const char* to_string(BlackBoxMethod method) {
  switch (method) {
    case BlackBoxMethod::kDynamicHillClimbing:
      return "dhc";
    case BlackBoxMethod::kSimulatedAnnealing:
      return "annealing";
    case BlackBoxMethod::kGeneticAlgorithm:
      return "genetic";
    case BlackBoxMethod::kCmaEs:
      return "cma-es";
  }
  return "";
}

const std::vector<BlackBoxMethod>& black_box_methods() {
  static const std::vector<BlackBoxMethod> methods = {
      BlackBoxMethod::kDynamicHillClimbing, BlackBoxMethod::kSimulatedAnnealing,
      BlackBoxMethod::kGeneticAlgorithm, BlackBoxMethod::kCmaEs};
  return methods;
}

BlackBoxResult minimize_black_box(const Objective& objective, const Eigen::VectorXd& lower,
                                  const Eigen::VectorXd& upper, const Eigen::VectorXd& start,
                                  const BlackBoxOptions& options) {
  assert(lower.size() > 0 && upper.size() == lower.size() && (lower.array() < upper.array()).all());
  assert(start.size() == 0 || start.size() == lower.size());
  Search search(objective, lower, upper, std::max(0, options.evaluations));
  if (search.left() == 0) return search.result();
  Random random(options.seed);
  SearchStart first;
  if (start.size() > 0) {
    const Eigen::VectorXd inside = start.cwiseMax(lower).cwiseMin(upper);
    first = {search.to_unit(inside), search.evaluate(inside)};
  } else {
    first.unit = lower.unaryExpr([&](double) { return random.uniform(); });
    first.value = search.evaluate_unit(first.unit);
  }
  if (options.method == BlackBoxMethod::kDynamicHillClimbing) {
    climb_dynamically(search, first, random.bits());
  } else {
    search_with_pagmo(options.method, search, first, random.bits());
  }
  return search.result();
}

}  // namespace prehend::optimize
