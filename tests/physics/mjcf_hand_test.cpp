#include "prehend/physics/mjcf_hand.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include <gtest/gtest.h>

#include "prehend/hands/posture.h"
#include "prehend/physics/dynamics.h"
#include "tests/physics/physics_fixture.h"
#include "tests/recordings.h"

namespace prehend::physics {
namespace {

constexpr double kPositionTolerance = 1e-9;  // meters, ours against the engine's

struct Table {
  std::vector<std::string> columns;
  Eigen::MatrixXd rows;
};
Table read_csv(const std::filesystem::path& path, int every) {
  std::ifstream in(path);
  Table table;
  std::string line, cell;
  std::getline(in, line);
  std::stringstream header(line);
  while (std::getline(header, cell, ',')) table.columns.push_back(cell);
  std::vector<std::vector<double>> rows;
  for (int i = 0; std::getline(in, line); ++i) {
    if (i % every) continue;
    std::stringstream cells(line);
    rows.emplace_back();
    while (std::getline(cells, cell, ',')) rows.back().push_back(std::stod(cell));
  }
  table.rows.resize(static_cast<Eigen::Index>(rows.size()),
                    static_cast<Eigen::Index>(table.columns.size()));
  for (size_t r = 0; r < rows.size(); ++r) {
    for (size_t c = 0; c < rows[r].size(); ++c) {
      table.rows(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c)) = rows[r][c];
    }
  }
  return table;
}

class MyoHand : public testing::Test {
 protected:
  void SetUp() override {
    const auto path = recording("myohand/myohand.xml");
    PREHEND_SKIP_WITHOUT(path);
    Result<MjcfHand> loaded = MjcfHand::load(path.string());
    ASSERT_TRUE(loaded.ok()) << loaded.message();
    file = std::make_unique<MjcfHand>(std::move(*loaded));
  }
  std::unique_ptr<MjcfHand> file;
};

TEST_F(MyoHand, LoadsWithoutLabels) {
  const Hand& hand = *file->hand();
  EXPECT_EQ(hand.side, Side::kRight);
  for (size_t joint = 0; joint < kXrJointCount; ++joint) {
    EXPECT_GE(hand.xr_segments[joint], 0) << xr_joint_names()[joint];
  }
  // Its 23 joints less the three of forearm and wrist, which are above the hand's root.
  EXPECT_EQ(hand.dof(), 20);
  EXPECT_NEAR(hand.length, 0.19, 0.02);
  EXPECT_EQ(hand.segments[0].name, "wrist");
  for (const Digit digit : kDigits) {
    const FingerPad& pad = hand.pads[static_cast<size_t>(digit)];
    ASSERT_GE(pad.segment, 0);
    EXPECT_LT(pad.tip.z(), -0.01) << to_string(digit) << ": the tip lies ahead, along -Z";
  }
}

TEST_F(MyoHand, FlexionBendsFingersTowardsThePalm) {
  const Hand& hand = *file->hand();
  HandPose pose = rest_pose(hand);
  const std::vector<Transform> straight = segment_frames(hand, pose);
  for (const char* digit : {"thumb", "index", "middle", "ring", "little"}) {
    const int distal = hand.find(std::string(digit) + "-distal");
    ASSERT_GE(distal, 0);
    const Segment& segment = hand.segments[static_cast<size_t>(distal)];
    ASSERT_EQ(segment.joints.size(), 1u);
    // The joint's axis is X within a few degrees (the little finger's end joint is oblique).
    EXPECT_GE(std::abs(segment.joints[0].axis.x()), 0.75) << digit;
    const double flex = segment.joints[0].upper[0] + segment.joints[0].lower[0] > 0 ? 1.0 : -1.0;
    const Vec3 tip = hand.pads[0].tip;
    const Vec3 moved = Quat(Eigen::AngleAxisd(0.5 * flex, segment.joints[0].axis)) * Vec3(0, 0, -1);
    EXPECT_LT(moved.y(), -0.2) << digit << " flexes to the pulp's side " << tip.norm();
  }
  // Backs of the fingers face the way of the hand's back.
  const Vec3 back = straight[0].turn(Vec3::UnitY());
  for (const char* name : {"index-proximal", "middle-distal", "little-intermediate"}) {
    EXPECT_GT(straight[static_cast<size_t>(hand.find(name))].turn(Vec3::UnitY()).dot(back), 0.7);
  }
}

TEST_F(MyoHand, RecordedPosesStandWhereTheEngineHasThem) {
  const std::vector<std::string> bodies = {"lunate",  "proximal_thumb", "distal_thumb", "secondmc",
                                           "proxph2", "midph2",         "distph2",      "distph3",
                                           "proxph4", "distph5"};
  const std::vector<std::string> segments = {
      "wrist",          "thumb-proximal",     "thumb-distal", "index-metacarpal",
      "index-proximal", "index-intermediate", "index-distal", "middle-distal",
      "ring-proximal",  "little-distal"};
  const std::vector<std::string> tips = {"THtip", "IFtip", "MFtip", "RFtip", "LFtip"};
  const Hand& hand = *file->hand();
  int files = 0;
  double worst = 0.0;
  for (const char* name :
       {"MyoHand_cup_pour1.csv", "MyoHand_hammer_use1.csv", "MyoHand_airplane_fly1.csv"}) {
    const auto path = recording(std::string("myodm/") + name);
    if (path.empty()) continue;
    ++files;
    const Table table = read_csv(path, 20);
    const Result<std::vector<HandPose>> poses = file->poses(table.columns, table.rows);
    ASSERT_TRUE(poses.ok()) << poses.message();
    ASSERT_EQ(poses->size(), static_cast<size_t>(table.rows.rows()));
    for (size_t r = 0; r < poses->size(); ++r) {
      const Eigen::VectorXd row = table.rows.row(static_cast<Eigen::Index>(r));
      const std::vector<Transform> frames = segment_frames(hand, (*poses)[r]);
      const std::vector<Vec3> expected = file->positions(table.columns, row, bodies).value();
      for (size_t k = 0; k < bodies.size(); ++k) {
        const Vec3 ours = frames[static_cast<size_t>(hand.find(segments[k]))].position;
        worst = std::max(worst, (ours - expected[k]).norm());
      }
      const std::vector<Vec3> ends = file->positions(table.columns, row, tips).value();
      for (size_t d = 0; d < kDigitCount; ++d) {
        const FingerPad& pad = hand.pads[d];
        const Vec3 ours = frames[static_cast<size_t>(pad.segment)] * pad.tip;
        worst = std::max(worst, (ours - ends[d]).norm());
      }
    }
  }
  if (files == 0) GTEST_SKIP() << "skipped: no recordings";
  EXPECT_LE(worst, kPositionTolerance);
}

TEST_F(MyoHand, SimulatesLikeAnyHand) {
  HandSetup setup;
  setup.hand = file->hand();
  setup.servo_stiffness = 0.5;
  const Result<WorldPtr> world = World::build(std::span(&setup, 1), {});
  ASSERT_TRUE(world.ok()) << world.message();
  State state(*world);
  std::mt19937 random(1);
  const HandPose pose = random_pose(*setup.hand, random);
  state.set_hand_pose(0, pose);
  std::vector<Transform> frames(setup.hand->segments.size());
  segment_frames(state, 0, frames);
  const std::vector<Transform> expected = segment_frames(*setup.hand, pose);
  for (size_t i = 0; i < frames.size(); ++i) {
    EXPECT_LE((frames[i].position - expected[i].position).norm(), 1e-12);
  }
  state.set_servo_target(0, rest_pose(*setup.hand));
  state.step(300);
  EXPECT_TRUE(state.healthy());
}

TEST_F(MyoHand, ARecordingWithoutItsJointsIsRefused) {
  const std::vector<std::string> columns = {"time_s", "obj_x_m"};
  EXPECT_FALSE(file->poses(columns, Eigen::MatrixXd::Zero(1, 2)).ok());
  const std::vector<std::string> flexion = {"flexion_rad"};
  Eigen::MatrixXd bad(1, 1);
  bad(0, 0) = std::nan("");
  const auto result = file->poses(flexion, bad);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.message().find('\n'), std::string::npos);
}

