#include "prehend/methods/example_control/stage_grasp.h"

#include <gtest/gtest.h>

#include <set>

#include "prehend/geometry/builtin.h"
#include "tests/methods/example_control/test_controller.h"

namespace prehend::example_control {
namespace {

SimulationProblem scene_with(const std::string& name) {
  SimulationProblem scene;
  ControlledHand& hand = scene.hands.emplace_back();
  hand.hand = fitted_grasp().hand;
  hand.controller = std::make_shared<const Controller>(fitted_grasp().controller);
  hand.open_while_closing = true;
  scene.objects.push_back(
      {std::make_shared<const Object>(*geometry::builtin_object(name)), Transform()});
  scene.floor_height = 0.0;
  return scene;
}

// A box of 7 cm needs a hand that opens wider than the example's: the run must have that hand's
// controller, not the one that was given.
TEST(StageGrasp, TheRunHasTheControllerOfItsPlacement) {
  const auto staged = stage_grasp(scene_with("box"), {.presentation = Presentation::kSearched});
  ASSERT_TRUE(staged.ok()) << staged.message();
  const ControlledHand& hand = staged->run.simulation.hands[0];
  EXPECT_EQ(hand.controller, staged->placement.controller);
  EXPECT_FALSE(staged->rehearsal.has_value());
  EXPECT_EQ(staged->run.cues.size(), 2u);
  EXPECT_EQ(staged->run.seconds, staged->plan.end);
}

TEST(StageGrasp, TheObjectStandsWhereItIsWanted) {
  GraspStaging staging;
  staging.presentation = Presentation::kSearched;
  staging.place_world = Vec3(0.3, 7.0, -0.2);
  const auto staged = stage_grasp(scene_with("cylinder"), staging);
  ASSERT_TRUE(staged.ok()) << staged.message();
  const Vec3 at = staged->run.simulation.objects[0].pose_world.position;
  EXPECT_NEAR(at.x(), 0.3, 1e-12);
  EXPECT_NEAR(at.z(), -0.2, 1e-12);
  EXPECT_LT(at.y(), 1.0);  // it stands on the floor, whatever the height that is given
}

// The paper's way: the wrist goes as in the example, and the palm's distance begins the grip.
TEST(StageGrasp, TheExamplesOwnWristGripsByDistance) {
  SimulationProblem scene = scene_with("cylinder");
  scene.objects[0].object = fitted_grasp().controller.object;
  GraspStaging staging;
  staging.presentation = Presentation::kExample;
  staging.grip_by_distance = true;
  staging.as_recorded = true;
  const auto staged = stage_grasp(scene, staging);
  ASSERT_TRUE(staged.ok()) << staged.message();
  ASSERT_EQ(staged->run.cues.size(), 1u);
  EXPECT_TRUE(staged->run.cues[0].cue.release);
  const ExamplePath& path = fitted_grasp().controller.path;
  const int frame = path.carried();
  const Transform recorded = path.target_world[frame].inverse() * path.wrist_world[frame];
  const Transform placed =
      staged->placement.object_world.inverse() * staged->placement.grip_wrist_world;
  EXPECT_LT((recorded.position - placed.position).norm(), 1e-6);
  EXPECT_LT(angle_between(recorded.rotation, placed.rotation), 1e-6);
  SimulationOptions options;
  options.grip = Grip::kPaper;
  const auto report = run(staged->run, options);
  ASSERT_TRUE(report.ok()) << report.message();
  double gripped = -1.0;
  for (const PhaseSpan& span : report->phases)
    if (span.phase == Phase::kGripping && gripped < 0.0) gripped = span.start;
  // The path's beginning is eased by some tenths of a second.
  EXPECT_NEAR(gripped, path.grip_frame / path.frame_rate, 0.25);
}

TEST(StageGrasp, ARehearsedGraspHoldsAndSaysWhatWasTried) {
  const auto staged = stage_grasp(scene_with("cylinder"), {.placements = 2});
  ASSERT_TRUE(staged.ok()) << staged.message();
  ASSERT_TRUE(staged->rehearsal.has_value());
  EXPECT_TRUE(staged->rehearsal->held);
  EXPECT_GE(staged->rehearsal->tried, 1);
  EXPECT_LE(staged->rehearsal->tried, staged->placements_found);
  const auto report = run(staged->run);
  ASSERT_TRUE(report.ok()) << report.message();
  EXPECT_TRUE(report->held);
}

TEST(StageGrasp, ShowsProgressThatNeverFallsAndHeedsAStop) {
  std::stop_source source;
  std::set<std::string> said;
  double last = 0.0;
  Monitor monitor;
  monitor.stop = source.get_token();
  monitor.progress = [&](double fraction, const std::string& what) {
    EXPECT_GE(fraction, last);
    EXPECT_LE(fraction, 1.0);
    last = fraction;
    said.insert(what);
    source.request_stop();
  };
  // Placing found something or not when it was stopped; either way it ends at once.
  const auto staged = stage_grasp(scene_with("box"), {}, {}, monitor);
  EXPECT_EQ(said.size(), 1u);
  if (staged.ok()) {
    EXPECT_EQ(staged->rehearsal->tried, 0);
  }
}

}  // namespace
}  // namespace prehend::example_control
