#include <algorithm>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "prehend/core/atomic_file.h"
#include "prehend/io/glb.h"
#include "prehend/io/value.h"
#include "tests/cli/command.h"

namespace prehend::cli {
namespace {

namespace fs = std::filesystem;

class SimulateCommand : public Command {
 protected:
  SimulateCommand() : Command("simulate") {}

  // A scene of a hand and [options.simulate] with more lines.
  std::string scene(const std::string& options, const std::string& before = "[[hand]]\n") const {
    std::ofstream(at("scene.toml")) << before << "\n[options.simulate]\n"
                                    << "controller = \"" << controller << "\"\n"
                                    << options << "\n";
    return at("scene.toml");
  }
  io::Value report(std::vector<std::string> arguments, int code = kExitDone) {
    arguments.push_back("--json");
    EXPECT_EQ(call(std::move(arguments)), code) << err;
    auto value = io::parse_json(out, "report");
    EXPECT_TRUE(value.ok()) << out;
    return value.ok() ? *value : io::Value();
  }
  static std::vector<std::string> states(const io::Value& report, const std::string& hand) {
    std::vector<std::string> names;
    for (const io::Value& state : report.find("states")->items())
      if (*state.find("hand")->string() == hand) names.push_back(*state.find("state")->string());
    return names;
  }

