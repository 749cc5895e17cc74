// Complementarity problems of 1 to 20 contacts, from nothing and from the last active set, and
// whole steps of a replay with all five fingertips pressed on a floor.
#include <benchmark/benchmark.h>

#include "../tests/methods/interaction/interaction_fixture.h"
#include "../tests/optimize/random_lcp.h"
#include "prehend/optimize/lcp.h"

namespace {

using namespace prehend;

void BM_Lcp(benchmark::State& state) {
  std::mt19937 random(4);
  std::vector<optimize::RandomLcp> problems;
  for (int i = 0; i < 32; ++i)
    problems.push_back(optimize::friction_lcp(static_cast<int>(state.range(0)), 8, random));
  optimize::LcpSolver solver;
  optimize::LcpResult result;
  size_t i = 0;
  for (auto _ : state) {
    const auto& lcp = problems[i++ % problems.size()];
    solver.solve(lcp.matrix, lcp.vector, {}, result);
    benchmark::DoNotOptimize(result.z);
  }
}
BENCHMARK(BM_Lcp)->Arg(1)->Arg(2)->Arg(5)->Arg(10)->Arg(15)->Arg(20)->Unit(benchmark::kMicrosecond);

void BM_LcpGuessed(benchmark::State& state) {
  std::mt19937 random(4);
  std::vector<optimize::RandomLcp> problems;
  std::vector<std::vector<char>> guesses;
  optimize::LcpSolver solver;
  optimize::LcpResult result;
  for (int i = 0; i < 32; ++i) {
    problems.push_back(optimize::friction_lcp(static_cast<int>(state.range(0)), 8, random));
    solver.solve(problems.back().matrix, problems.back().vector, {}, result);
    guesses.push_back(result.active);
  }
  size_t i = 0;
  for (auto _ : state) {
    const size_t k = i++ % problems.size();
    solver.solve(problems[k].matrix, problems[k].vector, guesses[k], result);
    benchmark::DoNotOptimize(result.z);
  }
}
BENCHMARK(BM_LcpGuessed)
    ->Arg(1)
    ->Arg(2)
    ->Arg(5)
    ->Arg(10)
    ->Arg(15)
    ->Arg(20)
    ->Unit(benchmark::kMicrosecond);

// The hand comes down with five bent fingers, presses 6 mm deep and strokes: about ten contacts.
void BM_Replay(benchmark::State& state) {
  interaction::ReplayProblem problem;
  problem.trajectory = interaction::press(0.006, 0.03);
  const Hand& hand = *problem.trajectory.hand;
  for (Eigen::VectorXd& q : problem.trajectory.coordinates)
    for (const Digit digit : kDigits)
      for (const int s : hands::segments_of(hand, digit))
        if (hand.segments[s].phalanx > 0) hands::set_angles(hand, s, radians(32), 0.0, q);
  problem.floor_height = 0.0;
  double seconds = 0.0, simulated = 0.0, contacts = 0.0;
  for (auto _ : state) {
    const auto report = interaction::run_replay(problem);
    seconds += report->processor_seconds;
    simulated += report->steps * 0.002;
    contacts = report->mean_contacts;
  }
  state.counters["realtime"] = simulated / seconds;
  state.counters["contacts"] = contacts;
}
BENCHMARK(BM_Replay)->Unit(benchmark::kMillisecond);

}  // namespace
