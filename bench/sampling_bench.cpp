// Contact sampling: what the kinematic and the dynamic test take, and how the whole grows with the
// number of frames and of the object's faces. A cube of 4 cm, or a ball of as
// much, is lifted off the floor. Ratios of one run count; a busy machine scales them all alike.
#include <cmath>

#include <benchmark/benchmark.h>

#include "prehend/core/hand_builder.h"
#include "prehend/geometry/primitive.h"
#include "prehend/methods/contact_sampling/sample.h"

namespace prehend::contact_sampling {
namespace {

ObjectPtr cube() {
  return std::make_shared<const Object>(
      geometry::object_from_primitive("cube", ShapeKind::kBox, Vec3::Constant(0.02), 0.1).value());
}

// A ball as a mesh of about so many faces, which no closed form is known for.
ObjectPtr meshed_ball(int rings) {
  Object ball =
      geometry::object_from_primitive("ball", ShapeKind::kSphere, Vec3::Constant(0.02), 0.1)
          .value();
  auto mesh = std::make_shared<TriangleMesh>();
  for (int r = 0; r <= rings; ++r) {
    for (int s = 0; s < 2 * rings; ++s) {
      const double up = kPi * r / rings, around = kPi * s / rings;
      mesh->vertices.push_back(0.02 * Vec3(std::sin(up) * std::cos(around), std::cos(up),
                                           std::sin(up) * std::sin(around)));
      const int next = (s + 1) % (2 * rings), row = r * 2 * rings, below = row + 2 * rings;
      if (r < rings && r > 0) mesh->faces.push_back({row + s, row + next, below + s});
      if (r + 1 < rings) mesh->faces.push_back({row + next, below + next, below + s});
    }
  }
  ball.shape.kind = ShapeKind::kMesh;
  ball.shape.mesh = mesh;
  return std::make_shared<const Object>(std::move(ball));
}

SamplingProblem lifted(int frames, const ObjectPtr& shape) {
  SamplingProblem problem;
  problem.floor_height = 0.0;
  CapturedHand hand;
  hand.hand = std::make_shared<const Hand>(build_hand().value());
  CapturedObject object;
  object.object = geometry::prepare(shape);
  for (int f = 0; f < frames; ++f) {
    const Vec3 center(0.0, 0.02 + 0.1 * minimum_jerk(f, 20.0, 50.0), 0.0);
    object.poses_world.push_back(Transform::from_position(center));
    HandPose pose = rest_pose(*hand.hand);
    pose.root_world.position = center + Vec3(0.0, 0.105, 0.09);
    hand.poses.push_back(pose);
  }
  problem.hands.push_back(hand);
  problem.objects.push_back(object);
  return problem;
}

void measure(benchmark::State& state, const SamplingProblem& problem) {
  SamplingOptions options;
  options.count = 10;
  options.threads = 1;
  double kinematic = 0.0, dynamic = 0.0, solutions = 0.0, frames = 0.0;
  int runs = 0;
  for (auto _ : state) {
    const auto report = sample_contacts(problem, options);
    kinematic += report->kinematic_ms;
    dynamic += report->dynamic_ms;
    solutions += static_cast<double>(report->solutions.size());
    frames += report->total_frames;
    ++runs;
  }
  state.counters["kinematic_ms"] = kinematic / runs;
  state.counters["dynamic_ms"] = dynamic / runs;
  state.counters["solutions"] = solutions / runs;
  state.counters["frames_tested"] = frames / runs;
}

// Frames of the clip.
void BM_ContactSampling(benchmark::State& state) {
  measure(state, lifted(static_cast<int>(state.range(0)), cube()));
}
BENCHMARK(BM_ContactSampling)->Arg(70)->Arg(140)->Arg(280)->Unit(benchmark::kMillisecond);

// Rings of the ball: 4 (rings - 1) rings faces.
void BM_ContactSamplingFaces(benchmark::State& state) {
  const ObjectPtr ball = meshed_ball(static_cast<int>(state.range(0)));
  measure(state, lifted(70, ball));
  state.counters["faces"] = static_cast<double>(ball->shape.mesh->faces.size());
}
BENCHMARK(BM_ContactSamplingFaces)->Arg(16)->Arg(32)->Arg(64)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace prehend::contact_sampling
