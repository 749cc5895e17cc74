// Grasp quality: the weakest wrench, the least grip, the squeeze, on random grasps that close.
#include <benchmark/benchmark.h>

#include "../tests/physics/random_contacts.h"

namespace {

using namespace prehend;
using namespace prehend::physics;

std::vector<std::vector<GraspContact>> grasps(const benchmark::State& state) {
  // Without torsion, so that they have a squeeze.
  const GraspQualityOptions hard{{0.6, 0.0}};
  std::mt19937 random(3);
  std::vector<std::vector<GraspContact>> all;
  for (int i = 0; i < 64; ++i) {
    all.push_back(random_closed_grasp(static_cast<int>(state.range(0)), random, hard));
  }
  return all;
}

template <class Call>
void on_grasps(benchmark::State& state, const Call& call) {
  const auto all = grasps(state);
  size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(call(all[i++ % all.size()]));
}

void BM_ForceClosure(benchmark::State& state) {
  const Object object = ball_object();
  on_grasps(state, [&](const auto& g) { return force_closure(g, object).epsilon; });
}
BENCHMARK(BM_ForceClosure)->Arg(5)->Arg(10)->Arg(20)->Unit(benchmark::kMicrosecond);

void BM_ForceClosureNone(benchmark::State& state) {
  const Object object = ball_object();
  std::mt19937 random(3);
  auto one_side = random_contacts(10, random);
  for (GraspContact& c : one_side) c.normal.y() = std::abs(c.normal.y()) + 1.0;
  for (GraspContact& c : one_side) c.normal.normalize();
  for (auto _ : state) benchmark::DoNotOptimize(force_closure(one_side, object).epsilon);
}
BENCHMARK(BM_ForceClosureNone)->Unit(benchmark::kMicrosecond);

void BM_LeastGripForceAnyWay(benchmark::State& state) {
  const Object object = ball_object();
  on_grasps(state, [&](const auto& g) { return least_grip_force_any_way(g, object, 9.81); });
}
BENCHMARK(BM_LeastGripForceAnyWay)->Arg(10)->Unit(benchmark::kMicrosecond);

void BM_BalancedSqueeze(benchmark::State& state) {
  const Object object = ball_object();
  const std::vector<double> preferred(static_cast<size_t>(state.range(0)), 2.0);
  on_grasps(state, [&](const auto& g) { return balanced_squeeze(g, object, preferred).residual; });
}
BENCHMARK(BM_BalancedSqueeze)->Arg(5)->Arg(15)->Arg(30)->Unit(benchmark::kMicrosecond);

}  // namespace
