// Simulated annealing, a genetic algorithm and CMA-ES from pagmo, kept here as its headers take
// long to compile.
#include <algorithm>
#include <cmath>

#include <pagmo/algorithms/cmaes.hpp>
#include <pagmo/algorithms/sga.hpp>
#include <pagmo/algorithms/simulated_annealing.hpp>
#include <pagmo/population.hpp>
#include <pagmo/problem.hpp>

#include "optimize/search.h"
#include "prehend/core/random.h"

namespace prehend::optimize {
namespace {

// Stands for infinities: pagmo subtracts values.
constexpr double kWorst = 1e300;

// The only way to end pagmo's methods at a number of evaluations.
struct BudgetSpent {};

// pagmo copies problems, so this only points.
struct UnitProblem {
  Search* search = nullptr;

  pagmo::vector_double fitness(const pagmo::vector_double& x) const {
    if (search->left() == 0) throw BudgetSpent{};
    const double value =
        search->evaluate_unit(Eigen::Map<const Eigen::VectorXd>(x.data(), search->dimension()));
    return {std::clamp(value, -kWorst, kWorst)};
  }
  std::pair<pagmo::vector_double, pagmo::vector_double> get_bounds() const {
    const auto n = static_cast<size_t>(search ? search->dimension() : 1);
    return {pagmo::vector_double(n, 0.0), pagmo::vector_double(n, 1.0)};
  }
};

class PagmoSearch {
 public:
  PagmoSearch(Search& search, const SearchStart& start, std::uint64_t seed)
      : search_(search), start_(start), random_(seed) {}

  // Temperatures are differences of values that are still accepted, so a few random points are
  // asked how much values differ: between their median and their least, which penalties do not
  // reach as long as half of the points have none.
  void anneal() {
    const int probes = std::max(4, search_.budget() / 20);
    pagmo::population all = population(probes);
    pagmo::population one(problem(), 0, seed());
    one.push_back(all.champion_x(), all.champion_f());
    std::vector<double> values;
    for (const auto& f : all.get_f()) values.push_back(f[0]);
    std::sort(values.begin(), values.end());
    const double spread = values[values.size() / 2] - values.front();
    const double hot = kHot * (spread > 0.0 && spread < kWorst / 2 ? spread : 1.0);
    const int rounds = search_.left() / (kBin * search_.dimension()) + 1;
    pagmo::simulated_annealing method(hot, kCold * hot, static_cast<unsigned>(rounds), 1, kBin,
                                      kRange, seed());
    while (true) one = method.evolve(one);
  }

  void breed() {
    const int size = std::clamp(search_.budget() / 25 / 2 * 2, 10, 60);
    const auto generations = static_cast<unsigned>(search_.budget() / size + 1);
    pagmo::sga method(generations, 0.9, 2.0, 1.0 / search_.dimension(), 20.0, 3, "sbx",
                      "polynomial", "tournament", seed());
    method.evolve(population(size));
  }

  // Converges, then starts again with twice the population, from anywhere.
  void adapt() {
    int size = std::max(5, 4 + static_cast<int>(3.0 * std::log(search_.dimension())));
    pagmo::population first = population(size);
    while (true) {
      pagmo::cmaes method(static_cast<unsigned>(search_.budget()), -1, -1, -1, -1, kSigma, 1e-13,
                          1e-10, false, true, seed());
      method.evolve(first);
      size = std::min(2 * size, std::max(search_.budget() / 10, 5));
      first = pagmo::population(problem(), static_cast<unsigned>(size), seed());
    }
  }

 private:
  // Annealing: moves of one temperature before the range is adapted; the first range as a share of
  // the variables'; the first temperature as a share of the difference between the median and the
  // best of random points; the last temperature as a share of the first.
  static constexpr int kBin = 4;
  static constexpr double kRange = 0.5, kHot = 0.3, kCold = 1e-6;
  static constexpr double kSigma = 0.25;  // CMA-ES: first spread, as a share of the range

  unsigned seed() { return static_cast<unsigned>(random_.bits() >> 32); }
  pagmo::problem problem() const { return pagmo::problem(UnitProblem{&search_}); }
  // The start and random points.
  pagmo::population population(int size) {
    pagmo::population result(problem(), 0, seed());
    const double value = std::clamp(start_.value, -kWorst, kWorst);
    result.push_back({start_.unit.begin(), start_.unit.end()}, {value});
    while (static_cast<int>(result.size()) < size)
      result.push_back(result.random_decision_vector());
    return result;
  }

  Search& search_;
  const SearchStart& start_;
  Random random_;
};

}  // namespace

void search_with_pagmo(BlackBoxMethod method, Search& search, const SearchStart& start,
                       std::uint64_t seed) {
  PagmoSearch pagmo(search, start, seed);
  try {
    if (method == BlackBoxMethod::kSimulatedAnnealing) pagmo.anneal();
    if (method == BlackBoxMethod::kGeneticAlgorithm) pagmo.breed();
    if (method == BlackBoxMethod::kCmaEs) pagmo.adapt();
  } catch (const BudgetSpent&) {
  }
}

}  // namespace prehend::optimize
