#include "prehend/cli/run.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "prehend/cli/verb.h"
#include "prehend/core/atomic_file.h"
#include "prehend/core/hand_builder.h"
#include "prehend/core/version.h"
#include "prehend/geometry/builtin.h"
#include "prehend/io/bvh_clip.h"
#include "prehend/io/glb.h"
#include "prehend/io/value.h"
#include "prehend/physics/engine_version.h"
#include "tests/cli/command.h"
#include "tests/recordings.h"

namespace prehend::cli {
namespace {

namespace fs = std::filesystem;

TEST_F(Command, AloneExplainsItself) {
  for (const auto& arguments : {std::vector<std::string>{}, {"--help"}, {"help"}}) {
    const Outcome outcome = call(arguments);
    EXPECT_EQ(outcome.code, kExitDone);
    for (const Verb& verb : verbs()) EXPECT_NE(outcome.out.find(verb.name), std::string::npos);
  }
}

TEST_F(Command, TellsItsVersion) {
  const Outcome outcome = call({"--version"});
  EXPECT_EQ(outcome.code, kExitDone);
  const std::string number = version(), described = commit();
  EXPECT_EQ(std::count(number.begin(), number.end(), '.'), 2);
  EXPECT_FALSE(described.empty());
  EXPECT_EQ(outcome.out, "prehend " + number + " (commit " + described + ", " +
                             physics::engine_version() + ")\n");
  EXPECT_TRUE(physics::engine_version().starts_with("MuJoCo "));
}

TEST_F(Command, EveryVerbHasHelpWithExamples) {
  for (const Verb& verb : verbs()) {
    const Outcome outcome = call({verb.name, "--help"});
    EXPECT_EQ(outcome.code, kExitDone) << verb.name;
    EXPECT_NE(outcome.out.find("Examples:"), std::string::npos) << verb.name;
    EXPECT_NE(outcome.out.find("--json"), std::string::npos) << verb.name;
    EXPECT_TRUE(outcome.err.empty());
    for (const Example& example : verb.examples)
      EXPECT_TRUE(example.command.starts_with("prehend " + verb.name)) << example.command;
    EXPECT_EQ(call({"help", verb.name}).out, outcome.out);
  }
}

TEST_F(Command, AMistypedVerbIsGuessed) {
  const Outcome outcome = call({"rendr"});
  expect_one_line_error(outcome);
  EXPECT_NE(outcome.err.find("render"), std::string::npos);
  expect_one_line_error(call({"xyzzy"}));
  expect_one_line_error(call({"--seed", "2", "render"}));
  expect_one_line_error(call({"bad\nverb\x01"}));
}

TEST_F(Command, AMistypedOptionIsGuessed) {
  const Outcome outcome = call({"hand", "--lenght", "0.2"});
  expect_one_line_error(outcome);
  EXPECT_NE(outcome.err.find("--length"), std::string::npos);
}

TEST_F(Command, AnUnknownOptionIsNamedEvenBeforeAValue) {
  for (const auto& arguments : {std::vector<std::string>{"grasp", "sphere", "--bogus", "3"},
                                {"grasp", "--bogus=3", "sphere"}}) {
    const Outcome outcome = call(arguments);
    expect_one_line_error(outcome);
    EXPECT_NE(outcome.err.find("unknown option --bogus"), std::string::npos) << outcome.err;
  }
  EXPECT_NE(call({"hand", "-x"}).err.find("unknown option -x"), std::string::npos);
}

TEST_F(Command, ASeedIsAWholeNumberThatAReportCanHold) {
  for (const char* bad : {"-1", "010", "18446744073709551616", "9223372036854775808", "1.5", "x"}) {
    const Outcome outcome = call({"hand", "--seed", bad});
    expect_one_line_error(outcome);
    EXPECT_NE(outcome.err.find("--seed"), std::string::npos) << outcome.err;
  }
  const Outcome outcome = call({"hand", "--seed", "9223372036854775807", "--json"});
  ASSERT_EQ(outcome.code, kExitDone) << outcome.err;
  EXPECT_EQ(outcome.json().find("seed")->integer(), 9223372036854775807);
}

TEST_F(Command, NoOutputTakesAnothersPlace) {
  for (const auto& [first, second] : {std::pair{"a.glb", "a.glb"}, {"a.csv", "a.contacts.csv"}}) {
    const Outcome outcome = call({"demo", "-o", at(first), "-o", at(second)});
    expect_one_line_error(outcome);
    EXPECT_NE(outcome.err.find("two outputs"), std::string::npos) << outcome.err;
  }
  expect_one_line_error(call({"hand", "-o", at("a.json"), "--report", at("./a.json")}));
  EXPECT_TRUE(empty());
}

TEST_F(Command, BadValuesAreOneLine) {
  expect_one_line_error(call({"hand", "--length", "long"}));
  expect_one_line_error(call({"hand", "--length", "nan"}));
  expect_one_line_error(call({"hand", "--length", "7"}));
  expect_one_line_error(call({"hand", "--side", "both"}));
  expect_one_line_error(call({"hand", "--length"}));
  expect_one_line_error(call({"hand", "--seed", "x"}));
  expect_one_line_error(call({"hand", "--threads", "-3"}));
  const std::string picture = at("x.png");
  for (const char* size : {"0x0", "big", "100", "99999x10", "-5x5", "10x"})
    if (std::string(size) != "100")
      expect_one_line_error(call({"render", "sphere", "-o", picture, "--size", size}));
  for (const char* camera : {"1", "1,2,3,4", "1,2,-1", "a,b", "0,100", ",", "1,2,nan"})
    expect_one_line_error(call({"render", "sphere", "-o", picture, "--camera", camera}));
  expect_one_line_error(call({"render", "sphere", "-o", picture, "--frame", "5"}));
  expect_one_line_error(call({"render", "sphere", "-o", picture, "--time", "5"}));
  expect_one_line_error(call({"render", "sphere", "-o", picture, "--forces"}));
  expect_one_line_error(call({"render", "sphere", "-o", picture, "--skin", "--capsules"}));
  expect_one_line_error(call({"render", "sphere"}));
  expect_one_line_error(call({"render"}));
  EXPECT_TRUE(empty());
}

TEST_F(Command, AnUnknownEndingListsTheKnownOnes) {
  const Outcome outcome = call({"render", "sphere", "-o", at("x.gif")});
  expect_one_line_error(outcome);
  EXPECT_NE(outcome.err.find(".png .mp4"), std::string::npos) << outcome.err;
  expect_one_line_error(call({"render", "sphere", "-o", at("x")}));
  EXPECT_TRUE(empty());
}

TEST_F(Command, AnUnwritableOutputIsToldBeforeTheWork) {
  expect_one_line_error(call({"render", "sphere", "-o", at("no/such/x.png")}));
  fs::create_directories(folder / "x.png");
  expect_one_line_error(call({"render", "sphere", "-o", at("x.png")}));
  expect_one_line_error(call({"hand", "--report", at("no/such/report.json")}));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 1);
}

TEST_F(Command, BadInputsAreOneLineAndLeaveNothing) {
  {
    std::ofstream(at("empty.glb"));
    std::ofstream(at("garbage.glb"), std::ios::binary) << std::string("\x00\xff\x12glTF\x01", 8);
    std::ofstream(at("garbage.bvh")) << "HIERARCHY\nROOT {{{{";
    std::ofstream(at("garbage.stl")) << "solid \xff\xfe nothing";
    std::ofstream(at("garbage.xml")) << "<mujoco><body>";
  }
  const auto files = [this] {
    return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
  };
  const auto before = files();
  for (const std::string& input :
       {std::string("/dev/null"), at("missing.glb"), at("missing.bvh"), at("missing.stl"),
        at("empty.glb"), at("garbage.glb"), at("garbage.bvh"), at("garbage.stl"), at("garbage.xml"),
        folder.string(), std::string("no-such-builtin"), std::string("")}) {
    SCOPED_TRACE(input);
    expect_one_line_error(call({"render", input, "-o", at("x.png"), "--quiet"}));
    expect_one_line_error(call({"convert", input, "-o", at("x.glb"), "--quiet"}));
    expect_one_line_error(call({"hand", input, "-o", at("x.glb"), "--quiet"}));
  }
  EXPECT_EQ(files(), before);
}

TEST_F(Command, HandPrintsATable) {
  const Outcome outcome = call({"hand", "--profile", "anatomical"});
  EXPECT_EQ(outcome.code, kExitDone) << outcome.err;
  EXPECT_NE(outcome.out.find("30 degrees of freedom"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("index-proximal"), std::string::npos);
  EXPECT_TRUE(call({"hand", "--quiet"}).out.empty());
}

TEST_F(Command, JsonIsAllThereIsOnStandardOutput) {
  const Outcome outcome = call({"hand", "--json", "--profile", "ball", "--seed", "7"});
  EXPECT_EQ(outcome.code, kExitDone);
  const auto value = io::parse_json(outcome.out, "stdout");
  ASSERT_TRUE(value.ok()) << value.message();
  EXPECT_EQ(*value->find("verb")->string(), "hand");
  EXPECT_EQ(*value->find("seed")->integer(), 7);
  EXPECT_EQ(*value->find("hand")->find("dof")->integer(), 57);
  for (const char* key : {"version", "inputs", "seconds", "summary"})
    EXPECT_NE(value->find(key), nullptr) << key;
}

TEST_F(Command, AHandGoesOutAndComesBack) {
  const Outcome made =
      call({"hand", "--length", "0.172", "--side", "left", "--posture", "fist", "-o",
            at("left.glb"), "-o", at("left.json"), "--report", at("r.json")});
  ASSERT_EQ(made.code, kExitDone) << made.err;
  const Outcome read = call({"hand", at("left.glb"), "--json"});
  ASSERT_EQ(read.code, kExitDone) << read.err;
  const auto value = io::parse_json(read.out, "stdout");
  ASSERT_TRUE(value.ok());
  EXPECT_NEAR(*value->find("hand")->find("length_m")->number(), 0.172, 1e-4);
  EXPECT_EQ(*value->find("hand")->find("side")->string(), "left");
  EXPECT_TRUE(io::parse_json(*read_file(at("left.json")), "left.json").ok());
  const auto report = io::parse_json(*read_file(at("r.json")), "r.json");
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(*report->find("verb")->string(), "hand");
  // Making and reading at once makes no sense.
  expect_one_line_error(call({"hand", at("left.glb"), "--length", "0.2"}));
}

TEST_F(Command, RenderIsTheSameForAnyNumberOfThreads) {
  for (const std::string& threads : {std::string("1"), std::string("2")}) {
    const Outcome outcome = call({"render", "mug", "-o", at(threads + ".png"), "--size", "96x72",
                                  "--samples", "2", "--threads", threads});
    ASSERT_EQ(outcome.code, kExitDone) << outcome.err;
  }
  EXPECT_EQ(*read_file(at("1.png")), *read_file(at("2.png")));
}

TEST_F(Command, RenderMakesSheetsAndFilms) {
  ASSERT_EQ(call({"hand", "-o", at("hand.glb")}).code, kExitDone);
  const Outcome outcome = call({"render", at("hand.glb"), "sphere", "-o", at("sheet.png"),
                                "--sheet", "3", "--size", "48x36", "--samples", "1"});
  EXPECT_EQ(outcome.code, kExitDone) << outcome.err;
  const Outcome film = call({"render", at("hand.glb"), "-o", at("film.mp4"), "--size", "48x36",
                             "--samples", "1", "--capsules"});
  EXPECT_EQ(film.code, kExitDone) << film.err;
  EXPECT_TRUE(fs::exists(at("sheet.png")) && fs::exists(at("film.mp4")));
}

TEST_F(Command, InterruptedItSavesWhatIsDoneAndSaysSo) {
  ASSERT_EQ(call({"hand", "-o", at("hand.glb")}).code, kExitDone);
  std::stop_source source;
  source.request_stop();
  const Outcome outcome = call({"render", at("hand.glb"), "-o", at("film.mp4"), "--size", "48x36",
                                "--report", at("report.json")},
                               source.get_token());
  EXPECT_EQ(outcome.code, kExitInterrupted) << outcome.err;
  EXPECT_FALSE(fs::exists(at("film.mp4")));
  EXPECT_TRUE(fs::exists(at("report.json")));
}

// A flat hand that rises by 10 cm in a second beside a sphere that stays.
Clip rising_clip() {
  Clip clip;
  clip.name = "rising";
  clip.frame_rate = 20.0;
  HandTrack hand;
  hand.hand = std::make_shared<Hand>(*build_hand());
  ObjectTrack sphere;
  sphere.object = std::make_shared<Object>(*geometry::builtin_object("sphere"));
  for (int i = 0; i <= 20; ++i) {
    hand.poses.push_back(rest_pose(*hand.hand));
    hand.poses.back().root_world.position.y() = 0.005 * i;
    sphere.poses_world.push_back({});
  }
  clip.hands.push_back(hand);
  clip.objects.push_back(sphere);
  return clip;
}

// The clip of a report on standard output; throws when there is none, which fails the test.
io::Value converted(const Outcome& outcome) {
  if (outcome.code != kExitDone) throw std::runtime_error(outcome.err);
  return *io::parse_json(outcome.out, "stdout").value().find("clip");
}

TEST_F(Command, ConvertCutsAndResamples) {
  ASSERT_TRUE(io::write_glb(rising_clip(), at("rise.glb")).ok());
  const auto frames = [this](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"convert", at("rise.glb"), "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return *converted(call(arguments)).find("frames")->integer();
  };
  EXPECT_EQ(frames({}), 21);
  EXPECT_EQ(frames({"--cut", "0.5:"}), 11);
  EXPECT_EQ(frames({"--cut", ":5f"}), 6);
  EXPECT_EQ(frames({"--rate", "60"}), 61);
  EXPECT_EQ(frames({"--cut", "0.25:0.75", "--rate", "10"}), 6);
}

TEST_F(Command, NumbersGoOutAsCsvAndComeBackWithShapes) {
  ASSERT_TRUE(io::write_glb(rising_clip(), at("rise.glb")).ok());
  ASSERT_EQ(call({"convert", at("rise.glb"), "-o", at("rise.csv"), "--quiet"}).code, kExitDone);
  const io::Value clip =
      converted(call({"convert", at("rise.csv"), "--object", "sphere=sphere", "--json"}));
  EXPECT_EQ(*clip.find("frames")->integer(), 21);
  EXPECT_EQ(clip.find("objects")->items().size(), 1u);
}

// Contacts with the table come before any with the hand, and only hands have segments.
TEST_F(Command, TheDemosOwnCsvIsAuditedWithItsObjects) {
  ASSERT_EQ(call({"demo", "-o", at("g.csv"), "--quiet"}).code, kExitDone);
  const Outcome part =
      call({"audit", at("g.csv"), "--object", "cylinder=cylinder", "--json", "--quiet"});
  ASSERT_TRUE(part.code == kExitDone || part.code == kExitMissed) << part.err;
  EXPECT_TRUE(*part.json().find("clip")->find("forces_recorded")->boolean());
  const Outcome bare = call({"audit", at("g.csv"), "--json", "--quiet"});
  EXPECT_EQ(bare.code, kExitMissed) << "objects that nobody looked at do not pass";
  for (const char* name : {"cylinder", "table"})
    EXPECT_NE(bare.out.find(std::string(name) + " has no shape"), std::string::npos) << name;
}

TEST_F(Command, ABvhMovesAnObjectBesideTheHandsItWasRecordedWith) {
  const Clip clip = rising_clip();
  ASSERT_TRUE(io::write_bvh_clip(at("rise.bvh"), clip).ok());
  const io::Value both = converted(
      call({"convert", at("rise.right.bvh"), "--object", at("rise.sphere.bvh") + "=sphere",
            "--json", "--quiet", "-o", at("both.glb")}));
  EXPECT_EQ(*both.find("frames")->integer(), 21);
  const auto read = io::read_glb(at("both.glb"));
  ASSERT_TRUE(read.ok()) << read.message();
  ASSERT_EQ(read->hands.size() + read->objects.size(), 2u);
  const Vec3 tip = xr_frames(*clip.hands[0].hand, clip.hands[0].poses[20])[24].position;
  const Vec3 back = xr_frames(*read->hands[0].hand, read->hands[0].poses[20])[24].position;
  EXPECT_NEAR((tip - back).norm(), 0.0, 1e-3);
  EXPECT_NEAR(read->objects[0].poses_world[20].position.norm(), 0.0, 1e-6);
}

TEST_F(Command, TheRecordedHandsHoldTheRecordedCylinder) {
  const std::string recorded = recording("manipnet/").string();
  PREHEND_SKIP_WITHOUT(recorded);
  const io::Value clip = converted(
      call({"convert", recorded + "cyl_med3/leftHand.bvh", recorded + "cyl_med3/rightHand.bvh",
            "--object", recorded + "cyl_med3/cyl_med.bvh=" + recorded + "cyl_med.obj", "--mirror",
            "--json", "--quiet"}));
  ASSERT_EQ(clip.find("hands")->items().size(), 2u);
  EXPECT_EQ(*clip.find("hands")->items()[0].find("side")->string(), "left");
  EXPECT_EQ(*clip.find("hands")->items()[1].find("side")->string(), "right");
  EXPECT_EQ(*clip.find("frame_rate")->number(), 120.0);
  EXPECT_EQ(clip.find("objects")->items().size(), 1u);
}

TEST_F(Command, AHandGoesOutAsMjcfAndComesBack) {
  ASSERT_EQ(call({"hand", "--length", "0.18", "-o", at("hand.xml"), "--quiet"}).code, kExitDone);
  const Outcome read = call({"hand", at("hand.xml"), "--json"});
  ASSERT_EQ(read.code, kExitDone) << read.err;
  const auto value = io::parse_json(read.out, "stdout");
  ASSERT_TRUE(value.ok());
  EXPECT_NEAR(*value->find("hand")->find("length_m")->number(), 0.18, 1e-4);
  EXPECT_EQ(*value->find("hand")->find("dof")->integer(), 30);
}

TEST_F(Command, ATableOfJointAnglesMovesTheHandThatItNames) {
  ASSERT_EQ(call({"hand", "-o", at("hand.xml"), "--quiet"}).code, kExitDone);
  std::ofstream table(at("angles.csv"));
  table
      << "time_s,index-proximal-flexion_deg,box_x_m,box_y_m,box_z_m,box_qw,box_qx,box_qy,box_qz\n";
  for (int i = 0; i <= 10; ++i) table << 0.1 * i << ',' << 3 * i << ",0.1,0,0,1,0,0,0\n";
  table.close();
  const Outcome without = call({"convert", at("angles.csv"), "--quiet"});
  expect_one_line_error(without);
  EXPECT_NE(without.err.find("--hand"), std::string::npos) << without.err;
  const io::Value clip =
      converted(call({"convert", at("angles.csv"), "--hand", at("hand.xml"), "--object", "box=box",
                      "--json", "--quiet", "-o", at("clip.glb")}));
  EXPECT_EQ(*clip.find("frames")->integer(), 11);
  EXPECT_NEAR(*clip.find("frame_rate")->number(), 10.0, 1e-6);
  EXPECT_EQ(clip.find("objects")->items().size(), 1u);
  const auto read = io::read_glb(at("clip.glb"));
  ASSERT_TRUE(read.ok()) << read.message();
  const Hand& hand = *read->hands[0].hand;
  const int segment = hand.find("index-proximal");
  ASSERT_GE(segment, 0);
  EXPECT_NEAR(angle_between(read->hands[0].poses[0].rotations[segment],
                            read->hands[0].poses[10].rotations[segment]),
              radians(30.0), 1e-4);
  expect_one_line_error(call({"convert", at("angles.csv"), "--hand", at("missing.xml")}));
  expect_one_line_error(call({"convert", at("angles.csv"), "--hand", at("hand.xml"), "--object",
                              "cup=cup", "--object", "mug=mug", "--quiet"}));
}

TEST_F(Command, TheRecordedAnglesMoveTheRecordedHand) {
  const fs::path angles = recording("myodm/MyoHand_mug_lift.csv");
  PREHEND_SKIP_WITHOUT(angles);
  const io::Value clip = converted(
      call({"convert", angles.string(), "--hand", recording("myohand/myohand.xml").string(),
            "--object", "obj=" + recording("object_sim/mug.stl").string(), "--json", "--quiet"}));
  EXPECT_EQ(clip.find("hands")->items().size(), 1u);
  EXPECT_EQ(clip.find("objects")->items().size(), 1u);
  EXPECT_NEAR(*clip.find("frame_rate")->number(), 50.0, 1e-3);
}

TEST_F(Command, ConvertKeepsAndCutsClips) {
  ASSERT_EQ(call({"hand", "--posture", "pinch", "-o", at("hand.glb")}).code, kExitDone);
  const Outcome outcome = call({"convert", at("hand.glb"), "sphere", "-o", at("both.glb"), "-o",
                                at("both.html"), "-o", at("both.bvh"), "--json"});
  ASSERT_EQ(outcome.code, kExitDone) << outcome.err;
  const auto value = io::parse_json(outcome.out, "stdout");
  ASSERT_TRUE(value.ok()) << value.message();
  EXPECT_EQ(value->find("clip")->find("hands")->items().size(), 1u);
  EXPECT_EQ(value->find("clip")->find("objects")->items().size(), 1u);
  const auto files = value->find("outputs")->strings();
  ASSERT_TRUE(files.has_value());
  EXPECT_EQ(files->size(), 4u);  // BVH has one file a track
  for (const std::string& file : *files) EXPECT_TRUE(fs::exists(file)) << file;
  expect_one_line_error(call({"convert", at("both.glb"), "--cut", "5:9", "-o", at("cut.glb")}));
  expect_one_line_error(call({"convert", at("both.glb"), "--cut", "nonsense"}));
  expect_one_line_error(call({"convert", at("both.glb"), "--rate", "-1"}));
  expect_one_line_error(call({"convert", at("both.glb"), "--object", "x"}));
  expect_one_line_error(call({"convert", at("both.glb"), "--object", "a.bvh=sphere"}));
}

}  // namespace
}  // namespace prehend::cli
