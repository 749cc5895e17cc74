#include "prehend/io/bvh_clip.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "prehend/core/atomic_file.h"
#include "prehend/core/hand_builder.h"
#include "tests/io/mutate.h"
#include "tests/recordings.h"

namespace prehend::io {
namespace {

namespace fs = std::filesystem;

// A hand that opens and closes while the wrist travels and turns right round.
HandTrack grasping_track(Side side, int frames = 90) {
  HandTrack track;
  track.hand =
      std::make_shared<const Hand>(*build_hand({.profile = HandProfile::kBall, .side = side}));
  for (int f = 0; f < frames; ++f) {
    const double t = static_cast<double>(f) / frames;
    const double close = 0.5 - 0.5 * std::cos(2.0 * kPi * t);
    HandPose pose = rest_pose(*track.hand);
    for (int s = 0; s < track.hand->segment_count(); ++s) {
      const Segment& segment = track.hand->segments[s];
      if (segment.phalanx < 1) continue;
      const bool thumb = segment.digit == Digit::kThumb;
      pose.rotations[s] = pose.rotations[s] * exp_map({-close * (thumb ? 0.5 : 1.1), 0.0, 0.0});
    }
    pose.root_world = {exp_map({0.3, 0.0, 0.0}) * exp_map({0.0, 2.0 * kPi * t, 0.2}),
                       Vec3(0.3 * t, 1.0 + 0.1 * close, -0.2 * t)};
    pose.root_world.rotation.normalize();
    track.poses.push_back(pose);
  }
  return track;
}

double worst_joint_distance(const HandTrack& a, const HandTrack& b, bool with_tips) {
  double worst = 0.0;
  for (std::size_t f = 0; f < a.poses.size(); ++f) {
    const auto x = xr_frames(*a.hand, a.poses[f]);
    const auto y = xr_frames(*b.hand, b.poses[f]);
    for (int j = 0; j < kXrJointCount; ++j) {
      const bool tip = xr_joint_names()[j].ends_with("-tip");
      if (!tip || with_tips) worst = std::max(worst, (x[j].position - y[j].position).norm());
    }
  }
  return worst;
}

double worst_turn(const HandTrack& a, const HandTrack& b) {
  double worst = 0.0;
  for (std::size_t f = 0; f < a.poses.size(); ++f) {
    const auto x = xr_frames(*a.hand, a.poses[f]);
    const auto y = xr_frames(*b.hand, b.poses[f]);
    for (int j = 0; j < kXrJointCount; ++j)
      worst = std::max(worst, angle_between(x[j].rotation, y[j].rotation));
  }
  return worst;
}

class BvhClipSides : public ::testing::TestWithParam<Side> {};
INSTANTIATE_TEST_SUITE_P(Both, BvhClipSides, ::testing::Values(Side::kLeft, Side::kRight),
                         [](const auto& test) { return std::string(to_string(test.param)); });

TEST_P(BvhClipSides, ComesBackFromAFileOfEveryOrderAndUnit) {
  constexpr double kAngleTolerance = 1e-4, kDistanceTolerance = 1e-6;
  const HandTrack track = grasping_track(GetParam());
  for (const char* order : {"ZXY", "XYZ", "YXZ"}) {
    for (const double unit : {1.0, 0.01, 0.001}) {
      const Bvh bvh =
          bvh_from_hand(track, 60.0, {.meters_per_unit = unit, .order = *parse_euler_order(order)});
      const auto parsed = parse_bvh(format_bvh(bvh), "clip.bvh");
      ASSERT_TRUE(parsed.ok()) << parsed.message();
      const auto back = clip_from_bvh(*parsed, "clip.bvh");
      ASSERT_TRUE(back.ok()) << back.message();
      ASSERT_EQ(back->clip.hands.size(), 1u);
      EXPECT_EQ(back->clip.hands[0].hand->side, GetParam()) << back->import.text();
      EXPECT_DOUBLE_EQ(back->import.meters_per_unit, unit);
      EXPECT_DOUBLE_EQ(back->clip.frame_rate, 60.0);
      EXPECT_LT(worst_turn(track, back->clip.hands[0]), kAngleTolerance);
      EXPECT_LT(worst_joint_distance(track, back->clip.hands[0], true), kDistanceTolerance);
    }
  }
}

TEST_P(BvhClipSides, WritesAnglesWithoutJumps) {
  const Bvh bvh = bvh_from_hand(grasping_track(GetParam()), 60.0);
  for (int f = 1; f < bvh.frame_count; ++f)
    for (int c = 3; c < bvh.channel_count; ++c)
      EXPECT_LT(std::abs(bvh.frame(f)[c] - bvh.frame(f - 1)[c]), 20.0) << f << " " << c;
}

// The same motion on a rig of another make: Mixamo's names in the middle of a body, each joint with
// axes of its own turned at will, no metacarpals and no fingertips, both hands, chosen unit.
struct ForeignRig {
  Bvh bvh;
  std::array<std::map<int, int>, 2> joint_of_xr;  // left, right
};

void add_foreign_hand(const HandTrack& track, double unit, ForeignRig& rig,
                      std::vector<std::vector<double>>& rows) {
  const bool left = track.hand->side == Side::kLeft;
  const std::string prefix = left ? "mixamorig:LeftHand" : "mixamorig:RightHand";
  const char* const digits[] = {"Thumb", "Index", "Middle", "Ring", "Pinky"};
  const auto axes = [](int joint) {
    return exp_map(Vec3(std::sin(3.0 * joint), std::cos(5.0 * joint), std::sin(7.0 * joint + 1)) *
                   1.5);
  };
  std::vector<std::pair<int, int>> order = {{0, -1}};  // OpenXR joint and the one above it
  for (const Digit digit : kDigits) {
    const int tip = xr_tip_of(digit);
    for (int j = tip - 3; j < tip; ++j) order.push_back({j, j == tip - 3 ? 0 : j - 1});
  }
  auto& joints = rig.joint_of_xr[left ? 0 : 1];
  const auto rest = xr_frames(*track.hand, rest_pose(*track.hand));
  for (const auto& [j, above] : order) {
    BvhJoint joint;
    const int digit = (j + 4) / 5 - 1 < 0 ? 0 : (j <= 4 ? 0 : (j - 5) / 5 + 1);
    const int number = j <= 4 ? j : (j - 5) % 5;
    joint.name = j == 0 ? prefix : prefix + digits[digit] + std::to_string(number);
    joint.parent = above < 0 ? 1 : joints.at(above);
    const Quat above_axes = above < 0 ? Quat::Identity() : axes(above);
    const Transform above_frame = above < 0 ? Transform() : rest[above];
    if (above >= 0)
      joint.offset = (above_frame.rotation * above_axes).conjugate() *
                     (rest[j].position - above_frame.position) / unit;
    joint.channels = {BvhChannel::kYRotation, BvhChannel::kXRotation, BvhChannel::kZRotation};
    if (above < 0)
      joint.channels.insert(joint.channels.begin(), {BvhChannel::kXPosition, BvhChannel::kYPosition,
                                                     BvhChannel::kZPosition});
    joint.end_sites = {Vec3::Zero()};
    joints[j] = static_cast<int>(rig.bvh.joints.size());
    rig.bvh.joints.push_back(joint);
  }
  const EulerOrder order_yxz = *parse_euler_order("YXZ");
  for (std::size_t f = 0; f < track.poses.size(); ++f) {
    const auto frames = xr_frames(*track.hand, track.poses[f]);
    for (const auto& [j, above] : order) {
      const Quat world = frames[j].rotation * axes(j);
      const Quat above_world = above < 0 ? Quat::Identity() : frames[above].rotation * axes(above);
      if (above < 0)
        for (int k = 0; k < 3; ++k) rows[f].push_back(frames[j].position[k] / unit);
      // Wrapped at +-180 degrees, as recorders do.
      const Vec3 angles = euler_angles(above_world.conjugate() * world, order_yxz, Vec3::Zero());
      for (int k = 0; k < 3; ++k) rows[f].push_back(degrees(std::remainder(angles[k], 2.0 * kPi)));
    }
  }
}

ForeignRig foreign_rig(const std::vector<HandTrack>& tracks, double unit) {
  ForeignRig rig;
  BvhJoint hips, chest, head;
  hips.name = "mixamorig:Hips";
  chest.name = "mixamorig:Spine1";
  chest.parent = 0;
  head.name = "mixamorig:Head";
  head.parent = 1;
  head.offset = Vec3(0.0, 0.5 / unit, 0.0);
  rig.bvh.joints = {hips, chest, head};
  std::vector<std::vector<double>> rows(tracks[0].poses.size());
  for (const HandTrack& track : tracks) add_foreign_hand(track, unit, rig, rows);
  for (BvhJoint& joint : rig.bvh.joints) {
    joint.first_channel = rig.bvh.channel_count;
    rig.bvh.channel_count += static_cast<int>(joint.channels.size());
  }
  rig.bvh.frame_count = static_cast<int>(rows.size());
  rig.bvh.frame_time = 1.0 / 30.0;
  for (const auto& row : rows) rig.bvh.values.insert(rig.bvh.values.end(), row.begin(), row.end());
  return rig;
}

TEST(BvhClip, PicksBothHandsOutOfABodyWithForeignAxes) {
  constexpr double kAxisTolerance = radians(8);  // backs of phalanges are estimated
  const std::vector<HandTrack> tracks = {grasping_track(Side::kLeft), grasping_track(Side::kRight)};
  const ForeignRig rig = foreign_rig(tracks, 0.01);
  const auto read = clip_from_bvh(rig.bvh, "body.bvh");
  ASSERT_TRUE(read.ok()) << read.message();
  ASSERT_EQ(read->clip.hands.size(), 2u);
  for (int side = 0; side < 2; ++side) {
    const HandTrack& hand = read->clip.hands[side];
    EXPECT_EQ(hand.hand->side, tracks[side].hand->side);
    EXPECT_LT(read->import.residuals_m[side], 1e-9);
    for (std::size_t f = 0; f < hand.poses.size(); ++f) {
      const auto got = xr_frames(*hand.hand, hand.poses[f]);
      const auto want = xr_frames(*tracks[side].hand, tracks[side].poses[f]);
      for (const auto& [j, joint] : rig.joint_of_xr[side]) {
        EXPECT_LT((got[j].position - want[j].position).norm(), 1e-9) << xr_joint_names()[j];
        EXPECT_LT(angle_between(got[j].rotation, want[j].rotation), kAxisTolerance)
            << xr_joint_names()[j];
      }
    }
  }
}

TEST(BvhClip, FindsTheUnitFromTheSizeOfTheHand) {
  const std::vector<HandTrack> tracks = {grasping_track(Side::kRight, 20)};
  for (const double unit : {1.0, 0.1, 0.01, 0.001, 0.0254}) {
    const auto read = clip_from_bvh(foreign_rig(tracks, unit).bvh, "x.bvh");
    ASSERT_TRUE(read.ok()) << read.message();
    EXPECT_DOUBLE_EQ(read->import.meters_per_unit, unit);
    EXPECT_NEAR(read->clip.hands[0].hand->length, 0.19, 0.005);
  }
  EXPECT_FALSE(clip_from_bvh(foreign_rig(tracks, 40.0).bvh, "x.bvh").ok());
  RigHints hints;
  hints.meters_per_unit = 0.01;
  const auto wrong = clip_from_bvh(foreign_rig(tracks, 1.0).bvh, "x.bvh", hints);
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(wrong.message().find("0.05 to 0.30 is human"), std::string::npos) << wrong.message();
}

TEST(BvhClip, SeesThroughLeftHandedCoordinates) {
  const std::vector<HandTrack> tracks = {grasping_track(Side::kRight)};
  const Bvh flipped = mirrored(foreign_rig(tracks, 0.01).bvh);
  const auto as_is = clip_from_bvh(flipped, "x.bvh");
  ASSERT_TRUE(as_is.ok()) << as_is.message();
  EXPECT_EQ(as_is->clip.hands[0].hand->side, Side::kLeft);
  RigHints hints;
  hints.mirror = true;
  const auto back = clip_from_bvh(flipped, "x.bvh", hints);
  ASSERT_TRUE(back.ok()) << back.message();
  EXPECT_EQ(back->clip.hands[0].hand->side, Side::kRight);
  EXPECT_LT(worst_joint_distance(tracks[0], back->clip.hands[0], false), 0.02);
}

TEST(BvhClip, TurnsZUpIntoYUp) {
  const std::vector<HandTrack> tracks = {grasping_track(Side::kRight, 10)};
  ForeignRig rig = foreign_rig(tracks, 0.01);
  RigHints hints;
  hints.up = UpAxis::kZ;
  const auto read = clip_from_bvh(rig.bvh, "x.bvh", hints);
  ASSERT_TRUE(read.ok());
  const Vec3 file = tracks[0].poses[3].root_world.position;
  const Vec3 got = read->clip.hands[0].poses[3].root_world.position;
  EXPECT_NEAR((got - Vec3(file.x(), file.z(), -file.y())).norm(), 0.0, 1e-9);
}

TEST(BvhClip, LetsAHandFollowAWristWithoutFingers) {
  // Arms stretched out, as bodies stand at rest; the right forearm points to -x, in inches.
  const std::string text =
      "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation "
      "Yrotation Xrotation\nJOINT RightForeArm\n{\nOFFSET -10 20 0\nCHANNELS 3 Zrotation Yrotation "
      "Xrotation\nJOINT RightHand\n{\nOFFSET -10.5 0 0\nCHANNELS 3 Zrotation Yrotation Xrotation\n"
      "JOINT RThumb\n{\nOFFSET -1 0 1\nCHANNELS 3 Zrotation Yrotation Xrotation\nEnd "
      "Site\n{\nOFFSET 0 "
      "0 0\n}\n}\nJOINT RightHandIndex1\n{\nOFFSET -3 0 0\nCHANNELS 3 Zrotation Yrotation "
      "Xrotation\n"
      "End Site\n{\nOFFSET -1 0 0\n}\n}\n}\n}\n}\nMOTION\nFrames: 2\nFrame Time: 0.01\n"
      "0 40 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n0 40 0 0 0 0 0 0 0 0 90 0 0 0 0 0 0 0\n";
  const auto read = clip_from_bvh(*parse_bvh(text, "body.bvh"), "body.bvh");
  ASSERT_TRUE(read.ok()) << read.message();
  ASSERT_EQ(read->clip.hands.size(), 1u);
  const HandTrack& track = read->clip.hands[0];
  EXPECT_EQ(track.hand->side, Side::kRight);
  EXPECT_DOUBLE_EQ(read->import.meters_per_unit, 0.0254);
  const Transform& wrist = track.poses[0].root_world;
  EXPECT_LT((wrist.position - 0.0254 * Vec3(-20.5, 60, 0)).norm(), 1e-12);
  // Fingers along the forearm, the back of the hand up; then turned with the wrist about y.
  EXPECT_LT((wrist.turn(-Vec3::UnitZ()) + Vec3::UnitX()).norm(), 1e-12);
  EXPECT_LT((wrist.turn(Vec3::UnitY()) - Vec3::UnitY()).norm(), 1e-12);
  EXPECT_LT((track.poses[1].root_world.turn(-Vec3::UnitZ()) - Vec3::UnitZ()).norm(), 1e-12);
}

TEST(BvhClip, AnswersDamagedFilesWithAValueOrOneLine) {
  const std::string good = format_bvh(foreign_rig({grasping_track(Side::kRight, 2)}, 0.01).bvh);
  const double refused =
      testing::expect_value_or_one_line(good, [](const std::string& bytes) -> Result<BvhClip> {
        const auto bvh = parse_bvh(bytes, "m.bvh");
        if (!bvh) return bvh.error();
        return clip_from_bvh(*bvh, "m.bvh");
      });
  EXPECT_GT(refused, 0.4);
}

TEST(BvhClip, WritesOneFileATrackOrNothing) {
  const fs::path folder = fs::path(::testing::TempDir()) / ("bvh_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  Clip clip;
  clip.frame_rate = 30.0;
  clip.hands = {grasping_track(Side::kLeft, 5), grasping_track(Side::kRight, 5)};
  auto object = std::make_shared<Object>();
  object->name = "tea cup";
  clip.objects.push_back({object, {}});
  for (int f = 0; f < 5; ++f)
    clip.objects[0].poses_world.push_back({exp_map({0.0, 0.7 * f, 0.1}), Vec3(0.1 * f, 1.0, 0.0)});
  const auto written = write_bvh_clip((folder / "clip.bvh").string(), clip);
  ASSERT_TRUE(written.ok()) << written.message();
  ASSERT_EQ(written->size(), 3u);
  EXPECT_EQ((*written)[0], (folder / "clip.left.bvh").string());
  EXPECT_EQ((*written)[2], (folder / "clip.tea_cup.bvh").string());
  RigHints hints;
  hints.meters_per_unit = 0.01;
  const auto motion = read_bvh_object_motion((*written)[2], hints);
  ASSERT_TRUE(motion.ok()) << motion.message();
  for (int f = 0; f < 5; ++f) {
    const Transform& want = clip.objects[0].poses_world[f];
    EXPECT_LT((motion->poses_world[f].position - want.position).norm(), 1e-8);
    EXPECT_LT(angle_between(motion->poses_world[f].rotation, want.rotation), 1e-7);
  }
  EXPECT_FALSE(write_bvh_clip((folder / "none/clip.bvh").string(), clip).ok());
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 3);
  fs::remove_all(folder);
}

// ManipNet's recording: decimeters, left-handed, no fingertips, wrapped angles, a split thumb.
class Recording : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = recording("manipnet");
    PREHEND_SKIP_WITHOUT(folder_);
  }
  fs::path folder_;
};