class Export : public testing::TestWithParam<std::pair<HandProfile, Side>> {};

TEST_P(Export, ReadsBackTheSameHand) {
  const Hand hand = *make_hand(GetParam().first, GetParam().second);
  const Result<MjcfHand> back = MjcfHand::parse(hand_to_mjcf(hand), "own.xml");
  ASSERT_TRUE(back.ok()) << back.message();
  const Hand& copy = *back->hand();
  EXPECT_EQ(copy.name, hand.name);
  EXPECT_EQ(copy.profile, hand.profile);
  EXPECT_EQ(copy.side, hand.side);
  EXPECT_EQ(copy.length, hand.length);
  EXPECT_NEAR(copy.mass(), hand.mass(), 1e-12);
  ASSERT_EQ(copy.dof(), hand.dof());
  for (const Segment& segment : hand.segments) {
    if (segment.joints.empty() && hand.xr_segments[0] > 0) continue;
    const int found = copy.find(segment.name);
    ASSERT_GE(found, 0) << segment.name;
    const Segment& other = copy.segments[static_cast<size_t>(found)];
    EXPECT_LE((other.rest_parent.position - segment.rest_parent.position).norm(), 1e-12);
    EXPECT_LE(angle_between(other.rest_parent.rotation, segment.rest_parent.rotation), 1e-9);
    EXPECT_LE((other.inertia - segment.inertia).norm(), 1e-12);
    EXPECT_EQ(other.digit, segment.digit);
    EXPECT_EQ(other.phalanx, segment.phalanx);
    ASSERT_EQ(other.joints.size(), segment.joints.size());
    ASSERT_EQ(other.capsules.size(), segment.capsules.size());
    for (size_t k = 0; k < segment.joints.size(); ++k) {
      EXPECT_EQ(other.joints[k].name, segment.joints[k].name);
      EXPECT_NEAR(other.joints[k].max_torque, segment.joints[k].max_torque, 1e-12);
      if (segment.joints[k].type == JointType::kBall) continue;
      EXPECT_LE((other.joints[k].axis - segment.joints[k].axis).norm(), 1e-12);
      EXPECT_NEAR(other.joints[k].lower[0], segment.joints[k].lower[0], 1e-12);
      EXPECT_NEAR(other.joints[k].upper[0], segment.joints[k].upper[0], 1e-12);
    }
    for (size_t k = 0; k < segment.capsules.size(); ++k) {
      EXPECT_NEAR(other.capsules[k].radius, segment.capsules[k].radius, 1e-12);
      const double same = std::min((other.capsules[k].a - segment.capsules[k].a).norm(),
                                   (other.capsules[k].a - segment.capsules[k].b).norm());
      EXPECT_LE(same, 1e-12);
    }
  }
  for (size_t d = 0; d < kDigitCount; ++d) {
    EXPECT_LE((copy.pads[d].point - hand.pads[d].point).norm(), 1e-12);
    EXPECT_LE((copy.pads[d].normal - hand.pads[d].normal).norm(), 1e-9);
    EXPECT_LE((copy.pads[d].tip - hand.pads[d].tip).norm(), 1e-12);
  }
  EXPECT_EQ(copy.overlapping.size(), hand.overlapping.size());
}
INSTANTIATE_TEST_SUITE_P(Profiles, Export,
                         testing::Values(std::pair(HandProfile::kBall, Side::kRight),
                                         std::pair(HandProfile::kAnatomical, Side::kRight),
                                         std::pair(HandProfile::kAnatomical, Side::kLeft)));

