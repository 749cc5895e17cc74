#include "prehend/methods/interaction/replay.h"

#include <gtest/gtest.h>

#include "interaction_fixture.h"
#include "prehend/core/hand_kinematics.h"

namespace prehend::interaction {
namespace {

ReplayProblem on_floor(InteractionTrajectory trajectory, double friction = 0.6) {
  ReplayProblem problem;
  problem.trajectory = std::move(trajectory);
  problem.floor_height = 0.0;
  problem.floor_friction = friction;
  return problem;
}

// Steps to the end; every step must be solved.
void finish(Replay& replay) {
  while (replay.time() < replay.duration() - 1e-9) {
    const StepReport& step = replay.step();
    ASSERT_TRUE(step.solved) << replay.time();
    ASSERT_LE(step.complementarity, 1e-9) << replay.time();
  }
}

TEST(Replay, RestingFingerIsInEquilibriumWithItsCompliance) {
  const InteractionTrajectory trajectory = press(0.006);
  Replay replay = Replay::create(on_floor(trajectory)).value();
  finish(replay);
  // Eq. 1 by another route: torques of the contact forces from the kinematics of the final pose.
  HandKinematics kinematics(replay.hand());
  const Transform root = replay.hand_pose().root_world;
  kinematics.update(root, replay.coordinates());
  Eigen::VectorXd torque = Eigen::VectorXd::Zero(6 + replay.hand().dof());
  Eigen::Matrix<double, 3, Eigen::Dynamic> jacobian(3, torque.size());
  double normal = 0.0;
  for (const ReplayContact& contact : replay.contacts()) {
    kinematics.point_jacobian(contact.segment, contact.point_world, jacobian);
    torque += jacobian.transpose() * contact.force_world;
    normal += contact.force_world.y();
    EXPECT_GE(contact.force_world.y(), 0.0);
  }
  EXPECT_GT(normal, 0.2);
  const Eigen::VectorXd expected =
      trajectory.coordinates.back() +
      trajectory.compliance.joints.cwiseProduct(torque.tail(replay.hand().dof()));
  EXPECT_LE((expected - replay.coordinates()).cwiseAbs().maxCoeff(), 1e-5);
  const Vec3 turned = trajectory.compliance.root.tail<3>().cwiseProduct(root.rotation.conjugate() *
                                                                        Vec3(torque.segment<3>(3)));
  EXPECT_LE(angle_between(root.rotation,
                          exp_map(root.turn(turned)) * trajectory.roots_world.back().rotation),
            1e-4);
}

TEST(Replay, ForceIsThePressedDepthOverTheEndpointCompliance) {
  // Without friction the tip gives way by G f along the normal: a small depth, so that it is
  // linear.
  const InteractionTrajectory trajectory = press(0.0005);
  Replay replay = Replay::create(on_floor(trajectory, 0.0)).value();
  finish(replay);
  double normal = 0.0;
  Vec3 point = Vec3::Zero();
  int segment = -1;
  for (const ReplayContact& contact : replay.contacts()) {
    EXPECT_LE(std::hypot(contact.force_world.x(), contact.force_world.z()), 1e-12);
    if (contact.force_world.y() <= 0.0) continue;
    normal += contact.force_world.y();
    point = contact.point_world;
    segment = contact.segment;
  }
  ASSERT_GE(segment, 0);
  const Transform root = trajectory.roots_world.back();
  const auto frames =
      segment_frames(*trajectory.hand,
                     pose_from_coordinates(*trajectory.hand, root, trajectory.coordinates.back()));
  const Mat3 g = endpoint_compliance(*trajectory.hand, trajectory.compliance, root,
                                     trajectory.coordinates.back(), segment,
                                     frames[segment].inverse() * point);
  EXPECT_NEAR(normal * g(1, 1), 0.0005, 0.0005 * 0.03);
}

TEST(Replay, SlidingFrictionIsTheConesAndStickingStaysInside) {
  ReplayOptions options;
  Replay replay = Replay::create(on_floor(press(0.006, 0.05), 0.4), options).value();
  bool slid = false;
  while (replay.time() < replay.duration() - 1e-9) {
    replay.step();
    for (const ReplayContact& c : replay.contacts()) {
      const double tangent = std::hypot(c.force_world.x(), c.force_world.z());
      ASSERT_LE(tangent, 0.4 * c.force_world.y() + 1e-9);
      if (c.slip > 5e-5 && c.force_world.y() > 0.1) {
        slid = true;
        // An edge of the pyramid or between two: within 8 % of the cone.
        ASSERT_GE(tangent, 0.92 * 0.4 * c.force_world.y());
        ASSERT_LT(c.force_world.x(), 0.0) << "friction opposes the slide along +x";
      }
    }
  }
  EXPECT_TRUE(slid);
}

TEST(Replay, MomentumOfObjectsBalancesContactImpulses) {
  // The finger presses on the edge of a box that stands on the floor, and then slides: the box is
  // pushed and turned.
  ReplayProblem problem = on_floor(press(0.012, 0.04), 0.3);
  const Vec3 half(0.03, 0.01, 0.02);
  problem.objects.push_back(
      {test_box(half, 0.05, 0.6), Transform::from_position({0.012, -0.012, 0.005})});
  problem.floor_height = -0.022;
  Replay replay = Replay::create(problem).value();
  const double h = 0.002;
  const Object& box = problem.objects[0].object->object();
  Vec3 linear = replay.linear_momentum(0), angular = replay.angular_momentum(0);
  Vec3 center = replay.object_pose(0).position;
  double farthest = 0.0;
  while (replay.time() < replay.duration() - 1e-9) {
    ASSERT_TRUE(replay.step().solved);
    Vec3 impulse = h * box.mass * gravity_world(), turning = Vec3::Zero();
    for (const ReplayContact& c : replay.contacts()) {
      const double sign = c.second == 0 ? -1.0 : c.first == 0 ? 1.0 : 0.0;
      impulse += sign * h * c.force_world;
      turning += sign * h * (c.point_world - center).cross(c.force_world);
    }
    ASSERT_LE((replay.linear_momentum(0) - linear - impulse).norm(), 1e-9);
    ASSERT_LE((replay.angular_momentum(0) - angular - turning).norm(), 1e-9);
    // And momentum is what the object's motion shows.
    const Vec3 moved = replay.object_pose(0).position - center;
    ASSERT_LE((box.mass / h * moved - replay.linear_momentum(0)).norm(), 1e-9);
    linear = replay.linear_momentum(0);
    angular = replay.angular_momentum(0);
    center = replay.object_pose(0).position;
    farthest = std::max(farthest, (center - problem.objects[0].pose_world.position).norm());
  }
  EXPECT_GT(farthest, 0.005) << "the box was pushed";
}

TEST(Replay, AStandingBoxStands) {
  ReplayProblem problem = on_floor(press(-0.004));  // the finger stays above everything
  problem.floor_height = -0.1;
  problem.objects.push_back(
      {test_box({0.02, 0.03, 0.02}, 0.1, 0.6), Transform::from_position({0.0, -0.07, 0.0})});
  Replay replay = Replay::create(problem).value();
  finish(replay);
  EXPECT_LE((replay.object_pose(0).position - Vec3(0.0, -0.07, 0.0)).norm(), 5e-6);
  EXPECT_LE(angle_between(replay.object_pose(0).rotation, Quat::Identity()), 1e-6);
}

TEST(Replay, JointLimitsHold) {
  // A reference beyond the limits, and a floor that pushes the finger up besides.
  InteractionTrajectory trajectory = press(0.006);
  const CoordinateLimits limits = coordinate_limits(*trajectory.hand);
  const auto offsets = coordinate_offsets(*trajectory.hand);
  const int joint = offsets[hands::segment_of(*trajectory.hand, Digit::kIndex, 3)];
  for (std::size_t f = 0; f < trajectory.coordinates.size(); ++f)
    trajectory.coordinates[f][joint] -= 1.2 * minimum_jerk(f / 500.0, 0.3, 0.5);
  Replay replay = Replay::create(on_floor(trajectory)).value();
  double lowest = HUGE_VAL;
  while (replay.time() < replay.duration() - 1e-9) {
    ASSERT_TRUE(replay.step().solved);
    ASSERT_LE(limit_violation(limits, replay.coordinates()), 1e-9);
    lowest = std::min(lowest, replay.coordinates()[joint]);
  }
  EXPECT_NEAR(lowest, limits.lower[joint], 1e-9) << "the limit was reached";
}

TEST(Replay, AnObjectInsideTheHandIsRefused) {
  ReplayProblem problem = on_floor(press(0.006));
  problem.objects.push_back(
      {test_box({0.03, 0.03, 0.03}, 0.1, 0.6), Transform::from_position({0.0, 0.01, 0.0})});
  const auto replay = Replay::create(problem);
  ASSERT_FALSE(replay.ok());
  EXPECT_NE(replay.message().find("inside object box"), std::string::npos) << replay.message();
}

TEST(Replay, FrictionAndMassCanChangeWhileItRuns) {
  Replay replay = Replay::create(on_floor(press(0.006, 0.05), 0.4)).value();
  while (replay.time() < 0.3) replay.step();
  HandCompliance stiff = typical_compliance(replay.hand(), Task::kScratching);
  double before = 0.0, after = 0.0;
  for (const ReplayContact& c : replay.contacts()) before += c.force_world.y();
  replay.set_compliance(stiff);
  replay.step();
  for (const ReplayContact& c : replay.contacts()) after += c.force_world.y();
  EXPECT_GT(after, 1.3 * before);
}

TEST(Replay, SameProblemSameBytes) {
  const ReplayProblem problem = on_floor(press(0.006, 0.05), 0.4);
  const auto a = run_replay(problem), b = run_replay(problem);
  ASSERT_TRUE(a.ok() && b.ok());
  for (int f = 0; f < a->clip.frame_count(); ++f)
    for (std::size_t s = 0; s < a->clip.hands[0].poses[f].rotations.size(); ++s)
      ASSERT_EQ(a->clip.hands[0].poses[f].rotations[s].coeffs(),
                b->clip.hands[0].poses[f].rotations[s].coeffs());
  EXPECT_GT(a->slip_m, 0.02);
  EXPECT_FALSE(a->held.has_value());
  EXPECT_LE(a->equilibrium_error_rad, radians(1.0));
}

}  // namespace
}  // namespace prehend::interaction
