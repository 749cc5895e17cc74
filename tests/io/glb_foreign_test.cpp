// GLB files as other programs write them, made here by hand or by taking the extras off our own.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstring>
#include <random>

#include "io/glb_builder.h"
#include "io/gltf_motion.h"
#include "prehend/core/hand_builder.h"
#include "prehend/io/glb.h"
#include "prehend/io/skin_asset.h"
#include "tests/io/mutate.h"
#include "tests/io/test_clip.h"

namespace prehend::io {
namespace {

constexpr double kPositionTolerance = 2e-5;  // meters; floats in the file

// The same file as if by somebody else: another generator, so the extras are not believed.
std::string as_foreign(std::string glb) {
  const auto at = glb.find("\"Prehend\"");
  EXPECT_NE(at, std::string::npos);
  return glb.replace(at, 9, "\"Blender\"");
}

Clip hand_clip(int frames, Side side = Side::kRight) {
  HandOptions options;
  options.side = side;
  options.name = "right";
  options.size.length = 0.18;
  const Hand hand = *build_hand(options);
  Clip clip;
  clip.name = "clip";
  clip.frame_rate = 30.0;
  HandTrack track;
  track.hand = std::make_shared<Hand>(hand);
  for (int f = 0; f < frames; ++f) {
    HandPose pose = rest_pose(hand);
    pose.root_world = {exp_map({0.1 * f, 0.7, 0.05 * f}), {0.02 * f, 1.1, -0.3}};
    for (int s = 1; s < hand.segment_count(); ++s)
      if (hand.segments[s].phalanx > 0)
        pose.rotations[s] = pose.rotations[s] * exp_map({-0.04 * (f % 20), 0.0, 0.0});
    track.poses.push_back(pose);
  }
  clip.hands.push_back(track);
  clip.objects.push_back(testing::tumbling(testing::test_box("box"), frames));
  return clip;
}

TEST(GlbForeign, AHandWithoutOurExtrasIsFoundByItsNames) {
  const Clip clip = hand_clip(24);
  const auto read = decode_glb(as_foreign(*encode_glb(clip)), "right_hand.glb");
  ASSERT_TRUE(read.ok()) << read.message();
  EXPECT_FALSE(read->own);
  ASSERT_EQ(read->clip.hands.size(), 1u);
  EXPECT_EQ(read->clip.hands[0].hand->side, Side::kRight);
  EXPECT_EQ(read->clip.frame_rate, 30.0);
  ASSERT_EQ(read->clip.frame_count(), clip.frame_count());
  for (int f = 0; f < clip.frame_count(); ++f) {
    const auto expected = xr_frames(*clip.hands[0].hand, clip.hands[0].poses[f]);
    const auto found = xr_frames(*read->clip.hands[0].hand, read->clip.hands[0].poses[f]);
    for (int j = 0; j < kXrJointCount; ++j)
      EXPECT_LT((expected[j].position - found[j].position).norm(), kPositionTolerance)
          << xr_joint_names()[j] << " frame " << f;
  }
}

TEST(GlbForeign, MeshesWithoutSkinAreObjects) {
  const Clip clip = hand_clip(5);
  const auto read = decode_glb(as_foreign(*encode_glb(clip)), "right_hand.glb");
  ASSERT_TRUE(read.ok()) << read.message();
  ASSERT_EQ(read->clip.objects.size(), 1u);
  const ObjectTrack &a = clip.objects[0], &b = read->clip.objects[0];
  EXPECT_EQ(b.object->name, "box");
  EXPECT_EQ(b.object->mass, 0.1);
  for (int f = 0; f < 5; ++f) {
    EXPECT_LT((a.poses_world[f].position - b.poses_world[f].position).norm(), 1e-6);
    EXPECT_LT(angle_between(a.poses_world[f].rotation, b.poses_world[f].rotation), 1e-6);
  }
}

// Files of very many instances took minutes to be read.
TEST(GlbForeign, MoreObjectsThanAClipHasAreRefused) {
  Clip clip;
  clip.frame_rate = 30.0;
  const ObjectTrack track = testing::tumbling(testing::test_box("box"), 2);
  clip.objects.assign(1000, track);
  const auto most = decode_glb(as_foreign(*encode_glb(clip)), "many.glb");
  ASSERT_TRUE(most.ok()) << most.message();
  EXPECT_EQ(most->clip.objects.size(), 1000u);
  clip.objects.push_back(track);
  const auto more = decode_glb(as_foreign(*encode_glb(clip)), "many.glb");
  ASSERT_FALSE(more.ok());
  EXPECT_NE(more.message().find("1000"), std::string::npos) << more.message();
}

TEST(GlbForeign, ALeftHandedFileIsReflected) {
  // A right hand written in left-handed coordinates has the shape of a left one.
  const Clip clip = hand_clip(3, Side::kLeft);
  GlbReadOptions options;
  options.hints.mirror = true;
  const auto read = decode_glb(as_foreign(*encode_glb(clip)), "hand.glb", options);
  ASSERT_TRUE(read.ok()) << read.message();
  EXPECT_EQ(read->clip.hands[0].hand->side, Side::kRight);
  const auto expected = xr_frames(*clip.hands[0].hand, clip.hands[0].poses[2]);
  const auto found = xr_frames(*read->clip.hands[0].hand, read->clip.hands[0].poses[2]);
  for (int j = 0; j < kXrJointCount; ++j)
    EXPECT_LT((mirror_x(expected[j].position) - found[j].position).norm(), kPositionTolerance);
  const Object& box = *read->clip.objects[0].object;
  EXPECT_GT(box.inertia(0, 0), 0.0);
  EXPECT_LT((mirror_x(clip.objects[0].poses_world[2].position) -
             read->clip.objects[0].poses_world[2].position)
                .norm(),
            1e-6);
}

TEST(GlbForeign, ResamplesAtTheRateAskedFor) {
  const Clip clip = hand_clip(24);
  GlbReadOptions options;
  options.frame_rate = 120.0;
  const auto read = decode_glb(as_foreign(*encode_glb(clip)), "right.glb", options);
  ASSERT_TRUE(read.ok()) << read.message();
  EXPECT_EQ(read->clip.frame_count(), 23 * 4 + 1);
  EXPECT_NEAR(read->clip.duration(), clip.duration(), 1e-6);
}

// The WebXR hand itself: its joints hang side by side under one node.
TEST(GlbForeign, TheFlatWebXrHandIsThreadedIntoFingers) {
  for (const char* side : {"left", "right"}) {
    const auto read = read_glb_clip(std::string("assets/generic-hand-") + side + ".glb");
    ASSERT_TRUE(read.ok()) << read.message();
    ASSERT_EQ(read->clip.hands.size(), 1u);
    EXPECT_STREQ(to_string(read->clip.hands[0].hand->side), side);
    const Side which = read->clip.hands[0].hand->side;
    const auto found = xr_frames(*read->clip.hands[0].hand, read->clip.hands[0].poses[0]);
    const auto& expected = generic_hand_frames(which);
    const Transform wrist = found[0];
    for (int j = 1; j < kXrJointCount; ++j) {
      const double from_wrist = (found[j].position - wrist.position).norm();
      // The asset's tips lie a little off the line of their bones, where a hand's tips are.
      EXPECT_NEAR(from_wrist, expected[j].position.norm(), 3e-4) << xr_joint_names()[j];
    }
  }
}

// Mixamo's way: centimeters under a node scaled by 0.01, names with a prefix.
TEST(GlbForeign, ScaledRigsOfOtherNamesComeInMetres) {
  const Clip clip = hand_clip(3);
  const auto document_frames = xr_frames(*clip.hands[0].hand, clip.hands[0].poses[0]);
  GlbBuilder builder;
  const int armature = builder.add_node("Armature", -1, {});
  builder.model().nodes[armature].scale = {0.01, 0.01, 0.01};
  const int times = builder.add(std::vector<float>{0.0f}, 1, AccessorUse::kData, true);
  std::vector<int> nodes(kXrJointCount, -1);
  for (int j = 0; j < kXrJointCount; ++j) {
    std::string name(xr_joint_names()[j]);
    const bool metacarpal = name.find("metacarpal") != std::string::npos;
    const bool thumb = name.starts_with("thumb");
    if (metacarpal && !thumb) continue;  // Mixamo has none
    std::string mixamo = "mixamorig:RightHand";
    if (j > 0) {
      std::string digit = name.substr(0, name.find('-'));
      digit =
          digit == "little" ? "Pinky" : std::string(1, std::toupper(digit[0])) + digit.substr(1);
      const std::string part = name.substr(name.find('-') + 1);
      const int number = thumb ? (part == "metacarpal" ? 1
                                  : part == "proximal" ? 2
                                  : part == "distal"   ? 3
                                                       : 4)
                               : (part == "proximal"       ? 1
                                  : part == "intermediate" ? 2
                                  : part == "distal"       ? 3
                                                           : 4);
      mixamo += digit + std::to_string(number);
    }
    int parent = xr_joint_parent(j);
    while (parent > 0 && nodes[parent] < 0) parent = xr_joint_parent(parent);
    Transform local =
        parent < 0 ? document_frames[j] : document_frames[parent].inverse() * document_frames[j];
    local.position *= 100.0;
    nodes[j] = builder.add_node(mixamo, parent < 0 ? armature : nodes[parent], local);
    builder.animate_rotation(nodes[j], times, {local.rotation});
  }
  const auto bytes = builder.finish("mixamo.com", {});
  const auto read = decode_glb(as_foreign(*bytes), "character.glb");
  ASSERT_TRUE(read.ok()) << read.message();
  ASSERT_EQ(read->clip.hands.size(), 1u);
  EXPECT_EQ(read->clip.hands[0].hand->side, Side::kRight);
  const auto found = xr_frames(*read->clip.hands[0].hand, read->clip.hands[0].poses[0]);
  for (int j = 0; j < kXrJointCount; ++j)
    if (nodes[j] >= 0) {
      EXPECT_LT((found[j].position - document_frames[j].position).norm(), 1e-4)
          << xr_joint_names()[j];
    }
}

gltf::Channel channel(gltf::Interpolation interpolation, std::vector<double> values) {
  gltf::Channel c;
  c.node = 0;
  c.interpolation = interpolation;
  c.times = {1.0, 3.0};
  c.values = std::move(values);
  return c;
}

TEST(GltfMotion, StepHoldsLinearBlendsAndBothEndsClamp) {
  const auto step = channel(gltf::Interpolation::kStep, {1, 2, 3, 5, 6, 7});
  EXPECT_EQ(gltf::sample(step, 2.9)[0], 1.0);
  EXPECT_EQ(gltf::sample(step, 3.0)[0], 5.0);
  const auto linear = channel(gltf::Interpolation::kLinear, {1, 2, 3, 5, 6, 7});
  EXPECT_DOUBLE_EQ(gltf::sample(linear, 1.5)[0], 2.0);
  EXPECT_EQ(gltf::sample(linear, 0.0)[2], 3.0);
  EXPECT_EQ(gltf::sample(linear, 9.0)[2], 7.0);
}

// A cubic is its own Hermite spline: tangents and values of t^3 give t^3 back.
TEST(GltfMotion, CubicSplinesReproduceACubic) {
  const auto cube = [](double t) { return t * t * t; };
  const auto slope = [](double t) { return 3 * t * t; };
  std::vector<double> values;
  for (double t : {1.0, 3.0})
    for (double x :
         {slope(t), slope(t), slope(t), cube(t), cube(t), cube(t), slope(t), slope(t), slope(t)})
      values.push_back(x);
  const auto spline = channel(gltf::Interpolation::kCubicSpline, values);
  for (double t : {1.0, 1.3, 2.0, 2.9, 3.0})
    EXPECT_NEAR(gltf::sample(spline, t)[1], cube(t), 1e-12);
}

TEST(GltfMotion, RotationsTakeTheShortWay) {
  gltf::Channel turn = channel(gltf::Interpolation::kLinear, {});
  turn.path = gltf::Path::kRotation;
  const Quat end = exp_map({0.0, 1.0, 0.0});
  turn.values = {0, 0, 0, 1, -end.x(), -end.y(), -end.z(), -end.w()};
  const Eigen::Vector4d half = gltf::sample(turn, 2.0);
  EXPECT_LT(angle_between(Quat(half[3], half[0], half[1], half[2]), exp_map({0.0, 0.5, 0.0})),
            1e-9);
}

TEST(GlbForeign, NeitherHandNorObjectIsOneLine) {
  GlbBuilder builder;
  const int node = builder.add_node("Lamp", -1, {});
  const int times = builder.add(std::vector<float>{0.0f}, 1, AccessorUse::kData, true);
  builder.animate_translation(node, times, {Vec3::Zero()});
  const auto read = decode_glb(as_foreign(*builder.finish("x", {})), "lamp.glb");
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.message().find("lamp.glb"), std::string::npos);
  GlbReadOptions options;
  options.animation = "walk";
  EXPECT_FALSE(decode_glb(as_foreign(*builder.finish("x", {})), "lamp.glb", options).ok());
}

TEST(GlbForeign, MutatedFilesGiveAClipOrOneLine) {
  const std::string good = as_foreign(*encode_glb(hand_clip(6)));
  const auto read = [](const std::string& bytes) { return decode_glb(bytes, "mutated.glb"); };
  EXPECT_GT(testing::expect_value_or_one_line(good, read), 0.3);
}

// Bytes of the binary chunk flipped: the container and the JSON stay sound.
TEST(GlbForeign, MutatedNumbersGiveAClipOrOneLine) {
  const std::string good = as_foreign(*encode_glb(hand_clip(6)));
  std::uint32_t length;
  std::memcpy(&length, good.data() + 12, 4);
  const std::string sound = good.substr(0, 28 + length), numbers = good.substr(28 + length);
  const auto whole = [&](std::string binary) {
    binary.resize(numbers.size(), '\0');
    return sound + binary;
  };
  ASSERT_TRUE(decode_glb(whole(numbers), "whole.glb").ok());
  const auto read = [](const std::string& bytes) { return decode_glb(bytes, "mutated.glb"); };
  EXPECT_GT(testing::expect_value_or_one_line(numbers, read, whole), 0.1);
}

}  // namespace
}  // namespace prehend::io
