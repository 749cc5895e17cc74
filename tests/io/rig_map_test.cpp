#include "prehend/io/rig_map.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "prehend/core/hand_builder.h"
#include "prehend/core/hand_pose.h"
#include "tests/io/mutate.h"

namespace prehend::io {
namespace {

constexpr int kTip = 4;

int xr(Digit digit, int phalanx) {
  const char* const names[] = {"metacarpal", "proximal", "intermediate", "distal", "tip"};
  const auto name = fmt::format("{}-{}", to_string(digit), names[phalanx]);
  const auto& all = xr_joint_names();
  return static_cast<int>(std::find(all.begin(), all.end(), name) - all.begin());
}

// A rig under a convention: which phalanges it has and what it calls them.
struct Convention {
  const char* what;
  std::string wrist;
  std::vector<int> thumb;
  std::vector<int> finger;
  // Names a joint: digit 0 thumb to 4 little, phalanx, and its place in the digit's chain.
  std::function<std::string(int digit, int phalanx, int place)> name;
  bool two_hands = false;  // names say "$" for the side's letter or word
  std::string left = "L", right = "R";
};

void add_hand(const Convention& convention, Side side, RigSkeleton& rig,
              std::vector<int>& expected) {
  const auto hand = build_hand({.profile = HandProfile::kBall, .side = side});
  const auto frames = xr_frames(*hand, rest_pose(*hand));
  const auto add = [&](std::string name, int parent, int joint) {
    if (const auto at = name.find('$'); at != std::string::npos)
      name.replace(at, 1, side == Side::kLeft ? convention.left : convention.right);
    rig.names.push_back(name);
    rig.parents.push_back(parent);
    rig.positions.push_back(100.0 * frames[joint].position);
    expected.push_back(joint);
    return static_cast<int>(rig.names.size()) - 1;
  };
  const int forearm = add("$ForeArm", -1, 0);
  const int wrist = add(convention.wrist, forearm, 0);
  for (const Digit digit : kDigits) {
    int parent = wrist, place = 0;
    const int d = static_cast<int>(digit);
    for (const int phalanx : d == 0 ? convention.thumb : convention.finger)
      parent = add(convention.name(d, phalanx, place++), parent, xr(digit, phalanx));
  }
}

const char* const kDigitWords[] = {"Thumb", "Index", "Middle", "Ring", "Pinky"};

std::vector<Convention> conventions() {
  const auto word = [](int d) { return std::string(kDigitWords[d]); };
  const auto lower = [](int d) {
    std::string w = kDigitWords[d];
    w[0] = static_cast<char>(w[0] + 32);
    return w;
  };
  const std::vector<int> three = {1, 2, 3}, four = {0, 1, 2, 3}, tipped = {1, 2, 3, kTip};
  const std::vector<int> all = {0, 1, 2, 3, kTip}, thumb = {0, 1, 3}, thumb_tip = {0, 1, 3, kTip};
  const char* const xr_words[] = {"metacarpal", "proximal", "intermediate", "distal", "tip"};
  return {
      {"OpenXR", "wrist", thumb_tip, all,
       [=](int d, int p, int) {
         return fmt::format("{}-{}", to_string(static_cast<Digit>(d)), xr_words[p]);
       }},
      {"WebXR", "wrist", thumb_tip, all,
       [=](int d, int p, int) {
         if (d == 0 && p == 0) return std::string("thumb-metacarpal");
         const auto base = lower(d) + (d == 0 ? "-" : "-finger-");
         return base + (p == 0 || p == kTip ? "" : "phalanx-") + xr_words[p];
       }},
      {"Mixamo", "mixamorig:$Hand", thumb_tip, tipped,
       [=](int d, int, int i) { return fmt::format("mixamorig:$Hand{}{}", word(d), i + 1); }, true,
       "Left", "Right"},
      {"Unity", "$ Hand", thumb, three,
       [=](int d, int p, int i) {
         const char* const words[] = {"Proximal", "Intermediate", "Distal"};
         return fmt::format("$ {} {}", d == 4 ? "Little" : word(d), words[d == 0 ? i : p - 1]);
       },
       true, "Left", "Right"},
      {"Unreal", "hand_$", thumb, four,
       [=](int d, int p, int i) {
         if (d > 0 && p == 0) return lower(d) + "_metacarpal_$";
         return fmt::format("{}_0{}_$", lower(d), d == 0 ? i + 1 : p);
       },
       true, "l", "r"},
      {"Rigify", "DEF-hand.$", thumb, four,
       [=](int d, int p, int i) {
         if (d == 0) return fmt::format("DEF-thumb.0{}.$", i + 1);
         if (p == 0) return fmt::format("DEF-palm.0{}.$", d);
         return fmt::format("DEF-f_{}.0{}.$", lower(d), p);
       },
       true},
      {"Biped", "Bip01 $ Hand", thumb, three,
       [=](int d, int, int i) {
         return i == 0 ? fmt::format("Bip01 $ Finger{}", d)
                       : fmt::format("Bip01 $ Finger{}{}", d, i);
       },
       true},
      {"MakeHuman", "wrist.$", thumb, four,
       [=](int d, int p, int i) {
         if (d > 0 && p == 0) return fmt::format("metacarpal{}.$", d);
         return fmt::format("finger{}-{}.$", d + 1, d == 0 ? i + 1 : p);
       },
       true},
      {"Daz", "$Hand", thumb, four,
       [=](int d, int p, int i) {
         if (d > 0 && p == 0) return fmt::format("$Carpal{}", d);
         return fmt::format("${}{}", d == 2 ? "Mid" : word(d), d == 0 ? i + 1 : p);
       },
       true, "l", "r"},
      {"Perception Neuron", "$Hand", thumb, four,
       [=](int d, int p, int i) {
         if (d > 0 && p == 0) return fmt::format("$InHand{}", word(d));
         return fmt::format("$Hand{}{}", word(d), d == 0 ? i + 1 : p);
       },
       true, "Left", "Right"},
      {"Rokoko", "$Hand", thumb_tip, all,
       [=](int d, int p, int) {
         const char* const words[] = {"Metacarpal", "Proximal", "Medial", "Distal", "Tip"};
         return fmt::format("$Finger{}{}", d + 1, words[p]);
       },
       true, "Left", "Right"},
      {"SMPL-X", "$_wrist", thumb, three,
       [=](int d, int, int i) { return fmt::format("$_{}{}", lower(d), i + 1); }, true, "left",
       "right"},
      {"VRM", "J_Bip_$_Hand", thumb, three,
       [=](int d, int, int i) {
         return fmt::format("J_Bip_$_{}{}", d == 4 ? "Little" : word(d), i + 1);
       },
       true},
      {"anatomy", "CARPUS", thumb, three,
       [=](int d, int p, int) {
         const char* const thumb_words[] = {"CMC", "MCP", "", "IP"};
         const char* const words[] = {"", "MCP", "PIP", "DIP"};
         return fmt::format("{}{}", d == 0 ? thumb_words[p] : words[p], d + 1);
       }},
      {"bones", "carpus", thumb, four,
       [=](int d, int p, int) {
         const char* const words[] = {"mc", "proxph", "midph", "distph"};
         return d == 0 ? std::string("thumb") + (p == 0   ? "mc"
                                                 : p == 1 ? "prox"
                                                          : "dist")
                       : fmt::format("{}{}", d + 1, words[p]);
       }},
      {"letters", "$_wrist", thumb, four,
       [=](int d, int p, int i) {
         if (d > 0 && p == 0) return fmt::format("$_{}_meta", lower(d));
         return fmt::format("$_{}_{}", lower(d), "abc"[d == 0 ? i : p - 1]);
       },
       true},
      {"side first", "$_Wrist", thumb, tipped,
       [=](int d, int p, int i) {
         return fmt::format("$_{}_{}", word(d), p == kTip ? "End" : std::to_string(i + 1));
       },
       true},
      {"all in lower case", "$hand", thumb, three,
       [=](int d, int, int i) { return fmt::format("$hand{}{}", lower(d), i + 1); }, true, "left",
       "right"},
  };
}

class RigMap : public ::testing::TestWithParam<Convention> {};

TEST_P(RigMap, FindsEveryJointByItsName) {
  const Convention& convention = GetParam();
  RigSkeleton rig;
  std::vector<int> expected;
  add_hand(convention, Side::kRight, rig, expected);
  const std::size_t right_count = rig.names.size();
  if (convention.two_hands) add_hand(convention, Side::kLeft, rig, expected);
  const auto hands = map_rig(rig, {}, "clip.bvh");
  ASSERT_TRUE(hands.ok()) << hands.message();
  ASSERT_EQ(hands->size(), convention.two_hands ? 2u : 1u);
  for (const RigHand& hand : *hands) {
    const std::size_t first = convention.two_hands && hand.side == Side::kLeft ? right_count : 0;
    const std::size_t last = first + right_count;
    for (std::size_t i = first + 1; i < last; ++i) {
      const std::vector<int> want = {static_cast<int>(i)};
      EXPECT_EQ(hand.joints[expected[i]], want)
          << rig.names[i] << " is " << xr_joint_names()[expected[i]] << "\n"
          << rig_table(rig, hand);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Conventions, RigMap, ::testing::ValuesIn(conventions()),
                         [](const auto& test) {
                           std::string name = test.param.what;
                           std::erase_if(name, [](char c) { return !std::isalnum(c); });
                           return name;
                         });

RigSkeleton split_thumb() {
  RigSkeleton rig;
  rig.names = {"WRIST",       "THUMB_CMC_FE", "THUMB_CMC_AA", "THUMB_MCP_FE",
               "THUMB_IP_FE", "INDEX_MCP",    "INDEX_PIP_FE", "INDEX_DIP_FE",
               "PINKY_MCP",   "PINKY_PIP_FE", "PINKY_DIP_FE"};
  rig.parents = {-1, 0, 1, 2, 3, 0, 5, 6, 0, 8, 9};
  rig.positions.assign(rig.names.size(), Vec3::Zero());
  return rig;
}

TEST(RigMapping, MergesAJointThatIsSplitByAxis) {
  const auto hands = map_rig(split_thumb(), {}, "folder/rightHand.bvh");
  ASSERT_TRUE(hands.ok()) << hands.message();
  const RigHand& hand = (*hands)[0];
  EXPECT_EQ(hand.side, Side::kRight);
  EXPECT_TRUE(hand.side_from_names);
  EXPECT_EQ(hand.joints[xr(Digit::kThumb, 0)], (std::vector<int>{1, 2}));
  EXPECT_EQ(hand.joints[xr(Digit::kThumb, 3)], (std::vector<int>{4}));
  EXPECT_FALSE(hand.has(xr(Digit::kIndex, 0)));
  EXPECT_FALSE(hand.has(xr(Digit::kRing, 1)));
}

TEST(RigMapping, LeavesTheRestOfABodyAlone) {
  RigSkeleton rig;
  rig.names = {"Hips", "LeftToeBase", "LittleToe_L", "UpperLipMid_L", "EarRing_R", "RightForeArm"};
  rig.parents = {-1, 0, 1, 0, 0, 0};
  rig.positions.assign(rig.names.size(), Vec3::Zero());
  const auto hands = map_rig(rig, {}, "body.bvh");
  ASSERT_FALSE(hands.ok());
  EXPECT_NE(hands.message().find("no hand found among 6 joints"), std::string::npos);
}

TEST(RigMapping, ObeysTheMapFile) {
  const auto hints = parse_rig_hints(
      "units = \"dm\"\nside = \"left\"\n[joints]\nPINKY_MCP = \"ring-proximal\"\nTHUMB_CMC_FE = "
      "\"none\"\n",
      "map.toml");
  ASSERT_TRUE(hints.ok()) << hints.message();
  EXPECT_EQ(hints->meters_per_unit, 0.1);
  const auto hands = map_rig(split_thumb(), *hints, "rightHand.bvh");
  ASSERT_TRUE(hands.ok()) << hands.message();
  const RigHand& hand = (*hands)[0];
  EXPECT_EQ(hand.side, Side::kLeft);
  EXPECT_EQ(hand.joints[xr(Digit::kRing, 1)], (std::vector<int>{8}));
  EXPECT_EQ(hand.joints[xr(Digit::kThumb, 0)], (std::vector<int>{2}));
}

// A side before one joint's name is the side of a rig that names none.
TEST(RigMapping, ASideInTheMapFileIsThatOfTheWholeRig) {
  const auto plain = parse_rig_hints("INDEX_MCP = \"index-proximal\"\n", "map.toml");
  const auto sided = parse_rig_hints("INDEX_MCP = \"right/index-proximal\"\n", "map.toml");
  ASSERT_TRUE(plain.ok() && sided.ok());
  const auto expected = map_rig(split_thumb(), *plain, "a.bvh");
  const auto hands = map_rig(split_thumb(), *sided, "a.bvh");
  ASSERT_TRUE(expected.ok() && hands.ok()) << hands.message();
  ASSERT_EQ(hands->size(), 1u);
  EXPECT_EQ((*hands)[0].joints, (*expected)[0].joints);
  EXPECT_EQ((*hands)[0].side, Side::kRight);
  EXPECT_TRUE((*hands)[0].side_from_names);
  EXPECT_TRUE((*hands)[0].given[xr(Digit::kIndex, 1)]);
  const auto contradiction =
      parse_rig_hints("side = \"left\"\nINDEX_MCP = \"right/index-proximal\"\n", "map.toml");
  ASSERT_TRUE(contradiction.ok());
  EXPECT_NE(map_rig(split_thumb(), *contradiction, "a.bvh").message().find("map.toml: the side"),
            std::string::npos);
}

TEST(RigMapping, NamesAMissingBoneInOneLine) {
  auto hints = parse_rig_hints("\"INDEX_MPC\" = \"index-proximal\"", "map.toml");
  ASSERT_TRUE(hints.ok());
  EXPECT_EQ(map_rig(split_thumb(), *hints, "a.bvh").message(),
            "map.toml: the rig has no joint \"INDEX_MPC\"; did you mean \"INDEX_MCP\"?");
  hints = parse_rig_hints("INDEX_MCP = \"index-proximl\"", "map.toml");
  ASSERT_FALSE(hints.ok());
  EXPECT_EQ(hints.message(),
            "map.toml:1:1: a hand has no joint \"index-proximl\"; did you mean "
            "\"index-proximal\"?");
  EXPECT_FALSE(parse_rig_hints("units = \"parsec\"", "m").ok());
  EXPECT_FALSE(parse_rig_hints("up = 3", "m").ok());
  EXPECT_FALSE(parse_rig_hints("INDEX_MCP = 3", "m").ok());
}

TEST(RigMapping, AnswersDamagedMapFilesWithAValueOrOneLine) {
  const std::string good =
      "units = \"cm\"\nup = \"z\"\nside = \"left\"\n[joints]\n\"INDEX_MCP\" = "
      "\"index-proximal\"\n\"PINKY_MCP\" = \"left/little-proximal\"\nWRIST = \"wrist\"\n";
  const double refused = testing::expect_value_or_one_line(
      good, [](const std::string& bytes) -> Result<std::vector<RigHand>> {
        const auto hints = parse_rig_hints(bytes, "m.toml");
        if (!hints) return hints.error();
        return map_rig(split_thumb(), *hints, "m.bvh");
      });
  EXPECT_GT(refused, 0.3);
}

}  // namespace
}  // namespace prehend::io
