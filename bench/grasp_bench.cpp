// Grasp synthesis: the paper's comparison of optimizers (figure 5) and of mesh sizes (table 1) on
// the bunny, and what each stage of a candidate costs.
#include <benchmark/benchmark.h>

#include <array>
#include <chrono>
#include <cmath>
#include <map>

#include "prehend/core/hand_builder.h"
#include "prehend/geometry/builtin.h"
#include "prehend/geometry/decimate.h"
#include "prehend/geometry/surface_points.h"
#include "prehend/methods/grasp_space/examples.h"
#include "prehend/methods/grasp_space/grasp.h"
#include "prehend/methods/grasp_space/train.h"

namespace prehend::grasp_space {
namespace {

using optimize::BlackBoxMethod;

constexpr double kPalmGap = 0.035;  // m between the palm's skin and the object's top

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Trained once for all benchmarks.
std::shared_ptr<const GraspSpace> space_of(int dimension) {
  static std::map<int, std::shared_ptr<const GraspSpace>> made;
  if (const auto found = made.find(dimension); found != made.end()) return found->second;
  static const Eigen::MatrixXd samples =
      pose_samples(example_motions(), TrainOptions{}.least_change).value();
  TrainOptions options;
  options.dimension = dimension;
  return made[dimension] = std::make_shared<const GraspSpace>(train(samples, options)->space);
}

GraspProblem problem_of(Object object, int dimension) {
  GraspProblem problem;
  problem.hand = std::make_shared<const Hand>(build_hand().value());
  problem.object = std::make_shared<const Object>(std::move(object));
  problem.space = space_of(dimension);
  return problem;
}

// The hand's position, "user specified" in the paper: palm down over the center of mass, which on
// the bunny is the back. The shape that a trial starts from is the open hand's.
Stance stance_above(const GraspTarget& target, const GraspSpace& space) {
  Vec3 palm(0.0, 0.3, 0.0);
  double gap = INFINITY;
  while (gap > 1e-5) {
    gap = target.prepared->exact()->sample(palm).distance - kPalmGap;
    palm.y() -= gap;
  }
  return {Transform::from_position(palm), space.open};
}

// Two shape parameters and three rotations: five, as in the paper.
SearchOptions five_parameters(BlackBoxMethod method, std::uint64_t seed) {
  SearchOptions options;
  options.method = method;
  options.distance = options.position = false;
  options.seed = seed;
  return options;
}

// One trial of 600 evaluations an iteration, seeds 1 to 100.
void figure_5(benchmark::State& state, const std::string& name, BlackBoxMethod method) {
  const auto object = geometry::builtin_object(name);
  if (!object) return state.SkipWithError("no assets; run script/bootstrap");
  const GraspProblem problem = problem_of(*object, 2);
  const GraspTarget target = prepare_target(problem, GraspOptions{}.search_faces).value();
  GraspSearch search(*problem.hand, *problem.space, target.metric);
  const Stance stance = stance_above(target, *problem.space);
  double sum = 0.0, squares = 0.0;
  std::uint64_t seed = 0;
  for (auto _ : state) {
    const double metric = search.run(stance, five_parameters(method, ++seed)).metric;
    sum += metric;
    squares += metric * metric;
  }
  const double trials = static_cast<double>(seed), mean = sum / trials;
  state.counters["metric_mean"] = mean;
  state.counters["metric_deviation"] =
      std::sqrt(std::max(0.0, squares - trials * mean * mean) / (trials - 1.0));
  state.counters["metric_start"] = search.metric(stance.palm_object, stance.reduced);
}

const std::array<std::pair<const char*, BlackBoxMethod>, 4> kMethods = {{
    {"dhc", BlackBoxMethod::kDynamicHillClimbing},
    {"annealing", BlackBoxMethod::kSimulatedAnnealing},
    {"genetic", BlackBoxMethod::kGeneticAlgorithm},
    {"cma_es", BlackBoxMethod::kCmaEs},
}};

// As in ordinary use: random stances, three shape parameters, three rotations and the distance.
void random_stances(benchmark::State& state, const std::string& name, BlackBoxMethod method) {
  const auto object = geometry::builtin_object(name);
  if (!object) return state.SkipWithError("no assets; run script/bootstrap");
  const GraspProblem problem = problem_of(*object, 3);
  const GraspTarget target = prepare_target(problem, GraspOptions{}.search_faces).value();
  GraspSearch search(*problem.hand, *problem.space, target.metric);
  const geometry::SurfaceSampler sampler(*target.search_mesh);
  const auto& parts = problem.space->mixture.parts();
  double sum = 0.0;
  std::uint64_t seed = 0;
  for (auto _ : state) {
    Random random(++seed);
    const geometry::SurfacePoint at = sampler.draw(random);
    const Quat facing = Quat::FromTwoVectors(Vec3::UnitY(), at.normal) *
                        exp_map(random.uniform(0.0, 2.0 * kPi) * Vec3::UnitY());
    const Stance stance{{facing, at.point + random.uniform(0.02, 0.06) * at.normal},
                        parts[random.below(static_cast<int>(parts.size()))].mean};
    SearchOptions options;
    options.method = method;
    options.seed = seed;
    sum += search.run(stance, options).metric;
  }
  state.counters["metric_mean"] = sum / static_cast<double>(seed);
}

// The bunny with as many faces. A closed surface has an even number of them, so the paper's odd
// ones are missed by one; more than the scan's 69,000 come from cutting each into four and taking
// some away again.
Result<Object> bunny_of(int faces) {
  auto bunny = geometry::builtin_object("bunny");
  if (!bunny) return bunny;
  TriangleMesh mesh = *bunny->shape.mesh;
  while (static_cast<int>(mesh.faces.size()) < faces) mesh = geometry::subdivide(mesh);
  bunny->shape.mesh = std::make_shared<const TriangleMesh>(geometry::decimate(mesh, faces));
  return bunny;
}

// 600 evaluations after loading: the field holds what a run with the same seed asked for.
void BM_GraspTable1(benchmark::State& state) {
  const int faces = static_cast<int>(state.range(0));
  auto object = bunny_of(faces);
  if (!object) return state.SkipWithError("no assets; run script/bootstrap");
  const GraspProblem problem = problem_of(std::move(*object), 2);
  auto start = std::chrono::steady_clock::now();
  const GraspTarget target = prepare_target(problem, faces).value();
  state.counters["load_s"] = seconds_since(start);
  GraspSearch search(*problem.hand, *problem.space, target.metric);
  const Stance stance = stance_above(target, *problem.space);
  const SearchOptions options = five_parameters(BlackBoxMethod::kDynamicHillClimbing, 1);
  start = std::chrono::steady_clock::now();
  search.run(stance, options);
  state.counters["cold_ms"] = 1e3 * seconds_since(start);
  for (auto _ : state) benchmark::DoNotOptimize(search.run(stance, options).metric);
  // Another search at the same place finds most of its bricks filled, not all.
  start = std::chrono::steady_clock::now();
  search.run(stance, five_parameters(BlackBoxMethod::kDynamicHillClimbing, 2));
  state.counters["other_seed_ms"] = 1e3 * seconds_since(start);
  state.counters["faces"] = static_cast<double>(target.search_mesh->faces.size());
}
BENCHMARK(BM_GraspTable1)
    ->Arg(1000)
    ->Arg(3851)
    ->Arg(16301)
    ->Arg(146148)
    ->Repetitions(5)
    ->ReportAggregatesOnly()
    ->Unit(benchmark::kMillisecond);

// One evaluation of the metric, the hand's frames included.
void BM_GraspMetric(benchmark::State& state) {
  const auto object = geometry::builtin_object("mug");
  const GraspProblem problem = problem_of(*object, 3);
  const GraspTarget target = prepare_target(problem, GraspOptions{}.search_faces).value();
  GraspSearch search(*problem.hand, *problem.space, target.metric);
  const Stance stance = stance_above(target, *problem.space);
  for (auto _ : state) {
    benchmark::DoNotOptimize(search.metric(stance.palm_object, stance.reduced));
  }
}
BENCHMARK(BM_GraspMetric)->Unit(benchmark::kMicrosecond);

// From what a search left to a hand that touches, on ten stances in turn.
void BM_GraspRefine(benchmark::State& state) {
  const auto object = geometry::builtin_object("mug");
  const GraspProblem problem = problem_of(*object, 3);
  const Hand& hand = *problem.hand;
  const GraspTarget target = prepare_target(problem, GraspOptions{}.search_faces).value();
  GraspSearch search(hand, *problem.space, target.metric);
  const ShapeKinematics shape(hand, *problem.space);
  GraspRefiner refiner(hand, target.prepared->contact());
  const Stance stance = stance_above(target, *problem.space);
  std::vector<std::pair<Transform, Eigen::VectorXd>> starts;
  for (int seed = 1; seed <= 10; ++seed) {
    SearchOptions options;
    options.seed = static_cast<std::uint64_t>(seed);
    const SearchResult found = search.run(stance, options);
    HandPose pose = shape.pose(found.reduced);
    place_wrist(hand, found.wrist_object, pose);
    starts.emplace_back(pose.root_world, coordinates(hand, pose));
    refiner.refine(starts.back().first, starts.back().second);  // fills the field
  }
  size_t i = 0;
  for (auto _ : state) {
    const auto& [root, q] = starts[i++ % starts.size()];
    benchmark::DoNotOptimize(refiner.refine(root, q).penetration);
  }
}
BENCHMARK(BM_GraspRefine)->Unit(benchmark::kMillisecond);

// The whole protocol, closing and six pushes, of a grasp that holds.
void BM_GraspProof(benchmark::State& state) {
  const auto object = geometry::builtin_object("cylinder");
  const GraspProblem problem = problem_of(*object, 3);
  const GraspReport report = find_grasps(problem).value();
  if (report.held == 0) return state.SkipWithError("no grasp holds");
  const GraspTarget target = prepare_target(problem, GraspOptions{}.search_faces).value();
  const auto prover =
      physics::GraspProver::build(problem.hand, problem.object, target.prepared->contact()).value();
  physics::State world(prover->world());
  for (auto _ : state) {
    benchmark::DoNotOptimize(prover->prove(world, report.grasps[0].plan).held);
  }
  state.counters["contacts"] = static_cast<double>(report.grasps[0].proof.contacts.size());
}
BENCHMARK(BM_GraspProof)->Unit(benchmark::kMillisecond);

const bool kRegistered = [] {
  for (const auto& [label, method] : kMethods) {
    const std::string name = label;
    const BlackBoxMethod chosen = method;
    benchmark::RegisterBenchmark(("BM_GraspFigure5/" + name).c_str(),
                                 [=](benchmark::State& s) { figure_5(s, "bunny", chosen); })
        ->Iterations(100)
        ->Unit(benchmark::kMillisecond);
    for (const std::string object : {"bunny", "mug", "hammer", "dragon"}) {
      benchmark::RegisterBenchmark(("BM_GraspSearch/" + object + "/" + name).c_str(),
                                   [=](benchmark::State& s) { random_stances(s, object, chosen); })
          ->Iterations(100)
          ->Unit(benchmark::kMillisecond);
    }
  }
  return true;
}();

}  // namespace
}  // namespace prehend::grasp_space
