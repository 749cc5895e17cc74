#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include <gtest/gtest.h>

#include "prehend/core/atomic_file.h"
#include "prehend/io/glb.h"
#include "prehend/jobs/control_file.h"
#include "tests/cli/command.h"
#include "tests/recordings.h"

namespace prehend::cli {
namespace {

namespace fs = std::filesystem;

class FitCommand : public Command {
 protected:
  static void SetUpTestSuite() {
    // Tests of this suite may run in several processes at once.
    clips = fs::temp_directory_path() / ("prehend_fit_clips_" + std::to_string(getpid()));
    fs::remove_all(clips);
    std::ostringstream o, e;
    ASSERT_EQ(run({"fit", "--examples", clips.string()}, {o, e}), kExitDone) << e.str();
  }
  static void TearDownTestSuite() { fs::remove_all(clips); }

  static std::string clip(const std::string& name) { return (clips / name).string(); }
  // A fit of the shipped cylinder grasp with more arguments.
  std::vector<std::string> cylinder(std::vector<std::string> more) const {
    std::vector<std::string> all = {
        "fit", clip("cylinder_grasp.right.bvh"), "--object",
        clip("cylinder_grasp.cylinder.bvh") + "=" + clip("cylinder_grasp.cylinder.obj"), "--quiet"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  static fs::path clips;
};
fs::path FitCommand::clips;

// The controllers of the scenes against fits of the clips beside them, by the commands that the
// scenes' comments give, and these clips against the program's.
TEST_F(FitCommand, ScenesCarryWhatTheirClipsGive) {
  constexpr double kWritten = 1e-6;  // rad: nine digits, on machines that round differently
  const std::string home = "scenes/control/", from = home + "clips/";
  for (const auto& entry : fs::directory_iterator(from))
    EXPECT_EQ(read_file(entry.path().string()).value(),
              read_file(clip(entry.path().filename().string())).value());
  const auto expect_same = [&](const std::string& name) {
    const auto fitted = jobs::load_controllers(at(name)),
               shipped = jobs::load_controllers(home + name);
    ASSERT_TRUE(fitted.ok() && shipped.ok());
    ASSERT_EQ(fitted->size(), shipped->size());
    for (size_t i = 0; i < fitted->size(); ++i) {
      const auto &one = (*fitted)[i], &other = (*shipped)[i];
      EXPECT_LT((one.positions - other.positions).cwiseAbs().maxCoeff(), kWritten) << name;
      EXPECT_LT((one.upper - other.upper).cwiseAbs().maxCoeff(), kWritten) << name;
      EXPECT_NEAR(one.grip_distance, other.grip_distance, kWritten) << name;
    }
  };
  ASSERT_EQ(call({"fit", from + "cylinder_grasp.right.bvh", "--object",
                  from + "cylinder_grasp.cylinder.bvh=" + from + "cylinder_grasp.cylinder.obj",
                  "--library", from + "range_of_motion.bvh", "--d1", "0.05", "--d2", "0.3", "-o",
                  at("cylinder_grasp.json"), "--quiet"}),
            kExitDone)
      << err;
  expect_same("cylinder_grasp.json");
  ASSERT_EQ(call({"fit", from + "handshake.right.bvh", from + "handshake.right-2.bvh", "--library",
                  from + "range_of_motion.bvh", "--stiffness", "300", "--damping", "60", "--d1",
                  "0.09", "--d2", "0.2", "-o", at("handshake.json"), "--quiet"}),
            kExitDone)
      << err;
  expect_same("handshake.json");
}

TEST_F(FitCommand, MakesAControllerAReportAPictureAndAClip) {
  ASSERT_EQ(call(cylinder({"--library", clip("range_of_motion.bvh"), "-o", at("grasp.json"), "-o",
                           at("grasp.png"), "-o", at("grasp.glb"), "--report", at("r.json")})),
            kExitDone)
      << err;
  const auto controllers = jobs::load_controllers(at("grasp.json"));
  ASSERT_TRUE(controllers.ok()) << controllers.message();
  ASSERT_EQ(controllers->size(), 1u);
  EXPECT_EQ(controllers->front().name, "grasp");
  EXPECT_EQ(controllers->front().joints.size(), 19u);
  EXPECT_GT(fs::file_size(at("grasp.png")), 20000u);
  const auto clip = io::read_glb(at("grasp.glb"));
  ASSERT_TRUE(clip.ok()) << clip.message();
  EXPECT_EQ(clip->hands.size(), 2u);
  EXPECT_EQ(clip->objects.size(), 2u);
  const auto report = io::parse_json(*read_file(at("r.json")), "report");
  ASSERT_TRUE(report.ok());
  // The claim of the method: free motion along the example's wrist is the example's.
  constexpr double kWithin = 8.0;
  EXPECT_LT(*report->find("free_rms_deg")->number(), kWithin);
  const io::Value& fit = report->find("controllers")->items()[0];
  EXPECT_EQ(fit.find("residuals")->items().size(), 19u);
  EXPECT_EQ(fit.find("grasps")->items().size(), 1u);
  const auto& states = fit.find("states")->items();
  // Where distances are searched, the example may be too short for its neutral ends.
  ASSERT_GE(states.size(), 6u);
  EXPECT_TRUE(std::any_of(states.begin(), states.end(), [](const io::Value& state) {
    return *state.find("state")->string() == "gripping";
  }));
}

TEST_F(FitCommand, TwoHandsGetAControllerEachUnlessOneIsChosen) {
  const std::vector<std::string> both = {"fit", clip("handshake.right.bvh"),
                                         clip("handshake.right-2.bvh"), "--quiet"};
  std::vector<std::string> arguments = both;
  arguments.insert(arguments.end(), {"-o", at("shake.json")});
  ASSERT_EQ(call(arguments), kExitDone) << err;
  const auto two = jobs::load_controllers(at("shake.json"));
  ASSERT_TRUE(two.ok()) << two.message();
  ASSERT_EQ(two->size(), 2u);
  EXPECT_EQ((*two)[0].name, "shake-1");
  EXPECT_EQ((*two)[1].name, "shake-2");
  // Table 1's second row.
  EXPECT_EQ((*two)[0].gains.stiffness, 300.0);
  EXPECT_EQ((*two)[0].gains.damping, 60.0);
  arguments = both;
  arguments.insert(arguments.end(), {"--track", "1", "-o", at("one.json")});
  ASSERT_EQ(call(arguments), kExitDone) << err;
  const auto one = jobs::load_controllers(at("one.json"));
  ASSERT_TRUE(one.ok()) << one.message();
  ASSERT_EQ(one->size(), 1u);
  EXPECT_EQ((*one)[0].positions, (*two)[1].positions);
}

TEST_F(FitCommand, ListsTheGraspsOfARecording) {
  std::vector<std::string> arguments = cylinder({"--list", "--json"});
  ASSERT_EQ(call(arguments), kExitDone) << err;
  const auto report = io::parse_json(out, "report");
  ASSERT_TRUE(report.ok());
  const auto& grasps = report->find("grasps")->items();
  ASSERT_EQ(grasps.size(), 1u);
  EXPECT_LT(*grasps[0].find("grip_s")->number(), *grasps[0].find("release_s")->number());
}

// The same promise on recordings of a person: whole grasps of the right hand.
TEST_F(FitCommand, FreeMotionIsThatOfTheRecordings) {
  const std::string recorded = recording("manipnet/").string();
  PREHEND_SKIP_WITHOUT(recorded);
  const std::vector<std::string> fitted = {
      "fit",      recorded + "cyl_med3/rightHand.bvh",
      "--object", recorded + "cyl_med3/cyl_med.bvh=" + recorded + "cyl_med.obj",
      "--json",   "--quiet"};
  const auto report = [&](std::vector<std::string> more) {
    more.insert(more.begin(), fitted.begin(), fitted.end());
    EXPECT_EQ(call(more), kExitDone) << err;
    return io::parse_json(out, "report").value();
  };
  constexpr double kWithin = 8.0;  // degrees
  constexpr int kEnough = 3;
  int within = 0;
  const io::Value listed = report({"--list"});
  const auto& grasps = listed.find("grasps")->items();
  for (size_t i = 0; i < grasps.size() && within < kEnough; ++i) {
    if (!*grasps[i].find("whole")->boolean()) continue;
    if (*report({"--grasp", std::to_string(i)}).find("free_rms_deg")->number() < kWithin) ++within;
  }
  EXPECT_GE(within, kEnough);
}

TEST_F(FitCommand, WhatIsWrongIsOneLine) {
  expect_error({"fit"}, "give a recording");
  expect_error(cylinder({"--d1", "0.3", "--d2", "0.1"}), "0 < D1 < D2");
  expect_error(cylinder({"--d1", "0.3"}), "both of --d1 and --d2");
  expect_error(cylinder({"--damping", "-2"}), "--damping");
  expect_error(cylinder({"--stiffness", "1e7", "--d1", "0.05", "--d2", "0.3"}), "unstable");
  expect_error(cylinder({"--track", "sixth"}), "there is no 'sixth'; there are ");
  expect_error(cylinder({"--other", "moon"}), "there is no 'moon'; there are ");
  expect_error(cylinder({"--start", "3", "--end", "2"}), "keep nothing");
  expect_error(cylinder({"--grasp", "7"}), "there is no 7");
  expect_error({"fit", clip("range_of_motion.bvh"), "--quiet"}, "nothing that it grasps");
  expect_error(cylinder({"--library", at("missing.bvh")}), "missing.bvh");
  // The hand is at the object from the beginning, or never.
  expect_error(cylinder({"--start", "1.6"}), "no approach");
  expect_error(cylinder({"--end", "0.5"}), "no contact");
}

TEST_F(FitCommand, TooFewFramesASecondAreRefused) {
  ASSERT_EQ(call({"convert", clip("cylinder_grasp.right.bvh"), "--object",
                  clip("cylinder_grasp.cylinder.bvh") + "=cylinder", "--rate", "8", "-o",
                  at("slow.glb"), "--quiet"}),
            kExitDone)
      << err;
  expect_error({"fit", at("slow.glb"), "--quiet"}, "slow.glb");
}

}  // namespace
}  // namespace prehend::cli
