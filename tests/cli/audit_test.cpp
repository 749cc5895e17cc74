// What `prehend audit` writes, on a clip whose flaws are known.
#include <gtest/gtest.h>

#include <sstream>

#include "prehend/core/hand_builder.h"
#include "prehend/geometry/primitive.h"
#include "prehend/io/glb.h"
#include "tests/cli/command.h"

namespace prehend::cli {
namespace {

constexpr double kRate = 50.0;
constexpr int kFrames = 60;

// A box stands still in the air at 0.7 m, far from a hand above it that bends a finger back in
// frame 12.
Clip flawed() {
  Clip clip;
  clip.name = "flawed";
  clip.frame_rate = kRate;
  Hand hand = build_hand().value();
  hand.name = "right";
  const auto shared = std::make_shared<const Hand>(std::move(hand));
  clip.hands = {{shared, std::vector<HandPose>(kFrames, rest_pose(*shared))}};
  for (HandPose& pose : clip.hands[0].poses) pose.root_world.position.y() = 1.0;
  const int segment = shared->find("ring-intermediate");
  Quat& turned = clip.hands[0].poses[12].rotations[segment];
  turned = turned * exp_map({radians(30), 0, 0});
  Object box =
      geometry::object_from_primitive("box", ShapeKind::kBox, Vec3::Constant(0.03), 0.3).value();
  clip.objects = {{std::make_shared<const Object>(std::move(box)),
                   std::vector<Transform>(kFrames, Transform::from_position({1.0, 0.73, 0.0}))}};
  return clip;
}

class AuditCommand : public Command {
 protected:
  AuditCommand() : Command("audit") {}
  void SetUp() override {
    Command::SetUp();
    ASSERT_TRUE(io::write_glb(flawed(), at("clip.glb")).ok());
  }
};

TEST_F(AuditCommand, NamesTheWorstInTextAndReport) {
  const Outcome told = call({at("clip.glb")});
  EXPECT_EQ(told.code, kExitMissed);
  EXPECT_NE(told.out.find("worst joint beyond its range 30.0 degrees at 0.24 s (frame 12): right "
                          "ring-intermediate"),
            std::string::npos)
      << told.out;
  const io::Value report = call({at("clip.glb"), "--json"}).json();
  const io::Value& worst = *report.find("audit")->find("worst");
  const auto limits =
      std::find_if(worst.items().begin(), worst.items().end(),
                   [](const io::Value& v) { return *v.find("kind")->string() == "limits"; });
  ASSERT_NE(limits, worst.items().end());
  EXPECT_EQ(*limits->find("frame")->integer(), 12);
  EXPECT_NEAR(*limits->find("time_s")->number(), 0.24, 1e-9);
  EXPECT_EQ(*limits->find("unit")->string(), "rad");
  EXPECT_EQ(*limits->find("hand")->string(), "right");
  EXPECT_EQ(*limits->find("segment")->string(), "ring-intermediate");
  EXPECT_TRUE(limits->find("object")->is_null());
}

TEST_F(AuditCommand, WritesARowAFrameWithWhatIsBad) {
  EXPECT_EQ(call({at("clip.glb"), "--floor", "auto", "-o", at("frames.csv"), "--quiet"}).code,
            kExitMissed);
  std::ifstream file(at("frames.csv"));
  std::string line;
  ASSERT_TRUE(std::getline(file, line));
  EXPECT_TRUE(line.starts_with("time_s,penetration_m,")) << line;
  EXPECT_TRUE(line.ends_with(",bad")) << line;
  int row = 0;
  for (; std::getline(file, line); ++row)
    EXPECT_EQ(line.substr(line.rfind(',') + 1), row == 12 ? "limits" : "") << row;
  EXPECT_EQ(row, kFrames);
}

TEST_F(AuditCommand, ProposesTheFloorThatTheBoxRestsOn) {
  const io::Value report = call({at("clip.glb"), "--json"}).json();
  const io::Value* proposed = report.find("audit")->find("proposed_floor");
  ASSERT_TRUE(proposed);
  EXPECT_NEAR(*proposed->find("height_m")->number(), 0.70, 1e-6);
  EXPECT_EQ(*proposed->find("explained_fraction")->number(), 1.0);
  EXPECT_EQ(*report.find("audit")->find("explained_fraction")->number(), 0.0);
  EXPECT_NE(call({at("clip.glb")}).out.find("run again with --floor 0.700"), std::string::npos);
  for (const char* floor : {"auto", "0.7"}) {
    const io::Value with = call({at("clip.glb"), "--floor", floor, "--json"}).json();
    EXPECT_EQ(*with.find("audit")->find("explained_fraction")->number(), 1.0) << floor;
    EXPECT_EQ(with.find("audit")->find("proposed_floor"), nullptr) << floor;
  }
  const Outcome bad = call({at("clip.glb"), "--floor", "table"});
  EXPECT_EQ(bad.code, kExitBadInput);
  EXPECT_EQ(std::count(bad.err.begin(), bad.err.end(), '\n'), 1);
}

TEST_F(AuditCommand, MarksPagesAndClips) {
  call({at("clip.glb"), "-o", at("marked.glb"), "-o", at("marked.html"), "--quiet"});
  std::ostringstream bytes;
  bytes << std::ifstream(at("marked.glb")).rdbuf();
  EXPECT_NE(bytes.str().find("\"marks\":["), std::string::npos);
  EXPECT_NE(bytes.str().find("ring-intermediate"), std::string::npos);
  const auto read = io::read_glb(at("marked.glb"));
  ASSERT_TRUE(read.ok()) << read.message();
  EXPECT_EQ(read->frame_count(), kFrames);
  EXPECT_TRUE(std::filesystem::exists(at("marked.html")));
}

}  // namespace
}  // namespace prehend::cli