TEST(MjcfHand, JointsOfOneBodyWithTwoAnchorsBecomeAChain) {
  const char* text = R"(<mujoco><worldbody><body name="palm"><freejoint/>
    <geom type="sphere" size="0.03"/>
    <body name="index-proximal" pos="0.1 0 0">
      <joint name="a" axis="0 0 1" pos="0.01 0.02 0"/><joint name="b" axis="0 1 0" pos="-0.02 0 0.01"/>
      <geom type="capsule" fromto="0 0 0 0.05 0 0" size="0.008"/>
      <body name="index-distal" pos="0.05 0 0"><joint name="c" axis="0 0 1"/>
        <geom type="capsule" fromto="0 0 0 0.03 0 0" size="0.007"/></body>
    </body></body></worldbody></mujoco>)";
  const Result<MjcfHand> file = MjcfHand::parse(text, "two.xml");
  ASSERT_TRUE(file.ok()) << file.message();
  const Hand& hand = *file->hand();
  EXPECT_EQ(hand.dof(), 3);
  const std::vector<std::string> columns = {"a", "b", "c"};
  Eigen::MatrixXd row(1, 3);
  row << 0.4, -0.7, 0.3;
  const HandPose pose = file->poses(columns, row).value()[0];
  const std::vector<std::string> names = {"index-distal"};
  const Vec3 expected = file->positions(columns, row.row(0), names).value()[0];
  const Vec3 ours =
      segment_frames(hand, pose)[static_cast<size_t>(hand.find("index-distal"))].position;
  EXPECT_LE((ours - expected).norm(), kPositionTolerance);
}