TEST_F(Recording, IsReadWithEveryTrap) {
  for (const char* name : {"rightHand.bvh", "leftHand.bvh"}) {
    const std::string path = (folder_ / "cyl_med3" / name).string();
    const auto bvh = read_bvh(path);
    const auto read = read_bvh_clip(path);
    ASSERT_TRUE(read.ok()) << read.message();
    EXPECT_DOUBLE_EQ(read->import.meters_per_unit, 0.1);
    EXPECT_DOUBLE_EQ(read->clip.frame_rate, 120.0);
    ASSERT_EQ(read->clip.hands.size(), 1u);
    const HandTrack& track = read->clip.hands[0];
    EXPECT_GT(track.hand->length, 0.16);
    EXPECT_LT(track.hand->length, 0.22);
    // The split thumb cannot be followed exactly by one joint.
    EXPECT_LT(read->import.residuals_m[0], 0.004);
    const std::pair<const char*, const char*> same[] = {{"wrist", "WRIST"},
                                                        {"index-proximal", "INDEX_MCP"},
                                                        {"middle-intermediate", "MIDDLE_PIP_FE"},
                                                        {"ring-distal", "RING_DIP_FE"},
                                                        {"little-distal", "PINKY_DIP_FE"}};
    for (int f = 0; f < bvh->frame_count; f += 97) {
      const auto rig = bvh_frames(*bvh, f);
      const auto ours = segment_frames(*track.hand, track.poses[f]);
      for (const auto& [segment, joint] : same) {
        const Vec3 want = 0.1 * rig[bvh->find(joint)].position;
        EXPECT_LT((ours[track.hand->find(segment)].position - want).norm(), 1e-9) << segment;
      }
    }
  }
}

