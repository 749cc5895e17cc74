// Search without derivatives inside a box, limited by evaluations.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <Eigen/Core>

namespace prehend::optimize {

enum class BlackBoxMethod {
  kDynamicHillClimbing,
  kSimulatedAnnealing,
  kGeneticAlgorithm,
  kCmaEs,
};
const char* to_string(BlackBoxMethod method);  // "dhc", "annealing", "genetic", "cma-es"
const std::vector<BlackBoxMethod>& black_box_methods();

struct BlackBoxOptions {
  BlackBoxMethod method = BlackBoxMethod::kDynamicHillClimbing;
  // So often the function is called: methods that converge sooner start again elsewhere.
  int evaluations = 600;
  std::uint64_t seed = 1;
};

struct BlackBoxResult {
  Eigen::VectorXd x;  // best seen
  double value = 0.0;
  int evaluations = 0;
  // Best value so far after each evaluation; its length is `evaluations`.
  std::vector<double> history;
};

using Objective = std::function<double(const Eigen::VectorXd& x)>;

// Minimizes. `start`, if it has entries, is moved into the bounds, evaluated first and searched
// from; otherwise a random point is. What is not a number counts as infinitely bad. Bounds are
// finite, lower < upper.
BlackBoxResult minimize_black_box(const Objective& objective, const Eigen::VectorXd& lower,
                                  const Eigen::VectorXd& upper, const Eigen::VectorXd& start,
                                  const BlackBoxOptions& options = {});

}  // namespace prehend::optimize
