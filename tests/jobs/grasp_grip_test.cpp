// A grasp from `grasp` as the grip of `manipulate`, through its file.
#include "jobs/grasp_grip.h"

#include <filesystem>

#include <unistd.h>

#include <gtest/gtest.h>

#include "jobs/manipulate_scene.h"
#include "prehend/core/atomic_file.h"
#include "prehend/jobs/grasp.h"
#include "prehend/jobs/manipulate.h"

namespace prehend::jobs {
namespace {

namespace fs = std::filesystem;

class GraspGripTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    fs::create_directories(folder());
    GraspJob job;
    job.object = "mug";
    job.count = kGrasp;
    job.settings.outputs = {folder() / "mug.json"};
    const auto done = run(job);
    ASSERT_TRUE(done) << done.message();
  }
  static void TearDownTestSuite() { fs::remove_all(folder()); }
  static fs::path folder() {
    return fs::temp_directory_path() / ("prehend-grip-" + std::to_string(::getpid()));
  }

  // The third grasp of the mug, around its wall. The first two are by the handle, and their
  // fingertips alone, without the palm, do not bear the mug.
  static constexpr int kGrasp = 3;
  // Turned so, degrees, the grasp has the hand on the side from which the right arm comes (from
  // -90 to 60), and on the other.
  static constexpr int kReached = -30, kBeyond = 240;

  static inline const std::string kMugGrip =
      "file = \"mug.json\"\nnumber = " + std::to_string(kGrasp);

  // A scene that lifts an object with this grip.
  static std::string scene(const std::string& object, const std::string& grip,
                           const std::string& side = "right", int yaw_deg = kReached) {
    const std::string file = folder() / "scene.toml";
    const Status written =
        write_file(file, "[environment]\ntable = { height = 0.0 }\n[[hand]]\nside = \"" + side +
                             "\"\n[[object]]\nname = \"it\"\nshape = \"" + object +
                             "\"\nposition = [0.0, 0.045, 0.0]\nrotation_deg = [0, " +
                             std::to_string(yaw_deg) +
                             ", 0]\n[[goal]]\nobject = \"it\"\ntime = 0.8\n"
                             "height = 0.12\n[options.manipulate]\nseconds = 1.0\n"
                             "[[options.manipulate.grip]]\n" +
                             grip + "\n");
    EXPECT_TRUE(written);
    return file;
  }
  static std::string refusal(const std::string& file) {
    const auto setup = manipulate_setup(file);
    return setup ? "" : setup.message();
  }
};

TEST_F(GraspGripTest, AMugIsLiftedAsItWasGrasped) {
  const std::string file = scene("mug", kMugGrip);
  const auto setup = manipulate_setup(file);
  ASSERT_TRUE(setup) << setup.message();
  const manipulation::GripStyle& grip = setup->problem.grips[0];
  ASSERT_GE(grip.handles.size(), 2u);
  ASSERT_EQ(grip.places_object.size(), grip.handles.size());
  ManipulateJob job;
  job.scene = file;
  job.prove = true;
  const auto done = run(job);
  ASSERT_TRUE(done) << done.message();
  EXPECT_EQ(done->outcome, Outcome::kDone);
  ASSERT_EQ(done->result.goals.size(), 1u);
  EXPECT_TRUE(done->result.goals[0].met);
  // The wrist is where the grasp had it when the lift begins: 6 mm away, since the grip weighs the
  // wrist's place against its fingertips'.
  const Clip& clip = done->clip;
  const int frame = static_cast<int>(done->result.task_start * clip.frame_rate);
  const ClipMoment at = moment_of(clip, frame);
  const Transform wrist = at.segments_world[0][size_t(clip.hands[0].hand->wrist())];
  const Transform wanted = at.objects_world[0] * grip.wrist_object;
  EXPECT_LT((wrist.position - wanted.position).norm(), 0.01);
  EXPECT_LT(wrist.rotation.angularDistance(wanted.rotation), 0.1);
  ASSERT_TRUE(done->proof);
  EXPECT_TRUE(done->proof->within);
}

TEST_F(GraspGripTest, AnArmThatTakesAnotherWaySaysSo) {
  std::string notes;
  Monitor monitor;
  monitor.note = [&](const std::string& text) { notes += text; };
  ManipulateJob job;
  for (const int yaw : {kReached, kBeyond}) {
    notes.clear();
    job.scene = scene("mug", kMugGrip, "right", yaw);
    ASSERT_TRUE(run(job, monitor));
    EXPECT_EQ(notes.find("takes \"it\" otherwise") != std::string::npos, yaw == kBeyond) << notes;
  }
}

TEST_F(GraspGripTest, WhatDoesNotFitIsRefusedInOneLine) {
  EXPECT_NE(refusal(scene("mug", "file = \"nothing.json\"")).find("nothing.json"),
            std::string::npos);
  EXPECT_NE(refusal(scene("mug", "file = \"scene.toml\"")).find("scene.toml"), std::string::npos);
  EXPECT_NE(refusal(scene("hammer", kMugGrip)).find("another object"), std::string::npos);
  EXPECT_NE(refusal(scene("mug", "file = \"mug.json\"\nnumber = 9")).find("grasp 9 of 3"),
            std::string::npos);
  EXPECT_NE(refusal(scene("mug", kMugGrip, "left")).find("not a left one"), std::string::npos);
  EXPECT_NE(refusal(scene("mug", kMugGrip + "\nposture = \"wrap\"")).find("has no posture"),
            std::string::npos);
}

}  // namespace
}  // namespace prehend::jobs
