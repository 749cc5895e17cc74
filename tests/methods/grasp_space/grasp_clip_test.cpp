#include "prehend/methods/grasp_space/grasp_clip.h"

#include <gtest/gtest.h>

#include "methods/grasp_space/approach.h"
#include "methods/grasp_space/stand.h"
#include "prehend/core/hand_builder.h"
#include "prehend/geometry/builtin.h"
#include "prehend/methods/grasp_space/examples.h"
#include "prehend/methods/grasp_space/train.h"

namespace prehend::grasp_space {
namespace {

// A hand, a cylinder and grasps of it, found once.
struct Found {
  GraspProblem problem;
  std::vector<Grasp> grasps;

  Found() {
    problem.hand = std::make_shared<const Hand>(build_hand().value());
    Object object = geometry::builtin_object("cylinder").value();
    object.inertia *= 0.1 / object.mass;
    object.mass = 0.1;
    problem.object = std::make_shared<const Object>(object);
    problem.table = Table{Vec3::UnitY(), geometry::bounding_box(*object.shape.mesh).min().y()};
    const auto clips = example_motions(hands::GraspKind::kCylindrical);
    problem.space = std::make_shared<const GraspSpace>(
        train(pose_samples(clips, TrainOptions{}.least_change).value()).value().space);
    GraspOptions options;
    options.count = 3;
    grasps = find_grasps(problem, options).value().grasps;
  }
};
const Found& found() {
  static const Found kFound;
  return kFound;
}

TEST(Stand, ItsPushesGiveTheWrenchWithinTheConesOnTheSurface) {
  constexpr double kWrenchTolerance = 1e-5, kOnSurface = 1e-6;
  for (const char* name : {"mug", "hammer", "sphere"}) {
    const Object object = geometry::builtin_object(name).value();
    const auto exact = geometry::exact_distance(object.shape);
    const Transform pose{exp_map({0.3, -0.8, 0.5}), {0.1, 0.2, 0.3}};
    const auto prepared = geometry::prepare(std::make_shared<const Object>(object));
    const Stand stand(*prepared, pose);
    const double weight = object.mass * kStandardGravity;
    for (const Wrench& wanted :
         {Wrench{weight * Vec3::UnitY(), Vec3::Zero()},
          Wrench{weight * Vec3(0.3, 0.5, -0.4), 0.02 * weight * Vec3(0.1, -0.2, 0.3)}}) {
      Wrench given;
      for (const Contact& contact : stand.contacts(pose, wanted, 0)) {
        EXPECT_FALSE(contact.by.is_hand());
        EXPECT_LT(std::abs(exact->closest(contact.point_on).distance), kOnSurface);
        const double normal = -contact.normal_world.dot(contact.force_world);
        const Vec3 tangent = contact.force_world + normal * contact.normal_world;
        EXPECT_LE(tangent.norm(), object.friction * normal);
        const Vec3 arm = pose.turn(contact.point_on - object.center_of_mass);
        given = given + Wrench{contact.force_world, arm.cross(contact.force_world)};
      }
      EXPECT_LT((given.force - wanted.force).norm(), kWrenchTolerance * weight) << name;
      EXPECT_LT((given.torque - wanted.torque).norm(), kWrenchTolerance * weight) << name;
    }
  }
}

TEST(Stand, AtItsPlaceItBearsTheWeightAndElsewhereItDrawsBack) {
  const Object object = geometry::builtin_object("hammer").value();
  const Transform pose{exp_map({0.0, 1.0, 0.0}), {0.0, 0.5, 0.0}};
  const auto prepared = geometry::prepare(std::make_shared<const Object>(object));
  const Stand stand(*prepared, pose);
  const Wrench rest = stand.wrench(pose, {});
  EXPECT_LT((rest.force - object.mass * kStandardGravity * Vec3::UnitY()).norm(), 1e-9);
  EXPECT_LT(rest.torque.norm(), 1e-9);
  Transform moved = pose;
  moved.position.x() += 0.001;
  EXPECT_LT(stand.wrench(moved, {}).force.x(), 0.0);
  // Turned about the center of mass.
  const Quat turn = exp_map({0.0, 0.0, 0.01});
  const Vec3 center = pose * object.center_of_mass;
  const Transform turned{turn * pose.rotation, center + turn * (pose.position - center)};
  EXPECT_LT(stand.wrench(turned, {}).torque.z(), 0.0);
  EXPECT_LT((stand.wrench(turned, {}).force - rest.force).norm(), 1e-9);
}

TEST(Approach, KeepsClearOfTheObjectAllTheWay) {
  const Hand& hand = *found().problem.hand;
  const auto exact = geometry::exact_distance(found().problem.object->shape);
  constexpr double kReach = 0.12;
  ASSERT_FALSE(found().grasps.empty());
  for (const Grasp& grasp : found().grasps) {
    // The open hand that proposals on a table must have a way in for.
    const GraspSpace& space = *found().problem.space;
    const CoordinateLimits limits = coordinate_limits(hand);
    const Eigen::VectorXd open = coordinates(hand, ShapeKinematics(hand, space).pose(space.open))
                                     .cwiseMax(limits.lower)
                                     .cwiseMin(limits.upper);
    const auto way = find_approach(hand, *exact, grasp.plan, open, kReach, found().problem.table);
    ASSERT_TRUE(way);
    EXPECT_NEAR(way->retreat_object.norm(), 1.0, 1e-9);
    // Finer than the search looked, by points along the capsules' axes.
    for (int i = 0; i <= 60; ++i) {
      Transform root = grasp.plan.pregrasp_root;
      root.position += kReach * i / 60.0 * way->retreat_object;
      const auto frames = segment_frames(hand, pose_from_coordinates(hand, root, way->open));
      for (int s = 0; s < hand.segment_count(); ++s) {
        for (const Capsule& local : hand.segments[s].capsules) {
          const Capsule capsule = frames[s] * local;
          for (int k = 0; k <= 8; ++k) {
            const Vec3 point = capsule.a + k / 8.0 * (capsule.b - capsule.a);
            EXPECT_GT(exact->sample(point).distance - capsule.radius, 0.0);
          }
        }
      }
    }
  }
}

TEST(Approach, ATableInTheWayIsSeen) {
  const Hand& hand = *found().problem.hand;
  const physics::GraspPlan& plan = found().grasps[0].plan;
  EXPECT_TRUE(clears_table(hand, plan, {Vec3::UnitY(), -1.0}));
  EXPECT_TRUE(clears_table(hand, plan, *found().problem.table));
  EXPECT_FALSE(clears_table(hand, plan, {Vec3::UnitY(), 0.05}));
  const auto exact = geometry::exact_distance(found().problem.object->shape);
  EXPECT_FALSE(find_approach(hand, *exact, plan, plan.pregrasp, 0.12, Table{Vec3::UnitY(), 0.05}));
}

TEST(GraspClip, WhatHoldsIsLifted) {
  for (const Grasp& grasp : found().grasps) {
    if (!grasp.proof.held) continue;
    GraspClipOptions options;
    options.object_world.position = {0.4, 0.8, -0.2};
    const GraspClip made = make_grasp_clip(found().problem, grasp, options).value();
    ASSERT_TRUE(validate(made.clip));
    EXPECT_TRUE(made.approached);
    EXPECT_EQ(made.support, Support::kTable);
    ASSERT_EQ(made.clip.objects.size(), 2u);
    EXPECT_TRUE(made.clip.objects[1].object->fixed);
    EXPECT_TRUE(made.carried);
    EXPECT_LT(made.slip, 0.01);
    const auto& poses = made.clip.objects[0].poses_world;
    EXPECT_LT((poses.front().position - options.object_world.position).norm(), 1e-6);
    // The board's top is where the object's foot is.
    const Object& board = *made.clip.objects[1].object;
    const double top = made.clip.objects[1].poses_world[0].position.y() + board.shape.size.y();
    EXPECT_NEAR(top, options.object_world.position.y() + found().problem.table->height, 1e-9);
    // At first the table bears it: the sum of its pushes is the weight.
    double borne = 0.0;
    for (const Contact& contact : made.clip.contacts[10]) {
      EXPECT_FALSE(contact.by.is_hand());
      if (contact.on == ContactSide::object(0)) borne += contact.force_world.y();
    }
    EXPECT_NEAR(borne, found().problem.object->mass * kStandardGravity, 0.05);
    EXPECT_NEAR(poses.back().position.y() - poses.front().position.y(), options.lift, 0.01);
    // In the end the hand alone holds it.
    double up = 0.0;
    for (const Contact& contact : made.clip.contacts.back()) {
      EXPECT_TRUE(contact.by.is_hand(0));
      up += contact.force_world.y();
    }
    EXPECT_NEAR(up, found().problem.object->mass * kStandardGravity, 0.02);
  }
}

TEST(GraspClip, InTheAirAStandKeepsItUntilTheSqueeze) {
  GraspProblem problem = found().problem;
  problem.table.reset();
  const GraspClip made = make_grasp_clip(problem, found().grasps[0]).value();
  EXPECT_EQ(made.support, Support::kStand);
  EXPECT_TRUE(made.carried);
}

TEST(GraspClip, AHandBesideItLiftsNothing) {
  Grasp beside = found().grasps[0];
  beside.plan.pregrasp_root.position.x() += 0.4;
  beside.plan.root_object.position.x() += 0.4;
  const GraspClip made = make_grasp_clip(found().problem, beside).value();
  EXPECT_FALSE(made.carried);
}

TEST(GraspClip, IsTheSameEveryTime) {
  const auto make = [] { return make_grasp_clip(found().problem, found().grasps[0]).value().clip; };
  const Clip a = make(), b = make();
  ASSERT_EQ(a.frame_count(), b.frame_count());
  for (int f = 0; f < a.frame_count(); ++f) {
    EXPECT_EQ(a.objects[0].poses_world[f].position, b.objects[0].poses_world[f].position);
    ASSERT_EQ(a.contacts[f].size(), b.contacts[f].size());
    for (size_t i = 0; i < a.contacts[f].size(); ++i) {
      EXPECT_EQ(a.contacts[f][i].force_world, b.contacts[f][i].force_world);
    }
  }
}

}  // namespace
}  // namespace prehend::grasp_space
