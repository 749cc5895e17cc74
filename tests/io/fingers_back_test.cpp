// Fingers put back into files that others made: other channels stay as they were, and the fingers
// stand where the hand has them.
#include "prehend/io/fingers_back.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <sstream>

#include <nlohmann/json.hpp>

#include "io/glb_builder.h"
#include "io/gltf_motion.h"
#include "prehend/core/hand_builder.h"
#include "prehend/io/bvh_clip.h"
#include "prehend/io/glb.h"

namespace prehend::io {
namespace {

constexpr double kPlace = 5e-5;  // m: six decimals of a centimeter, and angles to 1e-6 degrees

// A body in centimeters, T-pose, with wrists and nothing below them but an end site.
const char* const kBody = R"(HIERARCHY
ROOT Hips
{
	OFFSET 0 0 0
	CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
	JOINT Chest
	{
		OFFSET 0 25 0
		CHANNELS 3 Zrotation Xrotation Yrotation
		JOINT Head
		{
			OFFSET 0 35 0
			CHANNELS 3 Zrotation Xrotation Yrotation
			End Site
			{
				OFFSET 0 15 0
			}
		}
		JOINT RightArm
		{
			OFFSET -18 25 0
			CHANNELS 3 Zrotation Xrotation Yrotation
			JOINT RightForeArm
			{
				OFFSET -28 0 0
				CHANNELS 3 Zrotation Xrotation Yrotation
				JOINT RightHand
				{
					OFFSET -26 0 0
					CHANNELS 3 Zrotation Xrotation Yrotation
					End Site
					{
						OFFSET -8 0 0
					}
				}
			}
		}
		JOINT LeftArm
		{
			OFFSET 18 25 0
			CHANNELS 3 Zrotation Xrotation Yrotation
			JOINT LeftForeArm
			{
				OFFSET 28 0 0
				CHANNELS 3 Zrotation Xrotation Yrotation
				JOINT LeftHand
				{
					OFFSET 26 0 0
					CHANNELS 3 Zrotation Xrotation Yrotation
				}
			}
		}
	}
}
MOTION
Frames: 4
Frame Time: 0.0333333
0 95 0 0 0 0 1 2 3 4 5 6 10 20 30 5 -15 25 3.25 -2 1e1 7 8 9 -1.5 0.25 4 2 12 -22
0.5 95.25 0.125 1 0 0 1 2 3 4 5 6 12 21 30 6 -15 24 3.5 -2 10 7 8 9 -1.5 0.25 4 2 12 -21
1.0 95.5 0.25 2 0 0 1 2 3 4 5 6 14 22 30 7 -15 23 3.75 -2 10 7 8 9 -1.5 0.25 4 2 12 -20
1.5 95.75 0.375 3 0 0 1 2 3 4 5 6 16 23 30 8 -15 22 4.00 -2 10 7 8 9 -1.5 0.25 4 2 12 -19
)";

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> out;
  for (std::string word; in >> word;) out.push_back(word);
  return out;
}

// The hands of a file with fingers that bend more with every frame, and wrists that give by
// `shift`.
std::vector<HandTrack> bent(std::vector<HandTrack> hands, const Vec3& shift) {
  for (HandTrack& track : hands) {
    for (std::size_t f = 0; f < track.poses.size(); ++f) {
      HandPose& pose = track.poses[f];
      pose.root_world.position += shift * static_cast<double>(f);
      for (int s = 0; s < track.hand->segment_count(); ++s)
        if (track.hand->segments[s].digit != Digit::kNone)
          pose.rotations[s] = pose.rotations[s] *
                              exp_map({-0.1 * static_cast<double>(f) - 0.02 * s, 0.01 * s, 0.02});
    }
  }
  return hands;
}