TEST(MjcfHand, WrongLabelsAndMissingFilesAreOneLine) {
  HandLabels labels;
  labels.bodies[5] = "nonesuch";
  const std::string text = hand_to_mjcf(*make_hand(HandProfile::kAnatomical));
  const Result<MjcfHand> wrong = MjcfHand::parse(text, "own.xml", labels);
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(wrong.message().find("nonesuch"), std::string::npos);
  EXPECT_FALSE(MjcfHand::load("no/such/file.xml").ok());
  EXPECT_FALSE(MjcfHand::parse("", "empty.xml").ok());
  const Result<MjcfHand> no_hand = MjcfHand::parse(
      "<mujoco><worldbody><body name='x'><geom size='1'/></body></worldbody></mujoco>", "ball.xml");
  ASSERT_FALSE(no_hand.ok());
  EXPECT_NE(no_hand.message().find("ball.xml"), std::string::npos);
}

// Every damage to a file ends in a hand or in one line, never in the end of the program.
TEST(MjcfHand, SurvivesDamagedFiles) {
  const std::string text = hand_to_mjcf(*make_hand(HandProfile::kAnatomical));
  std::mt19937 random(4);
  const auto at = [&](size_t size) {
    return std::uniform_int_distribution<size_t>(0, size - 1)(random);
  };
  const std::vector<std::string> bits = {"nan",
                                         "1e308",
                                         "-1e30",
                                         "inf",
                                         "<",
                                         ">",
                                         "\"",
                                         "0",
                                         "-1",
                                         "&",
                                         "</body>",
                                         "<body>",
                                         "\xff\xfe",
                                         "",
                                         "1e-320",
                                         "<joint/>",
                                         "mocap=\"true\""};
  int refused = 0;
  for (int trial = 0; trial < 300; ++trial) {
    std::string damaged = text;
    switch (trial % 5) {
      case 0:
        damaged.resize(at(text.size()));
        break;
      case 1:
        for (int k = 0; k < 5; ++k) damaged[at(text.size())] = static_cast<char>(at(256));
        break;
      case 2:
        damaged.insert(at(text.size()), bits[at(bits.size())]);
        break;
      case 3: {  // a number replaced
        const size_t digit = text.find_first_of("0123456789", at(text.size() - 100));
        const size_t end = text.find_first_not_of("0123456789.e-", digit);
        damaged.replace(digit, end - digit, bits[at(bits.size())]);
        break;
      }
      default: {  // a line lost
        const size_t from = text.find('\n', at(text.size() - 500));
        damaged.erase(from, text.find('\n', from + 1) - from);
      }
    }
    const Result<MjcfHand> result = MjcfHand::parse(damaged, "damaged.xml");
    if (result.ok()) {
      HandSetup setup;
      setup.hand = result->hand();
      const Result<WorldPtr> world = World::build(std::span(&setup, 1), {});
      EXPECT_TRUE(world.ok() || world.message().find('\n') == std::string::npos);
      continue;
    }
    ++refused;
    EXPECT_EQ(result.message().find('\n'), std::string::npos) << result.message();
  }
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace prehend::physics
