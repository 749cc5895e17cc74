// One step of a manipulation: the fast path and Ipopt on the same problems, and the fast path's
// cost against the number of contacts. The problems are those of a hand that lifts a box.
#include <benchmark/benchmark.h>

#include <ctime>

#include "../tests/methods/manipulation/manipulation_fixture.h"
#include "../tests/methods/manipulation/step_ipopt.h"
#include "methods/manipulation/contact_set.h"
#include "methods/manipulation/grip.h"
#include "prehend/methods/manipulation/manipulation.h"

namespace {

using namespace prehend;
using namespace prehend::manipulation;

// Solves every sixth step's problem again while the box is lifted. "step_ms" is processor time.
template <class Solve>
void run_steps(benchmark::State& state, Solve solve) {
  double steps = 0.0, seconds = 0.0;
  for (auto _ : state) {
    auto made = Manipulation::make(box_problem());
    if (!made) return state.SkipWithError(made.message().c_str());
    int count = 0;
    (*made)->observe([&](double time, StepProblem& problem, const StepSolution& fast) {
      if (time < 0.0 || ++count % 6 != 0) return;
      const std::clock_t begin = std::clock();
      solve(problem, fast);
      seconds += double(std::clock() - begin) / CLOCKS_PER_SEC;
      ++steps;
    });
    while ((*made)->step()) {
    }
  }
  state.counters["steps"] = steps;
  state.counters["step_ms"] = 1e3 * seconds / std::max(1.0, steps);
}

void BM_ManipulateStepFast(benchmark::State& state) {
  run_steps(state, [](StepProblem& problem, const StepSolution&) {
    StepSolver solver;
    StepSolution again;
    solver.solve(problem, problem.start(), again);
    benchmark::DoNotOptimize(again.x);
  });
}
BENCHMARK(BM_ManipulateStepFast)->Iterations(3)->Unit(benchmark::kMillisecond);

void BM_ManipulateStepIpopt(benchmark::State& state) {
  run_steps(state, [](StepProblem& problem, const StepSolution& fast) {
    const StepReference answer = solve_step_with_ipopt(problem, problem.start(), fast.x);
    benchmark::DoNotOptimize(answer.x);
  });
}
BENCHMARK(BM_ManipulateStepIpopt)->Iterations(1)->Unit(benchmark::kMillisecond);

// A hand that holds the box in the air, with so many contacts: those that it has, left out from the
// last, or repeated a millimeter beside.
void BM_ManipulateContacts(benchmark::State& state) {
  const Problem problem = box_problem();
  const Options options;
  System system(problem, options);
  Moment now = system.start();
  now.coordinates[0] = find_grip(problem, problem.grips[0]).coordinates;
  const Moment before = now;
  system.place(now);
  ContactSet found;
  found.update(system, {Vec3::Zero(), Vec3::Zero()}, {Vec3::Zero(), Vec3::Zero()}, options.timestep,
               true);
  std::erase_if(found.points, [](const ContactPoint& c) { return !c.of_hand(); });
  const size_t own = found.points.size();
  std::vector<ContactPoint> contacts;
  for (size_t i = 0; i < size_t(state.range(0)); ++i) {
    contacts.push_back(found.points[i % own]);
    contacts.back().point_world.x() += 1e-3 * double(i / own);
    contacts.back().kind = ContactKind::kResting;
    set_edges(contacts.back());
  }
  GoalTracker goal(problem.goals[0]);
  goal.aim(system, 0.1, options.timestep);
  StepInput input;
  input.before = &before;
  input.now = &now;
  input.contacts = contacts;
  input.goals = std::span(&goal, 1);
  input.goal_active = {1};
  input.grip_most = input.grip_wanted = {0.0, 0.0};
  input.pushes = {Vec3::Zero(), Vec3::Zero()};
  input.wrist_pushes = {Vec3::Zero()};
  input.poses.resize(1);
  input.torque_before.setZero(system.layout().joints);
  StepProblem step(system, options);
  StepSolver solver;
  StepSolution solution;
  for (auto _ : state) {
    step.prepare(input);
    solver.solve(step, step.start(), solution);
    benchmark::DoNotOptimize(solution.x);
  }
  state.counters["variables"] = step.size();
  state.counters["programs"] = solution.iterations;
}
BENCHMARK(BM_ManipulateContacts)
    ->Arg(2)
    ->Arg(5)
    ->Arg(10)
    ->Arg(15)
    ->Arg(20)
    ->Unit(benchmark::kMicrosecond);

}  // namespace
