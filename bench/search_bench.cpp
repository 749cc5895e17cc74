// The mixture's density, and what each black-box method costs beside its objective.
#include <benchmark/benchmark.h>

#include "prehend/core/random.h"
#include "prehend/optimize/black_box.h"
#include "prehend/optimize/mixture.h"
#include "prehend/optimize/pca.h"

namespace {

using namespace prehend::optimize;

Mixture mixture_of(int components, int dimension) {
  prehend::Random random(3);
  std::vector<Gaussian> parts;
  for (int k = 0; k < components; ++k) {
    Gaussian part{1.0 / components, Eigen::VectorXd(dimension),
                  Eigen::MatrixXd::Identity(dimension, dimension)};
    for (double& entry : part.mean) entry = random.normal();
    part.covariance *= random.uniform(0.2, 1.0);
    parts.push_back(std::move(part));
  }
  return Mixture(std::move(parts));
}

Eigen::MatrixXd samples_of(int count, int dimension) {
  prehend::Random random(5);
  Eigen::MatrixXd samples(count, dimension);
  for (double& entry : samples.reshaped()) entry = random.normal();
  // Four clusters.
  for (int i = 0; i < count; ++i) samples.row(i).array() += 4.0 * (i % 4);
  return samples;
}

void BM_LogDensity(benchmark::State& state) {
  const int dimension = static_cast<int>(state.range(1));
  const Mixture mixture = mixture_of(static_cast<int>(state.range(0)), dimension);
  const Eigen::MatrixXd points = samples_of(256, dimension).transpose();
  Eigen::Index i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(mixture.log_density(points.col(i++ % 256)));
  }
}
BENCHMARK(BM_LogDensity)->Args({8, 3})->Args({12, 3})->Args({8, 10});

void BM_LogDensityGradient(benchmark::State& state) {
  const Mixture mixture = mixture_of(8, 3);
  const Eigen::MatrixXd points = samples_of(256, 3).transpose();
  Eigen::VectorXd gradient(3);
  Eigen::Index i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(mixture.log_density(points.col(i++ % 256), gradient));
  }
}
BENCHMARK(BM_LogDensityGradient);

void BM_FitMixtureByBic(benchmark::State& state) {
  const Eigen::MatrixXd samples = samples_of(static_cast<int>(state.range(0)), 3);
  for (auto _ : state) benchmark::DoNotOptimize(fit_mixture_by_bic(samples).log_likelihood);
}
BENCHMARK(BM_FitMixtureByBic)->Arg(1000)->Arg(4000)->Unit(benchmark::kMillisecond);

void BM_FitPca(benchmark::State& state) {
  const Eigen::MatrixXd samples = samples_of(4000, 45);
  for (auto _ : state) benchmark::DoNotOptimize(fit_pca(samples).variances);
}
BENCHMARK(BM_FitPca)->Unit(benchmark::kMillisecond);

// Time of an evaluation whose objective is free: the method's own.
void BM_BlackBoxEvaluation(benchmark::State& state) {
  const BlackBoxMethod method = black_box_methods()[static_cast<size_t>(state.range(0))];
  state.SetLabel(to_string(method));
  const Eigen::VectorXd lower = Eigen::VectorXd::Constant(6, -1.0), upper = -lower;
  const Objective objective = [](const Eigen::VectorXd& x) {
    return (x.array() - 0.3).abs().sum();
  };
  BlackBoxOptions options{method, 600, 1};
  std::int64_t evaluations = 0;
  for (auto _ : state) {
    evaluations += minimize_black_box(objective, lower, upper, {}, options).evaluations;
    ++options.seed;
  }
  state.counters["evaluation"] = benchmark::Counter(
      static_cast<double>(evaluations), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(BM_BlackBoxEvaluation)->DenseRange(0, 3)->Unit(benchmark::kMicrosecond);

}  // namespace