TEST_F(Recording, BendsFingersTowardsThePalmWithoutJumps) {
  const auto read = read_bvh_clip((folder_ / "cyl_med3/rightHand.bvh").string());
  ASSERT_TRUE(read.ok());
  const HandTrack& track = read->clip.hands[0];
  for (const char* name : {"index-intermediate", "middle-intermediate", "ring-intermediate",
                           "little-intermediate", "index-distal"}) {
    const int segment = track.hand->find(name);
    double least = 10.0, most = -10.0;
    for (std::size_t f = 0; f < track.poses.size(); ++f) {
      const double flexion = twist_angle(track.poses[f].rotations[segment], -Vec3::UnitX());
      least = std::min(least, flexion);
      most = std::max(most, flexion);
      if (f == 0) continue;
      // 120 Hz: 20 degrees a frame would be 2,400 degrees a second.
      EXPECT_LT(
          angle_between(track.poses[f].rotations[segment], track.poses[f - 1].rotations[segment]),
          radians(20));
      EXPECT_GE(track.poses[f].rotations[segment].dot(track.poses[f - 1].rotations[segment]), 0.0);
    }
    EXPECT_GT(least, radians(-15)) << name;
    EXPECT_LT(most, radians(115)) << name;
    EXPECT_GT(most, radians(45)) << name;
  }
}

