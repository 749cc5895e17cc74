// Whole bodies from tables, balls that a recording describes by their center alone, and scenes'
// keyframes as clips.
#include "jobs/load_body.h"

#include <gtest/gtest.h>

#include <cmath>

#include <fmt/format.h>

#include "jobs/scene_motion.h"
#include "jobs/unturned_ball.h"
#include "prehend/core/hand_builder.h"
#include "prehend/geometry/builtin.h"
#include "tests/recordings.h"

namespace prehend::jobs {
namespace {

// Two bodies, the lower one turned at rest and by hinges in the table.
const char* const kBody = R"(
  <mujoco><compiler angle="radian"/><worldbody><body name="hips"><freejoint/><geom size="0.1"/>
    <body name="arm" pos="0.1 0.2 0.3" euler="0.4 0.5 0.6"><geom size="0.1"/>
      <joint name="arm_x" axis="1 0 0"/><joint name="arm_z" axis="0 0 1"/>
      <body name="wrist" pos="0.3 0 0" euler="0 0.7 0"><joint type="ball"/><geom size="0.1"/></body>
    </body></body></worldbody></mujoco>)";

TEST(LoadBody, RotationsAgainstTurnedBodiesComeOutWhereTheyShould) {
  const auto skeleton = physics::parse_mjcf_skeleton(kBody, "body.xml");
  ASSERT_TRUE(skeleton.ok()) << skeleton.message();
  const auto table = io::parse_csv(
      "root_px,root_py,root_pz,root_rx,root_ry,root_rz,arm_x,arm_z,wrist_ex,wrist_ey,wrist_ez\n"
      "1,2,3,0,0,0,0,0,0,0,0\n"
      "1,2,3,0.3,-0.2,0.5,0.8,-0.4,0.2,0.6,-0.9\n",
      "body.csv");
  ASSERT_TRUE(table.ok()) << table.message();
  ASSERT_TRUE(moves_body(*table, *skeleton));
  const auto bvh = body_motion(*table, *skeleton, 60.0);
  ASSERT_TRUE(bvh.ok()) << bvh.message();
  // By hand, from the root down.
  const auto& rest = skeleton->rest_parent;
  const Transform hips{exp_map({0.3, -0.2, 0.5}), Vec3(1, 2, 3)};
  const Transform arm =
      hips * rest[1] * Transform{exp_map({0.8, 0, 0}) * exp_map({0, 0, -0.4}), Vec3::Zero()};
  const Transform wrist = arm * rest[2] * Transform{exp_map({0.2, 0.6, -0.9}), Vec3::Zero()};
  const auto frames = io::bvh_frames(*bvh, 1);
  EXPECT_LT((frames[1].position - arm.position).norm(), 1e-9);
  EXPECT_LT((frames[2].position - wrist.position).norm(), 1e-9);
  // Joints of the BVH are parallel to the file's axes at rest.
  const Quat wrist_rest = rest[0].rotation * rest[1].rotation * rest[2].rotation;
  EXPECT_LT(angle_between(frames[2].rotation * wrist_rest, wrist.rotation), 1e-9);
  EXPECT_LT(angle_between(io::bvh_frames(*bvh, 0)[2].rotation, Quat::Identity()), 1e-9);
}

TEST(LoadBody, ATableOfSomethingElseMovesNoBody) {
  const auto skeleton = physics::parse_mjcf_skeleton(kBody, "body.xml");
  const auto table = io::parse_csv("arm_x,arm_z\n0,0\n", "angles.csv");
  EXPECT_FALSE(moves_body(*table, *skeleton));
}

// Two palms on either side of a ball, turning together about its center.
TEST(UnturnedBall, TurnsWithTheHandsThatCarryIt) {
  const double rate = 60.0, turn = 1.2;  // rad/s
  ObjectTrack ball{std::make_shared<const Object>(*geometry::builtin_object("sphere")), {}};
  std::vector<HandTrack> hands;
  for (const Side side : {Side::kLeft, Side::kRight})
    hands.push_back({std::make_shared<const Hand>(*build_hand({.side = side})), {}});
  for (int f = 0; f < 120; ++f) {
    // It lies still for half a second, then rises and turns about x.
    const double t = std::max(0.0, f / rate - 0.5);
    const Transform center{exp_map({turn * t, 0, 0}), Vec3(0, 0.035 + 0.5 * t, 0)};
    ball.poses_world.push_back(Transform::from_position(center.position));
    for (HandTrack& track : hands) {
      const double out = track.hand->side == Side::kLeft ? -1.0 : 1.0;
      HandPose pose = rest_pose(*track.hand);
      place_wrist(*track.hand,
                  center * Transform{exp_map({0, 0, -out * kPi / 2}), Vec3(out * 0.06, 0, 0.08)},
                  pose);
      track.poses.push_back(pose);
    }
  }
  std::vector<std::string> notes;
  turn_ball_with_hands(hands, ball, rate, notes);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_LT(angle_between(ball.poses_world[20].rotation, Quat::Identity()), 1e-3);
  // From a tenth of a second after the start on it turns as fast as the hands.
  const Quat between = ball.poses_world[110].rotation * ball.poses_world[50].rotation.conjugate();
  EXPECT_LT(angle_between(between, exp_map({turn * 1.0, 0, 0})), 0.02);
}

TEST(UnturnedBall, TheHeightAtRestIsTheRadius) {
  ObjectTrack ball{std::make_shared<const Object>(*geometry::builtin_object("sphere")), {}};
  for (int f = 0; f < 10; ++f) ball.poses_world.push_back(Transform::from_position({0, 0.12, 0}));
  std::vector<std::string> notes;
  size_ball_by_rest(ball, notes);
  EXPECT_NEAR(ball.object->shape.size.x(), 0.12, 1e-12);
  EXPECT_NEAR(ball.object->mass, 0.15, 1e-12);
}

TEST(SceneMotion, AWristGivenInAnObjectsFrameMovesWithIt) {
  const auto scene = io::parse_scene(R"(
[[hand]]
side = "right"
[[object]]
shape = "box"
[[motion]]
of = "box"
keyframe = [{ time = 0, position = [0, 1, 0] },
            { time = 1, position = [1, 2, 0], rotation_deg = [0, 90, 0] }]
[[motion]]
of = "right"
relative_to = "box"
keyframe = [{ time = 0, position = [0.1, 0, 0] }, { time = 1, position = [0.2, 0, 0] }]
)",
                                     "scene.toml");
  ASSERT_TRUE(scene.ok()) << scene.message();
  const auto moved = scene_motion_clip(*scene, {}, 30.0);
  ASSERT_TRUE(moved.ok()) << moved.message();
  EXPECT_EQ(moved->clip.frame_count(), 31);
  const HandTrack& track = moved->clip.hands[0];
  const auto wrist_at = [&](int f) {
    return segment_frames(*track.hand, track.poses[f])[track.hand->wrist()];
  };
  for (int f = 0; f < 31; ++f) {
    const Transform relative = moved->clip.objects[0].poses_world[f].inverse() * wrist_at(f);
    EXPECT_LT(angle_between(relative.rotation, Quat::Identity()), 1e-9);
    EXPECT_LT(relative.position.tail<2>().norm(), 1e-9);
  }
  EXPECT_LT((wrist_at(30).position - Vec3(1, 2, -0.2)).norm(), 1e-9);
}

