// prehend detail: what it refuses in one line, what it reports, and what it writes.
#include <filesystem>

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "prehend/io/bvh_clip.h"
#include "prehend/io/glb.h"
#include "tests/cli/command.h"

namespace prehend::cli {
namespace {

class DetailCommand : public Command {
 protected:
  DetailCommand() : Command("detail") {}

  // A box that is lifted, and a right hand that stands `distance` meters beside it.
  std::string lifted_box(double distance, const std::string& options = "") const {
    return write("scene.toml", fmt::format(R"(
[environment]
table = {{ height = 0.0 }}
[[hand]]
side = "right"
[[object]]
shape = "box"
[[motion]]
of = "box"
keyframe = [{{ time = 0, position = [0, 0.04, 0] }}, {{ time = 0.4, position = [0, 0.04, 0] }},
            {{ time = 1, position = [0, 0.2, 0] }}, {{ time = 1.2, position = [0, 0.2, 0] }}]
[[motion]]
of = "right"
relative_to = "box"
keyframe = [{{ time = 0, position = [{0}, 0.01, 0.093], rotation_deg = [0, 0, -90] }}]
[options.detail]
frame_rate = 20
{1}
)",
                                           distance, options));
  }
  void expect_one_line(const Outcome& outcome, const std::string& part) const {
    EXPECT_EQ(outcome.code, kExitBadInput) << outcome.err;
    EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_TRUE(outcome.out.empty());
  }
};

TEST_F(DetailCommand, MistakesAreOneLineThatSaysWhatWouldBeRight) {
  expect_one_line(call({at("missing.bvh")}), "missing.bvh");
  expect_one_line(call({"mug"}), "no hand");
  expect_one_line(call({lifted_box(0.08), "--mass", "-1"}), "--mass");
  expect_one_line(call({lifted_box(0.08), "--friction", "0"}), "--friction");
  expect_one_line(call({lifted_box(0.08), "--strategy", "glue"}), "--strategy");
  expect_one_line(call({lifted_box(0.08), "--strategy", "slide@3:1"}), "--strategy");
  expect_one_line(call({lifted_box(0.08), "--count", "0"}), "--count");
  expect_one_line(call({lifted_box(0.08), "--mass", "30"}), "more than one hand can carry");
  expect_one_line(call({lifted_box(0.08), "--object", "jug=mug"}), "has no object \"jug\"");
  expect_one_line(call({lifted_box(0.08), "--object", "box=box:0"}), "a size is");
  expect_one_line(call({lifted_box(0.08, "cuont = 3")}), "did you mean \"count\"");
  expect_one_line(call({lifted_box(0.08), "--prior", at("none.json")}), "none.json");
}

TEST_F(DetailCommand, AnObjectThatNoHandIsNearMissesAndSaysInWhichFrames) {
  const Outcome outcome = call({lifted_box(2.0), "--json"});
  EXPECT_EQ(outcome.code, kExitMissed);
  EXPECT_NE(outcome.err.find("none is near"), std::string::npos) << outcome.err;
  const io::Value r = outcome.json();
  EXPECT_TRUE(r.find("solutions")->items().empty());
  EXPECT_LT(*r.find("solved_fraction")->number(), 0.5);
  ASSERT_FALSE(r.find("unsolved")->items().empty());
  EXPECT_GE(*r.find("unsolved")->items()[0].find("first_frame")->integer(), 7);
}

TEST_F(DetailCommand, FingersThatMoveAreReplacedOnlyWhenAsked) {
  ASSERT_EQ(cli::run({"demo", "-o", at("grip.glb"), "--quiet"}, {std::cout, std::cerr, false, {}}),
            kExitDone);
  expect_one_line(call({at("grip.glb")}), "--strip-fingers replaces them");
}

TEST_F(DetailCommand, TheReportHasTheColumnsOfTheTable) {
  const Outcome outcome = call({"scenes/sampling/milk-pick.toml", "--count", "1", "--json", "-o",
                                at("milk.glb"), "-o", at("milk.tree.png"), "-o", at("milk.json")});
  const io::Value r = outcome.json();
  for (const char* key :
       {"total_frames", "success_frames", "success_ratio", "solution_ratio", "kinematic_ms",
        "dynamic_ms", "wrist_moved_m", "solved_fraction", "seconds"})
    EXPECT_TRUE(r.find(key) && r.find(key)->is_number()) << key;
  for (const char* cause : {"reach", "collision", "force"})
    EXPECT_TRUE(r.find("dead_ends")->find(cause)) << cause;
  EXPECT_TRUE(r.find("physics")->find("friction"));
  ASSERT_EQ(r.find("solutions")->items().size(), 1u);
  EXPECT_EQ(outcome.code, kExitDone);
  const io::Value& solution = r.find("solutions")->items()[0];
  EXPECT_EQ(*solution.find("frames")->integer(), 101);
  EXPECT_FALSE(solution.find("strategy")->string()->empty());
  EXPECT_FALSE(solution.find("contacts")->items().empty());
  EXPECT_GE(*solution.find("min_margin")->number(), 0.0);
  EXPECT_GE(*r.find("audit")->find("explained_fraction")->number(), 0.99);
  const auto clip = io::read_glb(at("milk.glb"));
  ASSERT_TRUE(clip.ok()) << clip.message();
  EXPECT_TRUE(clip->forces_recorded);
  EXPECT_TRUE(std::filesystem::exists(at("milk.tree.png")));
  EXPECT_TRUE(std::filesystem::exists(at("milk.json")));
}

}  // namespace
}  // namespace prehend::cli
