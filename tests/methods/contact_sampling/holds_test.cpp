// Which hands hold an object when, how two hands keep out of each other, and how a palm leaves what
// it enters.
#include <gtest/gtest.h>

#include "lift_scene.h"
#include "methods/contact_sampling/beyond/clear_palm.h"
#include "methods/contact_sampling/beyond/other_hand.h"
#include "methods/contact_sampling/kinematic_test.h"
#include "methods/contact_sampling/scene.h"

namespace prehend::contact_sampling {
namespace {

constexpr int kFrames = 120;

// A cube that is off the floor all the time. Each hand keeps above it for half of the time, or for
// all of it, and is half a meter away in the rest.
SamplingProblem carried_cube(bool together) {
  SamplingProblem problem = lift_scene(kFrames);
  CapturedHand first = problem.hands[0], second = first;
  CapturedObject& cube = problem.objects[0];
  for (int f = 0; f < kFrames; ++f) {
    const Vec3 center(0.2 * minimum_jerk(f, 0.0, kFrames - 1.0), 0.4, 0.0);
    cube.poses_world[f] = Transform::from_position(center);
    const double gone = together ? 0.0 : minimum_jerk(f, 50.0, 80.0);
    const double away = together ? 0.0 : 1.0 - minimum_jerk(f, 40.0, 70.0);
    first.poses[f].root_world.position = center + Vec3(0.5 * gone, 0.105, 0.09);
    second.poses[f].root_world.position = center + Vec3(-0.5 * away, 0.105, 0.09);
  }
  problem.hands = {first, second};
  return problem;
}

TEST(Holds, AnObjectThatChangesHandsHasAStageForEach) {
  const SamplingProblem problem = carried_cube(false);
  const SamplingOptions options;
  const auto scene = make_scene(problem, options);
  ASSERT_TRUE(scene);
  ASSERT_EQ(scene->holds.size(), 2u);
  EXPECT_EQ(scene->holds[0].hands, std::vector<int>{0});
  EXPECT_EQ(scene->holds[1].hands, std::vector<int>{1});
  // Nothing that is needed is left out, and both touch while it changes hands.
  EXPECT_EQ(scene->holds[0].needed.last + 1, scene->holds[1].needed.first);
  EXPECT_GE(scene->holds[0].frames.last, scene->holds[1].frames.first);
  EXPECT_GT(scene->holds[0].needed.last, 40);
  EXPECT_LT(scene->holds[0].needed.last, 80);
}

TEST(Holds, HandsThatKeepCalmByItCarryItTogether) {
  const SamplingProblem problem = carried_cube(true);
  const SamplingOptions options;
  const auto scene = make_scene(problem, options);
  ASSERT_TRUE(scene);
  ASSERT_EQ(scene->holds.size(), 1u);
  EXPECT_EQ(scene->holds[0].hands, (std::vector<int>{0, 1}));
}

TEST(HandSurface, IsTheNearestCapsuleLessAMillimeter) {
  const Hand hand = build_hand().value();
  hands::HandGaps gaps(hand);
  HandKinematics kinematics(hand);
  kinematics.update(Transform::Identity(), Eigen::VectorXd::Zero(hand.dof()));
  gaps.place(kinematics.frames_world());
  const HandSurface surface(gaps);
  const Vec3 middle = gaps.capsules()[0].capsule_world.a;
  for (const double away : {0.0, 0.03, 0.06, 0.5}) {
    const Vec3 point = middle + Vec3(0.3 * away, away, -0.2 * away);
    double nearest = 1e9;
    for (const hands::PlacedCapsule& own : gaps.capsules())
      nearest = std::min(nearest, distance(own.capsule_world, {point, point, 0.0}));
    const double found = surface.sample(point).distance;
    if (nearest < 0.02)
      EXPECT_NEAR(found, nearest + 0.001, 1e-9);
    else
      EXPECT_LE(found, nearest + 0.001 + 1e-9);
  }
}

TEST(ClearPalm, ThePalmLeavesACubeThatItWasCapturedIn) {
  SamplingProblem problem = lift_scene(30);
  // The middle of the palm enters the top of the cube by a centimeter and leaves it.
  for (int f = 0; f < 30; ++f) {
    problem.objects[0].poses_world[f] = Transform::from_position(Vec3(0.0, kCubeHalf, 0.0));
    const double up = 0.002 * std::abs(f - 15);
    problem.hands[0].poses[f].root_world.position = Vec3(0.0, 2.0 * kCubeHalf + 0.012 + up, 0.06);
  }
  const SamplingOptions options;
  const auto scene = make_scene(problem, options);
  ASSERT_TRUE(scene);
  KinematicTest test(scene->hands[0], options);
  const auto entered = [&](const Transform& wrist) {
    const hands::Obstacle cube{problem.objects[0].object->contact().get(),
                               scene->objects[0].poses_world[15]};
    return test.deepest(scene->hands[0].open, wrist, {&cube, 1});
  };
  std::vector<Transform> wrist = scene->hands[0].wrist_world;
  const double before = entered(wrist[15]);
  ASSERT_GT(before, 0.001);
  ASSERT_LT(before, options.give->shift);
  clear_palm(*scene, 0, {}, wrist);
  EXPECT_LT(entered(wrist[15]), 0.0005);
  for (int f = 0; f < 30; ++f) {
    const double moved = (wrist[f].position - scene->hands[0].wrist_world[f].position).norm();
    EXPECT_LE(moved, options.give->shift + 1e-9);
  }
}

}  // namespace
}  // namespace prehend::contact_sampling