TEST(SceneMotion, MistakesSayWhatWouldBeRight) {
  const auto early = io::parse_scene(R"(
[[hand]]
[[object]]
shape = "box"
[[motion]]
of = "right"
relative_to = "box"
keyframe = [{ time = 0, position = [0, 0, 0] }]
)",
                                     "scene.toml");
  ASSERT_FALSE(early.ok());
  EXPECT_NE(early.message().find("should have its own [[motion]], before this one"),
            std::string::npos)
      << early.message();
  const auto still = io::parse_scene("[[hand]]\n[[object]]\nshape = \"box\"\n", "still.toml");
  const auto moved = scene_motion_clip(*still, {}, 30.0);
  ASSERT_FALSE(moved.ok());
  EXPECT_NE(moved.message().find("nothing moves"), std::string::npos);
  const auto other = scene_motion_clip(*still, {"jug=mug"}, 30.0);
  EXPECT_FALSE(other.ok());
}

TEST(LoadBody, ARecordedBallIsBetweenTheHandsWhileTheyCarryIt) {
  const auto table = recording("skillmimic/001_007pickle_pick_000.csv");
  PREHEND_SKIP_WITHOUT(table);
  LoadOptions options;
  options.hand = recording("skillmimic/mocap_humanoid.xml").string();
  options.objects = {"ball=sphere"};
  const auto loaded = load_clips({table.string()}, options);
  ASSERT_TRUE(loaded.ok()) << loaded.message();
  const Clip& clip = loaded->clip;
  ASSERT_EQ(clip.hands.size(), 2u);
  ASSERT_EQ(clip.objects.size(), 1u);
  EXPECT_NEAR(clip.objects[0].object->shape.size.x(), 0.1115, 0.001);
  // Frame 240: lifted. Palms face the ball: it lies on the palm's side of each wrist.
  for (const HandTrack& track : clip.hands) {
    const Transform wrist = segment_frames(*track.hand, track.poses[240])[track.hand->wrist()];
    const Vec3 ball = wrist.inverse() * clip.objects[0].poses_world[240].position;
    EXPECT_LT(ball.norm(), 0.24);
    EXPECT_LT(ball.y(), -0.08) << to_string(track.hand->side);
    EXPECT_LT(ball.z(), 0.0);
    EXPECT_GT(wrist.position.y(), 0.9);
  }
}

}  // namespace
}  // namespace prehend::jobs