double worst(const HandTrack& a, const HandTrack& b) {
  double out = 0.0;
  for (std::size_t f = 0; f < a.poses.size(); ++f) {
    const auto x = xr_frames(*a.hand, a.poses[f]), y = xr_frames(*b.hand, b.poses[f]);
    for (int j = 1; j < kXrJointCount; ++j)
      if (!xr_joint_names()[j].ends_with("-tip"))
        out = std::max(out, (x[j].position - y[j].position).norm());
  }
  return out;
}

// Each channel's words over the frames, by "joint channel".
std::map<std::string, std::vector<std::string>> channel_words(const std::string& text) {
  const Bvh bvh = *parse_bvh(text, "body.bvh");
  const auto all = words(text.substr(text.find("Frame Time:")));
  std::map<std::string, std::vector<std::string>> out;
  for (const BvhJoint& joint : bvh.joints)
    for (std::size_t c = 0; c < joint.channels.size(); ++c)
      for (int f = 0; f < bvh.frame_count; ++f)
        out[joint.name + " " + std::to_string(static_cast<int>(joint.channels[c]))].push_back(
            all[3 + f * bvh.channel_count + joint.first_channel + c]);
  return out;
}

TEST(FingersBack, ABodyWithoutFingersGetsThemAndKeepsEveryWord) {
  const RigHints hints;
  const auto read = clip_from_bvh(*parse_bvh(kBody, "body.bvh"), "body.bvh", hints);
  ASSERT_TRUE(read.ok()) << read.message();
  ASSERT_EQ(read->clip.hands.size(), 2u);
  const auto hands = bent(read->clip.hands, Vec3(0.003, 0.001, -0.002));
  const auto made = bvh_with_fingers(kBody, "body.bvh", hints, {hands, 0});
  ASSERT_TRUE(made.ok()) << made.message();
  const auto before = channel_words(kBody), after = channel_words(made->bytes);
  for (const auto& [channel, text] : before) EXPECT_EQ(after.at(channel), text) << channel;
  EXPECT_GT(after.size(), before.size() + 2 * 19 * 3);

  const auto again = clip_from_bvh(*parse_bvh(made->bytes, "body.bvh"), "body.bvh", hints);
  ASSERT_TRUE(again.ok()) << again.message();
  ASSERT_EQ(again->clip.hands.size(), 2u);
  const Bvh bvh = *parse_bvh(made->bytes, "body.bvh");
  for (const HandTrack& track : hands) {
    const std::string wrist = track.hand->side == Side::kLeft ? "LeftHand" : "RightHand";
    for (int f = 0; f < bvh.frame_count; ++f) {
      const auto rig = bvh_frames(bvh, f);
      const auto frames = segment_frames(*track.hand, track.poses[f]);
      for (int s = 1; s < track.hand->segment_count(); ++s) {
        std::string name = wrist + "_" + track.hand->segments[s].name;
        std::replace(name.begin(), name.end(), '-', '_');
        const int joint = bvh.find(name);
        ASSERT_GE(joint, 0) << name;
        EXPECT_LT((0.01 * rig[joint].position - frames[s].position).norm(), kPlace) << name;
      }
    }
  }
}

