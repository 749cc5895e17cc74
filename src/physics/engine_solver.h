// Our own solver of the engine's constraints.
#pragma once

#include <vector>

#include "physics/engine.h"

namespace prehend::physics {

// What a model's matrices look like once its degrees of freedom are put in order. Any order gives
// the same answer, one in which what does not touch comes first gives it sooner.
struct SolverStructure {
  struct Entry {
    int row, column;  // in order; column <= row
  };
  std::vector<int> order;      // the degree of freedom at each place
  std::vector<Entry> inertia;  // of the numbers of mjData::qM
  std::vector<int> first;      // column at which each row of the inertia begins
};
SolverStructure solver_structure(const mjModel& model, std::vector<int> order);

// While it lives, this thread's mj_fwdConstraint solves in this structure; without one it is the
// engine's own.
class SolverScope {
 public:
  explicit SolverScope(const SolverStructure& structure);
  ~SolverScope();
  SolverScope(const SolverScope&) = delete;
  SolverScope& operator=(const SolverScope&) = delete;
};

}  // namespace prehend::physics
