// Contact sampling: what the kinematic and the dynamic test take, and how the whole grows with the
// number of frames. A cube of 4 cm is lifted off the floor.
#include <benchmark/benchmark.h>

#include "prehend/core/hand_builder.h"
#include "prehend/geometry/primitive.h"
#include "prehend/methods/contact_sampling/sample.h"

namespace prehend::contact_sampling {
namespace {

SamplingProblem lifted_cube(int frames) {
  SamplingProblem problem;
  problem.floor_height = 0.0;
  CapturedHand hand;
  hand.hand = std::make_shared<const Hand>(build_hand().value());
  CapturedObject object;
  object.object = geometry::prepare(std::make_shared<const Object>(
      geometry::object_from_primitive("cube", ShapeKind::kBox, Vec3::Constant(0.02), 0.1).value()));
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

void BM_ContactSampling(benchmark::State& state) {
  const SamplingProblem problem = lifted_cube(static_cast<int>(state.range(0)));
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
BENCHMARK(BM_ContactSampling)->Arg(70)->Arg(140)->Arg(280)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace prehend::contact_sampling
