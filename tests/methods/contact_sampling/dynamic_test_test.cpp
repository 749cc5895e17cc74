#include "methods/contact_sampling/dynamic_test.h"

#include <gtest/gtest.h>

#include "lift_scene.h"

namespace prehend::contact_sampling {
namespace {

TestContact push_at(const Vec3& point, const Vec3& normal) {
  TestContact test;
  test.contact.hand = 0;
  test.contact.object = 0;
  test.contact.point_object = point;
  test.contact.normal_object = normal;
  return test;
}

// Two fingers on opposite sides carry the weight by friction alone: 2 mu n = m g.
TEST(DynamicTest, APinchNeedsTheWeightOverTwiceTheFriction) {
  const auto object = cube();
  const double weight = object->object().mass * kStandardGravity;
  std::vector<TestContact> contacts = {push_at({kCubeHalf, 0, 0}, Vec3::UnitX()),
                                       push_at({-kCubeHalf, 0, 0}, -Vec3::UnitX())};
  DynamicTest test;
  const Wrench wanted{Vec3(0.0, weight, 0.0), Vec3::Zero()};
  const double left = test.solve({&object->object(), Transform(), wanted}, contacts, {});
  EXPECT_LT(left, 1e-3);
  // The test keeps 2 % of the friction back.
  EXPECT_NEAR(test.total_normal(), weight / (0.98 * object->object().friction), 1e-2 * weight);
  const Vec3 sum = contacts[0].contact.force_world + contacts[1].contact.force_world;
  EXPECT_LT((sum - wanted.force).norm(), 1e-3 * weight);
}

TEST(DynamicTest, OneFingerFromTheSideLiftsNothing) {
  const auto object = cube();
  const double weight = object->object().mass * kStandardGravity;
  std::vector<TestContact> contacts = {push_at({kCubeHalf, 0, 0}, Vec3::UnitX())};
  DynamicTest test;
  const Wrench wanted{Vec3(0.0, weight, 0.0), Vec3::Zero()};
  EXPECT_GT(test.solve({&object->object(), Transform(), wanted}, contacts, {}), 0.3);
}

TEST(DynamicTest, ASlidingContactPushesOnTheEdgeOfItsConeAlongTheSlide) {
  const auto object = cube();
  const double weight = object->object().mass * kStandardGravity;
  std::vector<TestContact> contacts = {push_at({kCubeHalf, 0, 0}, Vec3::UnitX()),
                                       push_at({-kCubeHalf, 0, 0}, -Vec3::UnitX())};
  for (TestContact& contact : contacts) contact.slide_object = Vec3::UnitY();
  DynamicTest test;
  const Wrench wanted{Vec3(0.0, weight, 0.0), Vec3::Zero()};
  EXPECT_LT(test.solve({&object->object(), Transform(), wanted}, contacts, {}), 1e-3);
  for (const TestContact& contact : contacts) {
    const Vec3& force = contact.contact.force_world;
    const double normal = std::abs(force.x());
    EXPECT_NEAR(force.y(), 0.98 * object->object().friction * normal, 1e-6);
  }
  // Sliding down, the same fingers pull it down.
  for (TestContact& contact : contacts) contact.slide_object = -Vec3::UnitY();
  EXPECT_GT(test.solve({&object->object(), Transform(), wanted}, contacts, {}), 0.5);
}

TEST(ObjectMotion, AStillObjectNeedsItsWeightAndAFallingOneNothing) {
  const auto object = cube();
  std::vector<Transform> still(30), falling(30);
  for (int f = 0; f < 30; ++f) {
    const double t = f / 60.0;
    falling[f].position.y() = -0.5 * kStandardGravity * t * t;
  }
  const double weight = object->object().mass * kStandardGravity;
  for (const Wrench& wrench : object_motion(object->object(), still, 60.0).wanted) {
    EXPECT_NEAR(wrench.force.y(), weight, 1e-6 * weight);
    EXPECT_LT(wrench.torque.norm(), 1e-9);
  }
  for (const Wrench& wrench : object_motion(object->object(), falling, 60.0).wanted)
    EXPECT_LT(wrench.force.norm(), 1e-6 * weight);
}

// A swing of 2 Hz: the force is m (a + g) in closed form.
TEST(ObjectMotion, FollowsASwing) {
  const auto object = cube();
  std::vector<Transform> poses(120);
  const double omega = 2.0 * kPi * 2.0, size = 0.05;
  for (int f = 0; f < 120; ++f) poses[f].position.x() = size * std::sin(omega * f / 60.0);
  const ObjectMotion motion = object_motion(object->object(), poses, 60.0);
  for (int f = 10; f < 110; ++f) {
    const double wanted =
        -object->object().mass * size * omega * omega * std::sin(omega * f / 60.0);
    EXPECT_NEAR(motion.wanted[f].force.x(), wanted,
                0.03 * object->object().mass * size * omega * omega);
  }
}

TEST(Supports, TheFloorCarriesAStandingCubeAndNotALiftedOne) {
  const SamplingProblem problem = lift_scene();
  const auto& poses = problem.objects[0].poses_world;
  const Object& object = problem.objects[0].object->object();
  const ObjectMotion motion = object_motion(object, poses, problem.frame_rate);
  const std::vector<bool> near(poses.size(), true);
  const auto levels = level_supports(problem, 0, poses, motion, near);
  ASSERT_EQ(levels.size(), 1u);
  const auto supports = find_supports(problem, 0, poses, motion, levels);
  EXPECT_EQ(supports[0].size(), 4u);  // the lower corners
  const std::vector<bool> needed = frames_that_need_hands(object, poses, motion, supports);
  EXPECT_FALSE(needed[5]);
  EXPECT_TRUE(needed[35]);
  EXPECT_TRUE(needed[59]);
}

// A cube that turns where it stands. Friction rubs against the turn, so that only a hand turns it.
TEST(Supports, AFloorNeverTurnsWhatStandsOnIt) {
  const SamplingProblem problem = lift_scene();
  const Object& object = problem.objects[0].object->object();
  std::vector<Transform> poses(60, Transform::from_position(Vec3(0.0, kCubeHalf, 0.0)));
  for (int f = 0; f < 60; ++f)
    poses[f].rotation = exp_map(minimum_jerk(f, 15.0, 45.0) * Vec3::UnitY());
  const ObjectMotion motion = object_motion(object, poses, problem.frame_rate);
  const auto supports = find_supports(problem, 0, poses, motion, {{0.0, false}});
  const std::vector<bool> needed = frames_that_need_hands(object, poses, motion, supports);
  EXPECT_FALSE(needed[5]);
  for (const int f : {25, 30, 35}) {
    EXPECT_TRUE(needed[f]) << f;
    for (const SupportPoint& point : supports[f]) {
      const Vec3 arm = poses[f].turn(point.point_object);
      EXPECT_GT(point.slide_world.dot(motion.spin_world[f].cross(arm)), 0.0);
    }
    DynamicTest test;
    test.solve({&object, poses[f], motion.wanted[f]}, {}, supports[f]);
    for (const SupportForce& force : test.support_forces())
      EXPECT_LE(force.force_world.dot(force.point.slide_world), 0.0);
  }
}

TEST(Jumps, AFirstFrameElsewhereIsPutBack) {
  std::vector<Transform> poses(20);
  poses[0].position.x() = 0.01;
  poses[9].position.y() = 0.02;
  EXPECT_EQ(mend_jumps(poses), (std::vector<int>{0, 9}));
  EXPECT_EQ(poses[0].position, poses[1].position);
  EXPECT_EQ(poses[9].position, Vec3::Zero());
}

TEST(Spread, IsTheRootMeanSquareDistanceFromTheFramesMean) {
  std::vector<ExploredPoint> points = {
      {0, Vec3(1, 0, 0), 0}, {0, Vec3(-1, 0, 0), 0}, {1, Vec3(5, 0, 0), 0}};
  EXPECT_NEAR(index_spread(points), std::sqrt(0.5), 1e-12);
}

}  // namespace
}  // namespace prehend::contact_sampling
