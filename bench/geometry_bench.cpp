// Exact and cached signed distance near the surface of the dragon, at three sizes.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <map>
#include <random>
#include <string>

#include "geometry/scan.h"
#include "prehend/geometry/builtin.h"
#include "prehend/geometry/decimate.h"
#include "prehend/geometry/mass_properties.h"
#include "prehend/geometry/repair.h"
#include "prehend/geometry/signed_distance.h"

namespace prehend::geometry {
namespace {

constexpr int kPoints = 20000;
constexpr double kReach = 0.005;  // m from the surface

// The full scan, 870,000 faces, where the built-in dragon stands. Decimated to 146,000 faces; the
// 1,000 come from the built-in one, since the full scan's many tiny tunnels would take most of
// them.
const TriangleMesh& full_dragon() {
  static const TriangleMesh mesh = [] {
    const auto scan = read_scan("dragon-full");
    if (!scan) return TriangleMesh{};
    TriangleMesh full = repair(*scan).mesh;
    const Vec3 center = mass_properties(full).center_of_mass;
    const double scale = 0.2 / bounding_box(full).sizes().maxCoeff();
    for (Vec3& v : full.vertices) v = scale * (v - center);
    return full;
  }();
  return mesh;
}

// Spread evenly over the surface, then moved up to kReach in any direction.
std::vector<Vec3> points_near(const TriangleMesh& mesh) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  std::normal_distribution<double> normal;
  std::vector<double> area_until;
  double total = 0.0;
  for (const auto& f : mesh.faces) {
    const Vec3& a = mesh.vertices[f[0]];
    total += (mesh.vertices[f[1]] - a).cross(mesh.vertices[f[2]] - a).norm();
    area_until.push_back(total);
  }
  std::vector<Vec3> points;
  for (int i = 0; i < kPoints; ++i) {
    const auto at = std::lower_bound(area_until.begin(), area_until.end(), uniform(random) * total);
    const auto& f = mesh.faces[at - area_until.begin()];
    const Vec3 away(normal(random), normal(random), normal(random));
    points.push_back((mesh.vertices[f[0]] + mesh.vertices[f[1]] + mesh.vertices[f[2]]) / 3.0 +
                     kReach * std::cbrt(uniform(random)) * away.normalized());
  }
  return points;
}

struct Subject {
  Shape shape;
  std::vector<Vec3> points;
  std::shared_ptr<const ExactDistance> exact;
  std::shared_ptr<const BrickField> field;
  double build_seconds = 0.0;
  double fill_seconds = 0.0;
  double exact_seconds = 0.0;  // a query
  std::vector<double> errors;  // of the field, sorted
};

// Processor time: the ratios hold on a busy machine too.
double seconds_since(std::clock_t start) {
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

Shape shape_of(const std::string& name) {
  Shape shape;
  const std::map<std::string, int> dragons = {{"dragon_146k", 146000}, {"dragon_870k", 1000000}};
  if (name == "dragon_1k") {
    const auto dragon = builtin_object("dragon");
    if (!dragon) return shape;
    shape.mesh = std::make_shared<const TriangleMesh>(decimate(*dragon->shape.mesh, 1000));
  } else if (const auto dragon = dragons.find(name); dragon != dragons.end()) {
    if (full_dragon().empty()) return shape;
    shape.mesh = std::make_shared<const TriangleMesh>(decimate(full_dragon(), dragon->second));
  } else if (const auto object = builtin_object(name)) {
    shape.mesh = object->shape.mesh;  // as a mesh, also where a closed form exists
  }
  return shape;
}

// Made once a name: the field is warm afterwards.
const Subject& subject(const std::string& name) {
  static std::map<std::string, Subject> made;
  if (const auto found = made.find(name); found != made.end()) return found->second;
  Subject s;
  s.shape = shape_of(name);
  if (s.shape.mesh) {
    // The same points for every dragon, so that only the number of faces differs.
    const bool dragon = name.rfind("dragon", 0) == 0;
    s.points = points_near(dragon ? full_dragon() : *s.shape.mesh);
    auto start = std::clock();
    s.exact = exact_distance(s.shape);
    s.build_seconds = seconds_since(start);
    s.field = brick_field(s.exact, s.shape);
    start = std::clock();
    for (const Vec3& p : s.points) s.field->sample(p);
    s.fill_seconds = seconds_since(start);
    std::vector<double> truth;
    start = std::clock();
    for (const Vec3& p : s.points) truth.push_back(s.exact->sample(p).distance);
    s.exact_seconds = seconds_since(start) / kPoints;
    for (int i = 0; i < kPoints; ++i) {
      s.errors.push_back(std::abs(s.field->sample(s.points[i]).distance - truth[i]));
    }
    std::sort(s.errors.begin(), s.errors.end());
  }
  return made.emplace(name, std::move(s)).first->second;
}

void BM_ExactDistance(benchmark::State& state, const std::string& name) {
  const Subject& s = subject(name);
  if (!s.exact) return state.SkipWithError("no assets; run script/bootstrap");
  size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(s.exact->sample(s.points[i]).distance);
    i = i + 1 == s.points.size() ? 0 : i + 1;
  }
  state.counters["faces"] = static_cast<double>(s.shape.mesh->faces.size());
  state.counters["build_s"] = s.build_seconds;
}

void BM_FieldDistance(benchmark::State& state, const std::string& name) {
  const Subject& s = subject(name);
  if (!s.exact) return state.SkipWithError("no assets; run script/bootstrap");
  size_t i = 0;
  const auto start = std::clock();
  for (auto _ : state) {
    benchmark::DoNotOptimize(s.field->sample(s.points[i]).distance);
    i = i + 1 == s.points.size() ? 0 : i + 1;
  }
  const double seconds = seconds_since(start) / static_cast<double>(state.iterations());
  const auto percentile = [&](double p) {
    return 1000.0 * s.errors[static_cast<size_t>(p * (kPoints - 1))];
  };
  state.counters["times_faster"] = s.exact_seconds / seconds;
  state.counters["error_p50_mm"] = percentile(0.5);
  state.counters["error_p99_mm"] = percentile(0.99);
  state.counters["error_max_mm"] = percentile(1.0);
  state.counters["fill_s"] = s.fill_seconds;
  state.counters["fill_ms_per_brick"] =
      1000.0 * s.fill_seconds / static_cast<double>(s.field->brick_count());
  state.counters["memory_MB"] = static_cast<double>(s.field->memory_bytes()) / 1e6;
  state.counters["spacing_mm"] = 1000.0 * s.field->spacing();
}

// Points of one fingertip's patch, as a solver asks them: the bricks stay in the cache.
void BM_FieldDistanceOnePlace(benchmark::State& state, const std::string& name) {
  const Subject& s = subject(name);
  if (!s.exact) return state.SkipWithError("no assets; run script/bootstrap");
  std::vector<Vec3> near;
  for (const Vec3& p : s.points) {
    if ((p - s.points[0]).norm() < 0.01) near.push_back(p);
  }
  size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(s.field->sample(near[i]).distance);
    i = i + 1 == near.size() ? 0 : i + 1;
  }
}