  const std::string controller = fs::absolute("scenes/control/cylinder_grasp.json").string();
};

TEST_F(SimulateCommand, TheGraspOfTheShippedSceneHoldsAndIsReported) {
  const int code =
      call({"scenes/control/grasp.toml", "-o", at("grasp.glb"), "-o", at("grasp.json"), "--json"});
  const auto r = io::parse_json(out, "report");
  ASSERT_TRUE(r.ok()) << out << err;
  EXPECT_EQ(code, kExitDone);
  EXPECT_TRUE(*r->find("held")->boolean());
  EXPECT_LT(*r->find("slip_m")->number(), 0.01);
  for (const char* key : {"slip_m", "lifted_m", "max_contact_force_N", "mean_contact_force_N",
                          "realtime_factor", "max_limit_violation_deg"})
    EXPECT_TRUE(r->find(key) && r->find(key)->is_number()) << key;
  EXPECT_EQ(*r->find("grip")->string(), "hold");
  EXPECT_EQ(*r->find("object")->find("name")->string(), "cylinder");
  EXPECT_FALSE(r->find("audit")->is_null());
  const auto names = states(*r, "right");
  for (const char* name : {"closing", "gripping", "releasing", "opening-2"})
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
  const auto file = io::parse_json(read_file(at("grasp.json")).value(), "grasp.json");
  ASSERT_TRUE(file.ok()) << file.message();
  EXPECT_EQ(*file->find("slip_m")->number(), *r->find("slip_m")->number());
  EXPECT_FALSE(file->find("realtime_factor")) << "what a clock measured is in a data file";
  for (const io::Value* physics : {r->find("physics"), file->find("physics")}) {
    ASSERT_TRUE(physics);
    EXPECT_EQ(*physics->find("torsional_friction_m")->number(), 0.003);
    EXPECT_EQ(*physics->find("wrist_strength_N")->number(), 150.0);
    EXPECT_GT(*physics->find("added_inertia")->find("least_kg_m2")->number(), 0.0);
  }
  const auto clip = io::read_glb(at("grasp.glb"));
  ASSERT_TRUE(clip.ok()) << clip.message();
  EXPECT_EQ(clip->hands.size(), 1u);
}

TEST_F(SimulateCommand, HandsOfDifferentSizesShakeHands) {
  const io::Value r = report({"scenes/control/handshake.toml"});
  EXPECT_TRUE(*r.find("held")->boolean());
  EXPECT_LT(*r.find("slip_m")->number(), 0.02);
  EXPECT_TRUE(*r.find("released")->boolean());
  // The paper's hands: nothing is added to them.
  EXPECT_EQ(*r.find("physics")->find("added_inertia")->find("most_kg_m2")->number(), 0.0);
  for (const char* hand : {"small", "large"}) {
    const auto names = states(r, hand);
    EXPECT_NE(std::find(names.begin(), names.end(), "gripping"), names.end()) << hand;
  }
}

// In a run too short to lift anything, which the report and the exit code say.
TEST_F(SimulateCommand, ObjectsAreBroughtIntoWhatAHandCarriesUnlessWeighed) {
  const std::string short_run = scene("seconds = 0.1", "[[hand]]\n[[object]]\nshape = \"mug\"");
  const auto mass = [&](std::vector<std::string> more) {
    more.insert(more.begin(), short_run);
    const io::Value run = report(more, kExitMissed);
    EXPECT_FALSE(*run.find("held")->boolean());
    return *run.find("object")->find("mass_kg")->number();
  };
  for (const char* name : {"hammer", "sphere"}) {
    const double kg = mass({"--object", name});
    EXPECT_GE(kg, 0.05);
    EXPECT_LE(kg, 0.3);
  }
  EXPECT_DOUBLE_EQ(mass({"--mass", "0.7"}), 0.7);
}

TEST_F(SimulateCommand, TheDropTestIsReportedWithAndWithoutLimits) {
  const io::Value with = report({"scenes/control/drop-test.toml", "-o", at("drop.glb")});
  const io::Value without = report({"scenes/control/drop-test.toml", "--without", "limits"});
  for (const char* key : {"max_limit_violation_deg", "swing_deg", "overshoot", "settle_s",
                          "sag_deg", "tests", "realtime_factor"})
    EXPECT_TRUE(with.find(key) && with.find(key)->is_number()) << key;
  EXPECT_DOUBLE_EQ(*with.find("gains")->find("stiffness")->number(), 200.0);
  EXPECT_FALSE(*with.find("tuned")->boolean());
  EXPECT_GT(*without.find("max_limit_violation_deg")->number(), 10.0);
  EXPECT_LT(*with.find("max_limit_violation_deg")->number(), 3.0);
  const auto clip = io::read_glb(at("drop.glb"));
  ASSERT_TRUE(clip.ok()) << clip.message();
  EXPECT_EQ(clip->hands.size(), 1u);
}

TEST_F(SimulateCommand, DropTestsFindGainsThatReachTheTarget) {
  const std::string file =
      scene("task = \"drop-test\"\nmax_sag_deg = 15\nseconds = 0.7\ntimestep = 0.004");
  const io::Value r = report({file, "--gains", "auto"});
  EXPECT_TRUE(*r.find("tuned")->boolean());
  EXPECT_GT(*r.find("tests")->number(), 3.0);
  EXPECT_LE(*r.find("sag_deg")->number(), 15.0);
  EXPECT_LE(*r.find("overshoot")->number(), 0.05);
  EXPECT_LE(*r.find("settle_s")->number(), 0.5);
  expect_error({scene("task = \"free\""), "--gains", "auto"}, "drop-test");
  expect_error({scene("task = \"drop-test\"\ndrop = 0"), "--without", "limits"}, "drop");
}

TEST_F(SimulateCommand, FreeMotionPassesThroughTheStatesWithNothingToTouch) {
  const io::Value r = report({scene("task = \"grasp\""), "--free"});
  EXPECT_EQ(r.find("object"), nullptr);
  EXPECT_EQ(*r.find("max_contact_force_N")->number(), 0.0);
  const auto names = states(r, "right");
  EXPECT_NE(std::find(names.begin(), names.end(), "gripping"), names.end());
  EXPECT_NE(std::find(names.begin(), names.end(), "relaxing"), names.end());
}

TEST_F(SimulateCommand, AWristGoesAlongKeyframesAndCuesAreHeard) {
  const std::string file = scene(
      "task = \"path\"\ncues = [ { time = 0.2, cue = \"grip\" }, { time = 0.4, cue = \"release\" "
      "}, "
      "{ time = 0.6, cue = \"open\" } ]",
      "[[hand]]\nname = \"mine\"\n[[object]]\nshape = \"sphere\"\nfixed = true\n"
      "[[motion]]\nof = \"mine\"\nkeyframe = [ { time = 0, position = [0.5, 0.5, 0] }, "
      "{ time = 1, position = [0.4, 0.5, 0] } ]\n");
  const io::Value r = report({file, "-o", at("path.glb")});
  std::vector<std::string> names = states(r, "mine");
  ASSERT_GE(names.size(), 2u);
  const auto gripping = std::find(names.begin(), names.end(), "gripping");
  EXPECT_NE(gripping, names.end());
  for (const io::Value& state : r.find("states")->items()) {
    if (*state.find("state")->string() == "gripping") {
      EXPECT_NEAR(*state.find("start_s")->number(), 0.2, 0.005);
      EXPECT_NEAR(*state.find("end_s")->number(), 0.4, 0.005);
    }
  }
  const auto clip = io::read_glb(at("path.glb"));
  ASSERT_TRUE(clip.ok()) << clip.message();
  const HandTrack& track = clip->hands[0];
  const auto wrist = [&](const HandPose& pose) {
    return segment_frames(*track.hand, pose)[track.hand->wrist()].position;
  };
  constexpr double kFollows = 0.005;  // of a wrist on a weld
  EXPECT_LT((wrist(track.poses.front()) - Vec3(0.5, 0.5, 0.0)).norm(), kFollows);
  EXPECT_LT((wrist(track.poses.back()) - Vec3(0.4, 0.5, 0.0)).norm(), kFollows);
}

TEST_F(SimulateCommand, AControllerIsMirroredForTheOtherHand) {
  report({scene("task = \"free\"\nseconds = 0.2", "[[hand]]\nside = \"left\"\n")});
  EXPECT_NE(err.find("mirrored for a left hand"), std::string::npos) << err;
}

TEST_F(SimulateCommand, WristsAreAsStrongAsTheSceneSays) {
  const auto strength = [&](const std::string& line) {
    return *report({scene("task = \"free\"\nseconds = 0.1\n" + line)}).find("physics");
  };
  EXPECT_EQ(*strength("").find("wrist_strength_N")->number(), 150.0);
  const io::Value physics = strength("wrist_strength = [80, inf]");
  EXPECT_EQ(*physics.find("wrist_strength_N")->number(), 80.0);
  EXPECT_EQ(*physics.find("wrist_strength_Nm")->string(), "inf");
}

// The hand of a recording, and the mesh that the controller was fitted on, in other units than
// meters: both are what they were in the fit.
TEST_F(SimulateCommand, AHandAndAMeshOfOnesOwnAreReadAsInTheFit) {
  const std::string clips = fs::absolute("scenes/control/clips").string();
  std::ifstream in(clips + "/cylinder_grasp.cylinder.obj");
  std::ofstream mesh(at("dm.obj"));
  for (std::string word; in >> word;) {
    if (word == "v") {
      double x, y, z;
      in >> x >> y >> z;
      mesh << fmt::format("v {} {} {}\n", 10.0 * x, 10.0 * y, 10.0 * z);
    } else if (word == "f") {
      std::string rest;
      std::getline(in, rest);
      mesh << "f" << rest << "\n";
    } else {
      std::getline(in, word);
    }
  }
  mesh.close();
  const io::Value r =
      report({"scenes/control/grasp.toml", "--hand", clips + "/cylinder_grasp.right.bvh",
              "--object", at("dm.obj"), "--present", "search"});
  const Vec3 size = *r.find("object")->find("size_m")->vector();
  EXPECT_LT(size.maxCoeff(), 0.3);
  EXPECT_TRUE(*r.find("held")->boolean());
}

TEST_F(SimulateCommand, TheOtherSideGraspsAsWell) {
  const io::Value r = report({"scenes/control/grasp.toml", "--side", "left", "-o", at("left.glb")});
  EXPECT_TRUE(*r.find("held")->boolean());
  const auto clip = io::read_glb(at("left.glb"));
  ASSERT_TRUE(clip.ok()) << clip.message();
  EXPECT_EQ(clip->hands[0].hand->side, Side::kLeft);
}

// The paper's hand: no rehearsal, no added inertia, a wrist of any strength, states by distance.
TEST_F(SimulateCommand, ThePapersGripIsThePapers) {
  const io::Value r = report({"scenes/control/grasp.toml", "--grip", "paper"}, kExitMissed);
  EXPECT_EQ(*r.find("placement")->find("presented")->string(), "example");
  EXPECT_TRUE(*r.find("placement")->find("grip_by_distance")->boolean());
  EXPECT_FALSE(r.find("placement")->find("rehearsal"));
  const io::Value& physics = *r.find("physics");
  EXPECT_EQ(*physics.find("wrist_strength_N")->string(), "inf");
  EXPECT_EQ(*physics.find("added_inertia")->find("most_kg_m2")->number(), 0.0);
}

TEST_F(SimulateCommand, WhatIsWrongIsOneLine) {
  expect_error({"clip.glb"}, "takes a scene");
  expect_error({scene("task = \"dance\"")}, "scene.toml");
  expect_error({scene("grip = \"glue\"")}, "glue");
  expect_error({scene(""), "--without", "skin"}, "should be one of arm, gravity, limits, passive");
  expect_error({scene(""), "--gains", "1e7,50"}, "unstable");
  expect_error({scene(""), "--gains", "1"}, "--gains");
  expect_error({scene(""), "--alpha", "-1"}, "--alpha");
  expect_error({scene(""), "--timestep", "1"}, "--timestep");
  expect_error({scene("wrist_strength = [0, 15]")}, "above zero, or inf");
  expect_error({scene("wrist_strength = [150]")}, "[newtons, newton meters]");
  expect_error({scene("task = \"handshake\""), "--heaviest"}, "--heaviest");
  expect_error({scene("task = \"handshake\""), "--margins"}, "--margins");
  expect_error({scene(""), "--hand", at("missing.bvh")}, "missing.bvh");
  expect_error({scene(""), "--hand", at("hand.txt")}, "a hand is read from");
  expect_error({scene(""), "--object-units", "ells"}, "--object-units");
  expect_error({scene("task = \"handshake\"")}, "two hands");
  expect_error({scene("", "[[hand]]\nprofile = \"anatomical\"\n")}, "profile should be \"ball\"");
  expect_error({scene(""), "--object", "unicorn"}, "unicorn");
  expect_error({scene(""), "--controller", at("missing.json")}, "missing.json");
  expect_error({scene("task = \"path\"")}, "nothing that the hand could reach for");
  expect_error({scene("cues = [ { time = 1, hand = \"third\", cue = \"grip\" } ]")}, "third");
  std::ofstream(at("bare.toml")) << "[[hand]]\n";
  expect_error({at("bare.toml")}, "give a controller");
  std::ofstream(at("other.json")) << "{\"format\": \"other\"}";
  expect_error({scene(""), "--controller", at("other.json")}, "not a controller");
}

}  // namespace
}  // namespace prehend::cli
