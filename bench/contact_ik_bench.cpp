// The contact solver for poses: each fingertip on a ball. The balls are one mesh, so that every
// distance is looked up in a brick field.
#include <benchmark/benchmark.h>

#include <array>

#include "prehend/core/hand_builder.h"
#include "prehend/core/random.h"
#include "prehend/geometry/primitive.h"
#include "prehend/hands/contact_ik.h"
#include "prehend/hands/posture.h"

namespace prehend::hands {
namespace {

constexpr int kProblems = 32;
constexpr double kRadius = 0.012;  // m, of the balls
// How far targets lie apart from one problem to the next, m: a fast finger at 60 frames a second.
constexpr double kBetweenFrames = 0.002;
// The grip and where a cold solve begins: shares of the joint angles of a hand around a cylinder.
constexpr double kGrip = 0.6, kOpen = 0.3;

struct Scene {
  Hand hand = build_hand().value();
  std::shared_ptr<const geometry::SignedDistance> distance;
  Obstacle obstacle;
  Transform root;
  Eigen::VectorXd open;
  std::vector<std::vector<ContactTarget>> problems;

  Scene() {
    const Posture wrap = make_posture(hand, "wrap").value();
    root = wrap.pose.root_world;
    const CoordinateLimits limits = coordinate_limits(hand);
    const Eigen::VectorXd q = coordinates(hand, wrap.pose);
    open = (kOpen * q).cwiseMax(limits.lower).cwiseMin(limits.upper);
    const Eigen::VectorXd grip = (kGrip * q).cwiseMax(limits.lower).cwiseMin(limits.upper);
    const auto frames = segment_frames(hand, pose_from_coordinates(hand, root, grip));
    std::array<Vec3, kDigitCount> pads;
    auto mesh = std::make_shared<TriangleMesh>();
    for (int d = 0; d < kDigitCount; ++d) {
      const FingerPad& pad = hand.pads[d];
      pads[d] = frames[pad.segment] * pad.point;
      append(pads[d] + kRadius * frames[pad.segment].turn(pad.normal), *mesh);
    }
    const Shape shape{ShapeKind::kMesh, Vec3::Zero(), mesh};
    distance = geometry::fast_distance(shape);
    obstacle = {distance.get(), Transform::Identity()};
    const auto exact = geometry::exact_distance(shape);
    Random random(3);
    for (int p = 0; p < kProblems; ++p) {
      problems.emplace_back();
      for (int d = 0; d < kDigitCount; ++d) {
        const auto on = exact->closest(pads[d] + kBetweenFrames * random.direction());
        ContactTarget target;
        target.skin = *pad_of(hand, kDigits[d]);
        target.point_world = on.point;
        target.normal_world = on.normal;
        target.facing_angle = 0.5 * kPi;
        problems.back().push_back(target);
      }
    }
  }
  static void append(const Vec3& center, TriangleMesh& mesh) {
    const TriangleMesh ball = geometry::sphere_mesh(kRadius, 48);
    const int first = static_cast<int>(mesh.vertices.size());
    for (const auto& v : ball.vertices) mesh.vertices.push_back(v + center);
    for (const auto& t : ball.faces) {
      mesh.faces.push_back({t[0] + first, t[1] + first, t[2] + first});
    }
  }
};

enum class Start { kCold, kWarm };

void contact_ik(benchmark::State& state, int first, int count, double root_bound, Start start) {
  const Scene scene;
  ContactIk ik(scene.hand);
  ContactIkProblem problem;
  problem.root_world = scene.root;
  problem.root_shift = problem.root_turn = root_bound;
  problem.preferred = scene.open;
  problem.start = scene.open;
  problem.obstacles = {&scene.obstacle, 1};
  problem.moving = {};
  for (int d = first; d < first + count; ++d) problem.moving[d] = true;
  // A warm solve begins where the problem before it ended.
  std::vector<std::pair<Eigen::VectorXd, Transform>> ends(kProblems);
  const auto solve = [&](int p) -> const ContactIkResult& {
    problem.targets = std::span(scene.problems[p]).subspan(first, count);
    return ik.solve(problem);
  };
  for (int p = 0; p < kProblems; ++p) {
    const ContactIkResult& result = solve(p);
    ends[(p + 1) % kProblems] = {result.coordinates, result.root_world};
  }
  const auto next = [&](int p) -> const ContactIkResult& {
    if (start == Start::kWarm) {
      problem.start = ends[p].first;
      if (root_bound > 0.0) problem.start_root_world = ends[p].second;
    }
    return solve(p);
  };
  for (int p = 0; p < kProblems; ++p) next(p);  // fills the bricks
  double iterations = 0.0, error = 0.0, depth = 0.0;
  int solved = 0;
  for (auto _ : state) {
    const ContactIkResult& result = next(solved++ % kProblems);
    iterations += result.iterations;
    error += result.worst_error();
    depth = std::max({depth, result.penetration.depth, result.self_penetration.depth});
  }
  state.counters["steps"] = iterations / solved;
  state.counters["error_mm"] = 1e3 * error / solved;
  state.counters["deepest_mm"] = 1e3 * depth;
}

BENCHMARK_CAPTURE(contact_ik, one_digit_cold, 1, 1, 0.0, Start::kCold)
    ->Name("BM_ContactIk/one_digit_cold")
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(contact_ik, one_digit_warm, 1, 1, 0.0, Start::kWarm)
    ->Name("BM_ContactIk/one_digit_warm")
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(contact_ik, five_cold, 0, 5, 0.0, Start::kCold)
    ->Name("BM_ContactIk/five_cold")
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(contact_ik, five_warm, 0, 5, 0.0, Start::kWarm)
    ->Name("BM_ContactIk/five_warm")
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(contact_ik, free_root_cold, 0, 5, 0.02, Start::kCold)
    ->Name("BM_ContactIk/free_root_cold")
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(contact_ik, free_root_warm, 0, 5, 0.02, Start::kWarm)
    ->Name("BM_ContactIk/free_root_warm")
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace prehend::hands