TEST_F(Recording, BringsFingertipsToTheCylinder) {
  RigHints hints;
  hints.meters_per_unit = 0.1;
  const auto motion = read_bvh_object_motion((folder_ / "cyl_med3/cyl_med.bvh").string(), hints);
  ASSERT_TRUE(motion.ok()) << motion.message();
  const auto text = read_file((folder_ / "cyl_med.obj").string());
  ASSERT_TRUE(text.ok());
  // Radius and half height of the cylinder, whose axis is y.
  double radius = 0.0, half = 0.0;
  std::istringstream in(*text);
  for (std::string line; std::getline(in, line);) {
    double x, y, z;
    if (std::sscanf(line.c_str(), "v %lf %lf %lf", &x, &y, &z) != 3) continue;
    radius = std::max(radius, 0.1 * std::hypot(x, z));
    half = std::max(half, 0.1 * std::abs(y));
  }
  const auto read = read_bvh_clip((folder_ / "cyl_med3/leftHand.bvh").string());
  ASSERT_TRUE(read.ok());
  const HandTrack& track = read->clip.hands[0];
  ASSERT_EQ(motion->poses_world.size(), track.poses.size());
  std::array<double, kDigitCount> nearest;
  nearest.fill(1.0);
  for (std::size_t f = 0; f < track.poses.size(); f += 5) {
    const auto frames = xr_frames(*track.hand, track.poses[f]);
    for (const Digit digit : kDigits) {
      const Vec3 p = motion->poses_world[f].inverse() * frames[xr_tip_of(digit)].position;
      const double side = std::hypot(p.x(), p.z()) - radius, top = std::abs(p.y()) - half;
      const double distance =
          std::hypot(std::max(side, 0.0), std::max(top, 0.0)) + std::min(std::max(side, top), 0.0);
      nearest[static_cast<int>(digit)] = std::min(nearest[static_cast<int>(digit)], distance);
    }
  }
  for (const Digit digit : kDigits) {
    EXPECT_LT(nearest[static_cast<int>(digit)], 0.01) << to_string(digit);
    EXPECT_GT(nearest[static_cast<int>(digit)], -0.025) << to_string(digit);
  }
}

}  // namespace
}  // namespace prehend::io
