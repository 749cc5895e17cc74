// The cone program, ours and Ipopt's, on the same grasps.
#include <benchmark/benchmark.h>

#include "../tests/optimize/cone_program_ipopt.h"
#include "../tests/optimize/random_grasp.h"

namespace {

using namespace prehend::optimize;

struct Grasp {
  std::vector<ConeContact> contacts;
  Eigen::Matrix<double, 6, 1> wrench;
};

// Feasible grasps, the same for both solvers.
std::vector<Grasp> grasps(int contacts, int count) {
  std::mt19937 random(2);
  std::vector<Grasp> all;
  while (static_cast<int>(all.size()) < count) {
    Grasp g{random_grasp(contacts, random, 0.02), random_wrench(random)};
    if (solve_cone_program(g.contacts, g.wrench).feasible) all.push_back(std::move(g));
  }
  return all;
}

void BM_ConeProgram(benchmark::State& state) {
  const std::vector<Grasp> all = grasps(static_cast<int>(state.range(0)), 64);
  ConeProgram program;
  ConeProgramResult result;
  size_t i = 0;
  for (auto _ : state) {
    const Grasp& g = all[i++ % all.size()];
    program.solve(g.contacts, g.wrench, result);
    benchmark::DoNotOptimize(result.total_normal);
  }
}
BENCHMARK(BM_ConeProgram)->Arg(4)->Arg(10)->Arg(20)->Unit(benchmark::kMicrosecond);

void BM_ConeProgramInfeasible(benchmark::State& state) {
  // A pull away from contacts on one side only.
  std::mt19937 random(2);
  std::vector<ConeContact> contacts;
  for (int i = 0; i < 10; ++i) {
    const double angle = 0.6 * i;
    contacts.push_back(contact_at({0.03 * std::cos(angle), 0.0, 0.03 * std::sin(angle)},
                                  Eigen::Vector3d::UnitY(), 0.6, 0.02));
  }
  Eigen::Matrix<double, 6, 1> wrench;
  wrench << 1.0, 0.5, 0.0, 0.0, 0.01, 0.0;
  ConeProgram program;
  ConeProgramResult result;
  for (auto _ : state) {
    program.solve(contacts, wrench, result);
    benchmark::DoNotOptimize(result.residual);
  }
}
BENCHMARK(BM_ConeProgramInfeasible)->Unit(benchmark::kMicrosecond);

void BM_ConeProgramIpopt(benchmark::State& state) {
  const std::vector<Grasp> all = grasps(static_cast<int>(state.range(0)), 64);
  auto ipopt = quiet_ipopt();
  size_t i = 0;
  for (auto _ : state) {
    const Grasp& g = all[i++ % all.size()];
    Ipopt::SmartPtr<ConeProgramNlp> nlp = new ConeProgramNlp(g.contacts, g.wrench);
    ipopt->OptimizeTNLP(nlp);
    benchmark::DoNotOptimize(nlp->total_normal);
  }
}
BENCHMARK(BM_ConeProgramIpopt)->Arg(10)->Unit(benchmark::kMicrosecond);

}  // namespace
