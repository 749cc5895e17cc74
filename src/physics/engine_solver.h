// Our own solver of the engine's constraints.
#pragma once

#include <memory>
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

// Does what the engine's mj_fwdConstraint does, from the same inputs into the same outputs: called
// after mj_fwdAcceleration, it finds accelerations and constraint forces, and keeps the former for
// the next warm start. Its scratch lasts, so that after the first calls nothing is allocated.
class ConstraintSolver {
 public:
  ConstraintSolver();
  ~ConstraintSolver();
  ConstraintSolver(ConstraintSolver&&) noexcept;
  ConstraintSolver& operator=(ConstraintSolver&&) noexcept;

  // What is not for it to solve is the engine's: nothing at all, pyramids, no-slip rounds,
  // sparse Jacobians.
  static bool knows(const mjModel* m, const mjData* d);
  void solve(const mjModel* m, mjData* d, const SolverStructure& structure);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace prehend::physics