void BM_Decimate870kTo146k(benchmark::State& state) {
  if (full_dragon().empty()) return state.SkipWithError("no assets; run script/bootstrap");
  for (auto _ : state) benchmark::DoNotOptimize(decimate(full_dragon(), 146000).faces.size());
}

BENCHMARK_CAPTURE(BM_ExactDistance, dragon_1k, "dragon_1k");
BENCHMARK_CAPTURE(BM_ExactDistance, dragon_146k, "dragon_146k");
BENCHMARK_CAPTURE(BM_ExactDistance, dragon_870k, "dragon_870k");
BENCHMARK_CAPTURE(BM_FieldDistance, dragon_1k, "dragon_1k");
BENCHMARK_CAPTURE(BM_FieldDistance, dragon_146k, "dragon_146k");
BENCHMARK_CAPTURE(BM_FieldDistance, dragon_870k, "dragon_870k");
BENCHMARK_CAPTURE(BM_FieldDistance, box, "box");
BENCHMARK_CAPTURE(BM_FieldDistance, cup, "cup");
BENCHMARK_CAPTURE(BM_FieldDistance, mug, "mug");
BENCHMARK_CAPTURE(BM_FieldDistance, wineglass, "wineglass");
BENCHMARK_CAPTURE(BM_FieldDistanceOnePlace, dragon_146k, "dragon_146k");
BENCHMARK(BM_Decimate870kTo146k)->Unit(benchmark::kSecond)->Iterations(1);

}  // namespace
}  // namespace prehend::geometry