TEST(FingersBack, FingersThatTheRigHasAreTurnedAnewAndNothingElse) {
  Clip clip;
  HandTrack track;
  track.hand = std::make_shared<const Hand>(*build_hand({.profile = HandProfile::kBall}));
  for (int f = 0; f < 5; ++f) {
    HandPose pose = rest_pose(*track.hand);
    pose.root_world = {exp_map({0.1 * f, 0.4, 0.0}), Vec3(0.1, 1.0 + 0.01 * f, 0.0)};
    track.poses.push_back(pose);
  }
  track = bent({track}, Vec3::Zero())[0];
  const std::string text = format_bvh(bvh_from_hand(track, 30.0));
  const RigHints hints;
  const auto read = clip_from_bvh(*parse_bvh(text, "right.bvh"), "right.bvh", hints);
  ASSERT_TRUE(read.ok()) << read.message();
  const auto hands = bent(read->clip.hands, Vec3::Zero());
  const auto made = bvh_with_fingers(text, "right.bvh", hints, {hands, 0});
  ASSERT_TRUE(made.ok()) << made.message();
  const auto before = channel_words(text), after = channel_words(made->bytes);
  EXPECT_EQ(before.size(), after.size());
  int changed = 0;
  for (const auto& [channel, old] : before) {
    if (channel.starts_with("wrist ")) {
      EXPECT_EQ(after.at(channel), old) << channel;
    }
    changed += after.at(channel) != old;
  }
  EXPECT_GT(changed, 30);
  const auto again = clip_from_bvh(*parse_bvh(made->bytes, "right.bvh"), "right.bvh", hints);
  ASSERT_TRUE(again.ok()) << again.message();
  EXPECT_LT(worst(hands[0], again->clip.hands[0]), kPlace);

  // Where the wrist gives, the file's wrist stays and the fingers stand where the hand has them.
  const auto given = bent(read->clip.hands, Vec3(0.002, -0.001, 0.003));
  const auto moved = bvh_with_fingers(text, "right.bvh", hints, {given, 0});
  ASSERT_TRUE(moved.ok()) << moved.message();
  const Bvh bvh = *parse_bvh(moved->bytes, "right.bvh");
  for (const auto& [channel, old] : before) {
    if (channel.starts_with("wrist ")) {
      EXPECT_EQ(channel_words(moved->bytes).at(channel), old);
    }
  }
  for (int f = 0; f < bvh.frame_count; ++f) {
    const auto rig = bvh_frames(bvh, f);
    const auto frames = segment_frames(*given[0].hand, given[0].poses[f]);
    for (int s = 1; s < given[0].hand->segment_count(); ++s) {
      const int joint = bvh.find(given[0].hand->segments[s].name);
      ASSERT_GE(joint, 0);
      EXPECT_LT((0.01 * rig[joint].position - frames[s].position).norm(), kPlace)
          << bvh.joints[joint].name;
    }
  }
}

TEST(FingersBack, FramesBeforeAndAfterACutHoldTheFingersStill) {
  const RigHints hints;
  const auto read = clip_from_bvh(*parse_bvh(kBody, "body.bvh"), "body.bvh", hints);
  auto hands = bent(read->clip.hands, Vec3::Zero());
  for (HandTrack& track : hands) track.poses = {track.poses[1], track.poses[2]};
  const auto made = bvh_with_fingers(kBody, "body.bvh", hints, {hands, 1});
  ASSERT_TRUE(made.ok()) << made.message();
  const auto after = channel_words(made->bytes);
  const auto& column = after.at("RightHand_index_proximal 3");
  EXPECT_EQ(column[0], column[1]);
  EXPECT_NE(column[1], column[2]);
  EXPECT_EQ(column[2], column[3]);
}

// A GLB of nodes named as a rig's, below a node that is scaled to centimeters.
std::string glb_body() {
  GlbBuilder builder;
  const int times = builder.add(std::vector<float>{0.0f, 0.1f, 0.2f}, 1, AccessorUse::kData, true);
  const auto node = [&](const char* name, int parent, const Vec3& at) {
    return builder.add_node(name, parent, Transform::from_position(at));
  };
  const int top = node("Armature", -1, Vec3::Zero());
  builder.model().nodes[top].scale = {0.01, 0.01, 0.01};
  const int hips = node("Hips", top, {0, 95, 0});
  node("Head", hips, {0, 60, 0});
  const int arm = node("RightArm", hips, {-18, 50, 0});
  const int fore = node("RightForeArm", arm, {-28, 0, 0});
  const int hand = node("RightHand", fore, {-26, 0, 0});
  builder.animate_rotation(arm, times,
                           {exp_map({0, 0, 0.1}), exp_map({0, 0.1, 0.2}), exp_map({0, 0.2, 0.3})});
  builder.animate_rotation(hand, times,
                           {exp_map({0.1, 0, 0}), exp_map({0.2, 0, 0}), exp_map({0.3, 0, 0})});
  return *builder.finish("walk", nlohmann::json::object());
}

