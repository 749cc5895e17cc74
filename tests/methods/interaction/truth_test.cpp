// Replays against the truth: what the virtual subject does to an object that it was not captured
// with, simulated by the physics room, beside what the replay makes of the capture.
#include <gtest/gtest.h>

#include "interaction_fixture.h"
#include "prehend/methods/interaction/measure.h"
#include "prehend/methods/interaction/subject.h"

namespace prehend::interaction {
namespace {

SubjectOptions picking_up() {
  SubjectOptions options;
  options.task = SubjectTask::kBox;
  options.compliance = Task::kScratching;
  return options;
}

// The capture of the light, narrow box, made once.
const SubjectRun& captured() {
  static const SubjectRun run = simulate_subject(picking_up()).value();
  return run;
}

ReplayReport replayed(const Vec3& size, double mass) {
  const SubjectRun& run = captured();
  ReplayProblem problem;
  problem.trajectory = reference_trajectory(run.capture, run.compliance);
  problem.objects.push_back(
      {test_box(0.5 * size, mass, 0.6), Transform::from_position({0.0, 0.5 * size.y(), 0.0})});
  problem.objects.push_back(
      {geometry::prepare(run.capture.objects[1].object), run.capture.objects[1].pose_world});
  return run_replay(problem).value();
}

void compare(const Vec3& size, double mass) {
  SubjectOptions options = picking_up();
  options.box_size = size;
  options.box_mass = mass;
  const SubjectRun truth = simulate_subject(options).value();
  const ReplayReport replay = replayed(size, mass);
  EXPECT_EQ(replay.solved, replay.steps);
  EXPECT_LE(replay.max_complementarity, 1e-9);
  EXPECT_TRUE(truth.held);
  EXPECT_EQ(replay.held, truth.held);
  EXPECT_NEAR(replay.grip_force, truth.grip_force, 0.15 * truth.grip_force);
}

TEST(Truth, TheCapturedBox) { compare({0.03, 0.05, 0.07}, 0.012); }
TEST(Truth, ABoxAFifthWider) { compare({0.036, 0.05, 0.07}, 0.012); }
TEST(Truth, ABoxFiveTimesHeavier) { compare({0.03, 0.05, 0.07}, 0.06); }

}  // namespace
}  // namespace prehend::interaction
