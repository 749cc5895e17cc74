#include "prehend/io/bvh.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/io/mutate.h"

namespace prehend::io {
namespace {

const char* const kArm =
    "HIERARCHY\r\nROOT Upper Arm\r\n{\r\n\tOFFSET 0 1.5 0\r\n"
    "\tCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\r\n"
    "\tJOINT fore:arm {\r\n\t\tOFFSET +2 0 0\r\n\t\tCHANNELS 1 Zrotation\r\n"
    "\t\tJOINT hand\r\n\t\t{\r\n\t\t\tOFFSET 1 0 0\r\n"
    "\t\t\tCHANNELS 5 Zrotation Yposition Xposition Zposition Yrotation\r\n"
    "\t\t\tEnd Site\r\n\t\t\t{\r\n\t\t\t\tOFFSET 0.5 0 0\r\n\t\t\t}\r\n\t\t}\r\n\t}\r\n}\r\n"
    "MOTION\r\nFrames: 2\r\nFrame Time: 0.0333333\r\n"
    "1 2 3 0 0 0 0 0 0 1 0 0\r\n1 2 3 90 0 0 -90 90 0.25 1 0 0\r\n";

TEST(Bvh, ReadsChannelsInAnyOrderAndPlacesJointsByHand) {
  const auto bvh = parse_bvh(kArm, "arm.bvh");
  ASSERT_TRUE(bvh.ok()) << bvh.message();
  ASSERT_EQ(bvh->joints.size(), 3u);
  EXPECT_EQ(bvh->joints[0].name, "Upper Arm");
  EXPECT_EQ(bvh->joints[1].name, "fore:arm");
  EXPECT_EQ(bvh->channel_count, 12);
  EXPECT_DOUBLE_EQ(bvh->frame_rate(), 30.0);
  ASSERT_EQ(bvh->joints[2].end_sites.size(), 1u);
  // The root turns by 90 degrees: the elbow stands above it; the elbow turns back, so that the
  // hand lies 1 to the right and 0.25 up of it.
  const auto frames = bvh_frames(*bvh, 1);
  EXPECT_NEAR((frames[1].position - Vec3(1, 4, 3)).norm(), 0.0, 1e-12);
  EXPECT_NEAR((frames[2].position - Vec3(2, 4.25, 3)).norm(), 0.0, 1e-12);
  EXPECT_NEAR(angle_between(frames[2].rotation, exp_map({0, 0, kPi / 2})), 0.0, 1e-12);
}

TEST(Bvh, TellsPlacesFromDisplacementsByTheirSize) {
  std::string text = kArm;
  auto bvh = parse_bvh(text, "arm.bvh");
  EXPECT_EQ(bvh->joints[2].positions, BvhPositions::kReplaceOffset);
  const std::string from = "0 0 0 1 0 0\r\n1 2 3 90 0 0 -90 90 0.25 1 0 0";
  text.replace(text.find(from), from.size(), "0 0 0 0 0 0\r\n1 2 3 90 0 0 -90 90 0.25 0 0 0");
  bvh = parse_bvh(text, "arm.bvh");
  ASSERT_TRUE(bvh.ok()) << bvh.message();
  EXPECT_EQ(bvh->joints[2].positions, BvhPositions::kAddToOffset);
  EXPECT_NEAR((bvh_frames(*bvh, 1)[2].position - Vec3(2, 4.25, 3)).norm(), 0.0, 1e-12);
}

TEST(Bvh, TakesEveryKindOfLineEnd) {
  std::string unix_text, mac_text;
  for (const char* c = kArm; *c; ++c) {
    if (*c != '\r') unix_text += *c;
    if (*c != '\n') mac_text += *c;
  }
  EXPECT_TRUE(parse_bvh(unix_text, "a").ok());
  EXPECT_TRUE(parse_bvh(mac_text, "a").ok());
  EXPECT_TRUE(parse_bvh("\xef\xbb\xbf" + unix_text, "a").ok());
}

TEST(Bvh, NamesTheLineOfAMistake) {
  std::string text = kArm;
  text.replace(text.find("CHANNELS 1 Z"), 12, "CHANNELS 1 W");
  EXPECT_EQ(parse_bvh(text, "arm.bvh").message(),
            "arm.bvh:8: expected a channel such as Xposition or Zrotation, not \"Wrotation\"");
  text = kArm;
  text.resize(text.size() - 4);
  EXPECT_EQ(parse_bvh(text, "arm.bvh").message(),
            "arm.bvh:24: expected a number of the motion, but the file ends (frame 2 of 2, channel "
            "12 of 12)");
  text = kArm;
  text.replace(text.find("Frames: 2"), 9, "Frames: 999999999");
  EXPECT_EQ(parse_bvh(text, "arm.bvh").message(),
            "arm.bvh:22: 999999999 frames of 12 channels are promised, more than the file holds");
  EXPECT_EQ(parse_bvh("solid mesh", "x.stl").message(),
            "x.stl:1: expected HIERARCHY at the start of a BVH file, not \"solid\"");
  text = kArm;
  text.replace(text.find("0.25"), 4, "nan");
  EXPECT_EQ(parse_bvh(text, "arm.bvh").message(),
            "arm.bvh:24: \"nan\" is not a usable number (frame 2 of 2, channel 9 of 12)");
}

TEST(Bvh, WritesWhatItReads) {
  const auto bvh = parse_bvh(kArm, "arm.bvh");
  const auto again = parse_bvh(format_bvh(*bvh), "again.bvh");
  ASSERT_TRUE(again.ok()) << again.message();
  ASSERT_EQ(again->joints.size(), bvh->joints.size());
  EXPECT_EQ(again->values, bvh->values);
  for (std::size_t i = 0; i < bvh->joints.size(); ++i) {
    EXPECT_EQ(again->joints[i].name, bvh->joints[i].name);
    EXPECT_EQ(again->joints[i].channels, bvh->joints[i].channels);
    EXPECT_EQ(again->joints[i].offset, bvh->joints[i].offset);
  }
}

TEST(Bvh, AnswersDamagedFilesWithAValueOrOneLine) {
  const double refused = testing::expect_value_or_one_line(
      kArm, [](const std::string& b) { return parse_bvh(b, "m.bvh"); });
  EXPECT_GT(refused, 0.4);
  std::string deep = "HIERARCHY\nROOT a\n{\n";
  for (int i = 0; i < 100000; ++i) deep += "JOINT a\n{\n";
  EXPECT_FALSE(parse_bvh(deep, "deep.bvh").ok());
}

TEST(Euler, ComposesBackInEveryOrder) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(-3.0, 3.0);
  for (const char* text : {"XYZ", "XZY", "YXZ", "YZX", "ZXY", "zyx"}) {
    const auto order = parse_euler_order(text);
    ASSERT_TRUE(order.ok());
    for (int i = 0; i < 200; ++i) {
      const Quat q = exp_map({uniform(random), uniform(random), uniform(random)});
      const Vec3 previous(3 * uniform(random), 3 * uniform(random), 3 * uniform(random));
      EXPECT_LT(angle_between(from_euler(euler_angles(q, *order, previous), *order), q), 1e-7);
    }
  }
  for (const char* text : {"", "XY", "XXY", "ABC", "ZXYZ"})
    EXPECT_FALSE(parse_euler_order(text).ok());
}

TEST(Euler, StaysContinuousThroughHalfTurnsAndLock) {
  const EulerOrder order = *parse_euler_order("ZXY");
  Vec3 previous = Vec3::Zero();
  const Vec3 axis = Vec3(1.0, 0.05, 0.02).normalized();
  for (int i = 0; i <= 2000; ++i) {
    // Two turns mostly about X, the middle axis, pass the lock four times.
    const Quat q = exp_map(axis * std::remainder(i * 4.0 * kPi / 2000, 2.0 * kPi));
    const Vec3 angles = euler_angles(q, order, previous);
    EXPECT_LT(angle_between(from_euler(angles, order), q), 1e-6);
    EXPECT_LT((angles - previous).norm(), 0.35) << i;
    previous = angles;
  }
  // Exactly at the lock the third angle keeps its value.
  const Quat locked = from_euler({0.3, kPi / 2, 0.4}, order);
  const Vec3 angles = euler_angles(locked, order, {0.2, 1.5, 0.4});
  EXPECT_NEAR((angles - Vec3(0.3, kPi / 2, 0.4)).norm(), 0.0, 1e-6);
}

}  // namespace
}  // namespace prehend::io