nlohmann::json json_of(const std::string& glb) {
  std::uint32_t size;
  std::memcpy(&size, glb.data() + 12, 4);
  return nlohmann::json::parse(glb.substr(20, size));
}
std::string binary_of(const std::string& glb) {
  std::uint32_t size, binary;
  std::memcpy(&size, glb.data() + 12, 4);
  std::memcpy(&binary, glb.data() + 20 + size, 4);
  return glb.substr(28 + size, binary);
}

TEST(FingersBack, AGlbKeepsItsBytesAndItsChannels) {
  std::string glb = glb_body();
  glb.replace(glb.find("\"Prehend\""), 9, "\"Blender\"");
  const RigHints hints;
  const auto read = decode_glb(glb, "body.glb", {.hints = hints});
  ASSERT_TRUE(read.ok()) << read.message();
  ASSERT_EQ(read->clip.hands.size(), 1u);
  EXPECT_NEAR(read->clip.hands[0].hand->length, 0.26 / 1.43, 1e-3);
  const auto hands = bent(read->clip.hands, Vec3(0.002, 0.0, 0.001));
  const auto made = glb_with_fingers(glb, "body.glb", hints, {hands, 0});
  ASSERT_TRUE(made.ok()) << made.message();
  const auto before = json_of(glb), after = json_of(made->bytes);
  const std::string old_bytes = binary_of(glb), new_bytes = binary_of(made->bytes);
  const std::size_t length = before["buffers"][0]["byteLength"];
  EXPECT_EQ(new_bytes.substr(0, length), old_bytes.substr(0, length));
  for (const char* list : {"accessors", "bufferViews"})
    for (std::size_t i = 0; i < before[list].size(); ++i)
      EXPECT_EQ(before[list][i], after[list][i]);
  for (const char* list : {"channels", "samplers"})
    for (std::size_t i = 0; i < before["animations"][0][list].size(); ++i)
      EXPECT_EQ(before["animations"][0][list][i], after["animations"][0][list][i]);

  // Nodes stand where the segments are, below a wrist that gives and a node that is scaled.
  const auto document = gltf::load_memory(
      {reinterpret_cast<const unsigned char*>(made->bytes.data()), made->bytes.size()}, "body.glb");
  ASSERT_TRUE(document.ok()) << document.message();
  const gltf::Motion motion(*document, 0);
  std::vector<Eigen::Affine3d> worlds(document->nodes.size());
  for (std::size_t f = 0; f < hands[0].poses.size(); ++f) {
    motion.worlds(static_cast<double>(f) / read->clip.frame_rate, worlds);
    const auto frames = segment_frames(*hands[0].hand, hands[0].poses[f]);
    int found = 0;
    for (std::size_t n = 0; n < document->nodes.size(); ++n) {
      for (int s = 1; s < hands[0].hand->segment_count(); ++s) {
        std::string name = "RightHand_" + hands[0].hand->segments[s].name;
        std::replace(name.begin(), name.end(), '-', '_');
        if (document->nodes[n].name != name) continue;
        ++found;
        EXPECT_LT((worlds[n].translation() - frames[s].position).norm(), kPlace) << name;
        EXPECT_LT(angle_between(gltf::rigid_part(worlds[n]).rotation, frames[s].rotation), 1e-4);
      }
    }
    EXPECT_EQ(found, 19);
  }
}

TEST(FingersBack, AnotherNumberOfHandsIsRefused) {
  const auto made = bvh_with_fingers(kBody, "body.bvh", {}, {});
  ASSERT_FALSE(made.ok());
  EXPECT_NE(made.message().find("has 2 hands, and fingers are given for 0"), std::string::npos)
      << made.message();
}

}  // namespace
}  // namespace prehend::io
