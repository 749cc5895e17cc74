#include "prehend/physics/state.h"

#include <atomic>
#include <cstdlib>
#include <new>
#include <thread>

#include <gtest/gtest.h>

#include "prehend/geometry/builtin.h"
#include "prehend/geometry/primitive.h"
#include "prehend/physics/dynamics.h"
#include "prehend/physics/friction_cone.h"
#include "tests/physics/physics_fixture.h"

namespace {
std::atomic<size_t> allocations = 0;
}
// noinline: the compiler otherwise sees malloc behind new and warns of a mismatch.
[[gnu::noinline]] void* operator new(size_t size) {
  ++allocations;
  if (void* p = std::malloc(size)) return p;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, size_t) noexcept { std::free(p); }

namespace prehend::physics {
namespace {

ObjectPtr box(const Vec3& half, double mass, double friction = 0.6) {
  Object object = geometry::object_from_primitive("box", ShapeKind::kBox, half, mass).value();
  object.friction = friction;
  return std::make_shared<const Object>(object);
}

TEST(State, ABoxAtRestIsCarriedByTheFloor) {
  ObjectSetup setup;
  setup.object = box({0.03, 0.02, 0.04}, 0.5);
  WorldOptions options;
  options.floor_height = -0.1;
  State state(World::build({}, std::span(&setup, 1), options).value());
  state.set_object_pose(0, Transform::from_position({0, -0.1 + 0.02, 0}));
  state.step(1000);
  Wrench total;
  const Transform pose = state.object_pose(0);
  for (const Contact& c : state.contacts()) {
    EXPECT_TRUE(c.between(ContactSide::surroundings(), ContactSide::object(0)));
    EXPECT_LE(c.normal_world.y(), -0.999) << "out of the object is down";
    EXPECT_NEAR(c.point_on.y(), -0.02, 1e-6);
    total = total + contact_wrench(c, pose, pose.position);
  }
  EXPECT_NEAR(total.force.y(), 0.5 * 9.81, 1e-4);
  EXPECT_LE(total.torque.norm(), 1e-5);
  EXPECT_NEAR(pose.position.y(), -0.08, 2e-4);
  EXPECT_TRUE(state.healthy());
}

TEST(State, ABoxSlidesBeyondItsFrictionAndNotBefore) {
  for (const double share : {0.8, 1.2}) {
    ObjectSetup setup;
    setup.object = box({0.05, 0.01, 0.05}, 0.5, 0.5);
    WorldOptions options;
    options.floor_height = 0.0;
    options.floor_friction = 0.5;
    State state(World::build({}, std::span(&setup, 1), options).value());
    state.set_object_pose(0, Transform::from_position({0, 0.01, 0}));
    state.step(200);
    const double push = share * 0.5 * 0.5 * 9.81;
    state.set_object_wrench(0, {{push, 0, 0}, Vec3::Zero()});
    state.step(500);
    const double moved = state.object_pose(0).position.x();
    if (share < 1.0) {
      EXPECT_LE(moved, 1e-3);
    } else {
      // a = (push - mu m g) / m over one second.
      EXPECT_NEAR(moved, 0.5 * 0.2 * 0.5 * 9.81, 0.03);
    }
  }
}

TEST(State, TwoObjectsPushEachOtherEqually) {
  ObjectSetup setups[2];
  setups[0].object = setups[1].object = box({0.03, 0.03, 0.03}, 0.3);
  WorldOptions options;
  options.floor_height = 0.0;
  State state(World::build({}, setups, options).value());
  state.set_object_pose(0, Transform::from_position({0, 0.03, 0}));
  state.set_object_pose(1, Transform::from_position({0, 0.09, 0}));
  state.step(800);
  double mean = 0.0;
  for (int i = 0; i < 200; ++i) {
    state.step();
    Vec3 upper = Vec3::Zero(), lower_by_upper = Vec3::Zero();
    for (const Contact& c : state.contacts()) {
      if (c.on.is_object(1)) upper += c.force_world;
      if (c.between(ContactSide::object(1), ContactSide::object(0)))
        lower_by_upper += c.force_world;
    }
    mean += upper.y() / 200;
    EXPECT_LE((upper + lower_by_upper).norm(), 1e-9);
  }
  EXPECT_NEAR(mean, 0.3 * 9.81, 0.005 * 0.3 * 9.81);
}

TEST(State, PosesGoInAndComeOut) {
  HandSetup hand;
  hand.hand = make_hand(HandProfile::kAnatomical);
  ObjectSetup object;
  object.object = std::make_shared<const Object>(geometry::builtin_object("mug").value());
  State state(World::build(std::span(&hand, 1), std::span(&object, 1)).value());
  const Transform pose{exp_map(Vec3(0.3, -2.0, 0.4)), {0.1, 0.2, 0.3}};
  state.set_object_pose(0, pose);
  state.set_object_twist(0, {{1, 2, 3}, {4, 5, 6}});
  EXPECT_LE((state.object_pose(0).position - pose.position).norm(), 1e-15);
  EXPECT_LE(angle_between(state.object_pose(0).rotation, pose.rotation), 1e-12);
  EXPECT_LE((state.object_twist(0).angular - Vec3(4, 5, 6)).norm(), 1e-12);
  PointJacobian jacobian;
  object_jacobian(state, 0, pose * Vec3(0.1, 0, 0), jacobian);
  const Eigen::Matrix<double, 6, 1> twist = jacobian * state.velocity();
  const Vec3 expected = Vec3(1, 2, 3) + Vec3(4, 5, 6).cross(pose.turn(Vec3(0.1, 0, 0)));
  EXPECT_LE((twist.head<3>() - expected).norm(), 1e-12);
}

TEST(State, ServoReachesItsPoseAndStaysWithinItsTorque) {
  for (const HandProfile profile : {HandProfile::kBall, HandProfile::kAnatomical}) {
    HandSetup setup;
    setup.hand = make_hand(profile);
    setup.servo_stiffness = 5.0;
    setup.self_collision = false;
    setup.passive_joints = false;
    WorldOptions options;
    options.timestep = 0.004;
    options.gravity = Vec3::Zero();
    State state(World::build(std::span(&setup, 1), {}, options).value());
    const CoordinateLimits limits = coordinate_limits(*setup.hand);
    const HandPose target = pose_from_coordinates(*setup.hand, Transform::Identity(),
                                                  0.7 * limits.lower + 0.3 * limits.upper);
    state.set_servo_target(0, target);
    const Eigen::VectorXd torque = state.servo_torques();
    const std::vector<int> offsets = coordinate_offsets(*setup.hand);
    for (int s = 0; s < setup.hand->segment_count(); ++s) {
      int k = state.world().segment_dof(0, s);
      for (const Joint& joint : setup.hand->segments[static_cast<size_t>(s)].joints) {
        if (joint.max_torque > 0.0) {
          EXPECT_LE(torque.segment(k, joint.dof()).norm(), joint.max_torque * (1 + 1e-12));
        }
        k += joint.dof();
      }
    }
    state.step(500);
    const HandPose reached = state.hand_pose(0);
    ASSERT_TRUE(state.healthy());
    for (size_t i = 1; i < reached.rotations.size(); ++i) {
      EXPECT_LE(angle_between(reached.rotations[i], target.rotations[i]), 0.02) << i;
    }
  }
}

TEST(State, ADrivenWristFollowsItsTarget) {
  HandSetup setup;
  setup.hand = make_hand(HandProfile::kAnatomical);
  setup.servo_stiffness = 2.0;
  State state(World::build(std::span(&setup, 1), {}).value());
  state.set_servo_target(0, rest_pose(*setup.hand));
  double worst = 0.0;
  for (int i = 0; i < 500; ++i) {
    const double t = i * 0.002;
    const Transform target{exp_map(Vec3(0, 0.5 * t, 0)), {0.2 * t, 0.1 * std::sin(3 * t), 0}};
    state.set_root_target(0, target);
    state.step();
    if (i > 100) {
      worst = std::max(worst, (state.hand_pose(0).root_world.position - target.position).norm());
    }
  }
  EXPECT_LE(worst, 0.005);
  ASSERT_TRUE(state.healthy());
}

TEST(State, RestoringASnapshotReplaysTheSameBytesOnAnyThread) {
  HandSetup hand;
  hand.hand = make_hand(HandProfile::kBall);
  hand.servo_stiffness = 1.0;
  ObjectSetup object;
  object.object = std::make_shared<const Object>(
      geometry::object_from_primitive("rod", ShapeKind::kCylinder, {0.02, 0.06, 0}, 0.2).value());
  const WorldPtr world = World::build(std::span(&hand, 1), std::span(&object, 1)).value();
  State state(world);
  std::mt19937 random(9);
  HandPose pose = rest_pose(*hand.hand);
  state.set_hand_pose(0, pose);
  state.set_servo_target(0, random_pose(*hand.hand, random));
  state.set_object_pose(0, Transform::from_position({0, -0.04, -0.08}));
  state.step(50);
  const Snapshot start = state.snapshot();
  const size_t before = allocations;
  state.step(100);
  EXPECT_EQ(allocations, before) << "a step allocated";
  const Snapshot end = state.snapshot();
  std::vector<std::thread> threads;
  Snapshot ends[3];
  for (Snapshot& own : ends) {
    threads.emplace_back([&] {
      State copy(world);
      copy.restore(start);
      copy.step(100);
      own = copy.snapshot();
    });
  }
  for (std::thread& t : threads) t.join();
  for (const Snapshot& own : ends) {
    EXPECT_EQ(own.position, end.position);
    EXPECT_EQ(own.velocity, end.velocity);
  }
}

TEST(State, TwoHalvesAreAStep) {
  HandSetup setup;
  setup.hand = make_hand(HandProfile::kAnatomical);
  setup.servo_stiffness = 0.5;
  const WorldPtr world = World::build(std::span(&setup, 1), {}).value();
  State whole(world), halves(world);
  for (State* state : {&whole, &halves}) {
    state->set_hand(0, {}, Eigen::VectorXd::Constant(setup.hand->dof(), 0.1));
    state->set_servo_target(0, Eigen::VectorXd::Zero(setup.hand->dof()));
  }
  for (int i = 0; i < 50; ++i) {
    whole.step();
    halves.begin_step();
    halves.end_step();
  }
  EXPECT_EQ(whole.snapshot().position, halves.snapshot().position);
  Eigen::VectorXd read;
  whole.joint_coordinates(0, read);
  EXPECT_LE((read - coordinates(*setup.hand, whole.hand_pose(0))).norm(), 1e-12);
}

// A weld told only where to be lags by twice its time constant.
TEST(State, ADrivenRootThatKnowsItsVelocityDoesNotLag) {
  constexpr double kLag = 1e-4;      // m
  constexpr double kLagTurn = 1e-3;  // rad
  HandSetup setup;
  setup.hand = make_hand(HandProfile::kAnatomical);
  setup.servo_stiffness = 1.0;
  const WorldPtr world = World::build(std::span(&setup, 1), {}).value();
  State state(world);
  constexpr double kOmega = 2.0 * kPi * 2.0, kShift = 0.03, kTurn = 0.3;
  double worst = 0.0, worst_turn = 0.0;
  for (int i = 0; i < 1000; ++i) {
    const double t = state.time(), s = std::sin(kOmega * t), c = std::cos(kOmega * t);
    const Vec3 along(1.0, 0.0, 0.0), about(0.0, 0.0, 1.0);
    const Transform pose{exp_map(kTurn * s * about), kShift * s * along};
    if (t > 0.2) {
      const Transform now = state.hand_pose(0).root_world;
      worst = std::max(worst, (now.position - pose.position).norm());
      worst_turn = std::max(worst_turn, angle_between(now.rotation, pose.rotation));
    }
    state.set_root_target(
        0, pose, {kShift * kOmega * c * along, kTurn * kOmega * c * about},
        {-kShift * kOmega * kOmega * s * along, -kTurn * kOmega * kOmega * s * about});
    state.step();
  }
  EXPECT_LT(worst, kLag);
  EXPECT_LT(worst_turn, kLagTurn);
}

TEST(State, HandsThatTouchPushEachOtherApart) {
  HandSetup setup;
  setup.hand = make_hand(HandProfile::kBall);
  setup.servo_stiffness = 1.0;
  const std::vector<HandSetup> hands = {setup, setup};
  const WorldPtr world = World::build(hands, {}).value();
  State state(world);
  // Palm on the back of the other.
  state.set_hand(1, Transform::from_position({0.0, 0.035, 0.0}), Eigen::VectorXd::Zero(57));
  for (int hand : {0, 1}) state.set_servo_target(hand, Eigen::VectorXd::Zero(57));
  state.set_root_target(1, Transform::from_position({0.0, 0.015, 0.0}));
  state.step(200);
  const std::vector<Contact> contacts = state.contacts();
  ASSERT_FALSE(contacts.empty());
  Vec3 sum = Vec3::Zero();
  for (const Contact& contact : contacts) {
    EXPECT_TRUE(contact.by.is_hand(1));
    EXPECT_TRUE(contact.on.is_hand(0));
    EXPECT_LE(contact.normal_world.dot(contact.force_world), 1e-9) << "into the skin of hand 0";
    sum += contact.force_world;
  }
  EXPECT_LT(sum.y(), -1.0) << "the lower one is pressed down";
  // The point is given in the frame of the segment, on its skin.
  state.evaluate();
  const std::vector<Transform> frames = segment_frames(*setup.hand, state.hand_pose(0));
  for (const Contact& contact : state.contacts()) {
    const Vec3 point = frames[contact.on.segment] * contact.point_on;
    double nearest = INFINITY;
    for (const Capsule& capsule : setup.hand->segments[contact.on.segment].capsules)
      nearest = std::min(nearest, std::abs(distance(frames[contact.on.segment] * capsule,
                                                    Capsule{point, point, 0.0})));
    EXPECT_LT(nearest, 1e-6);
  }
}

TEST(State, AHandOnTheFloorIsPushedUpByTheSurroundings) {
  HandSetup setup;
  setup.hand = make_hand(HandProfile::kBall);
  setup.servo_stiffness = 1.0;
  WorldOptions options;
  options.floor_height = -0.012;
  State state(World::build({&setup, 1}, {}, options).value());
  state.set_servo_target(0, Eigen::VectorXd::Zero(57));
  state.set_root_target(0, Transform::from_position({0.0, -0.005, 0.0}));
  state.step(200);
  ASSERT_FALSE(state.contacts().empty());
  double up = 0.0;
  for (const Contact& contact : state.contacts()) {
    EXPECT_TRUE(contact.by.is_surroundings());
    EXPECT_TRUE(contact.on.is_hand(0));
    EXPECT_LT(contact.normal_world.y(), -0.999) << "out of the skin is down";
    up += contact.force_world.y();
  }
  EXPECT_GT(up, 1.0);
}

TEST(World, EveryBuiltinObjectFallsOnAFloorAndStays) {
  for (const std::string& name : geometry::builtin_names()) {
    if (name == "bunny" || name == "dragon") continue;
    ObjectSetup setup;
    setup.object = std::make_shared<const Object>(geometry::builtin_object(name).value());
    WorldOptions options;
    options.floor_height = 0.0;
    Result<WorldPtr> world = World::build({}, std::span(&setup, 1), options);
    ASSERT_TRUE(world.ok()) << name << ": " << world.message();
    State state(*world);
    state.set_object_pose(0, Transform::from_position({0, 0.2, 0}));
    state.step(1000);
    EXPECT_TRUE(state.healthy()) << name;
    EXPECT_GT(state.object_pose(0).position.y(), -0.01) << name;
    EXPECT_LT(state.object_pose(0).position.y(), 0.25) << name;
  }
}

TEST(World, BadInputIsOneLine) {
  ObjectSetup setup;
  Object weightless = *box({0.1, 0.1, 0.1}, 1.0);
  weightless.mass = 0.0;
  setup.object = std::make_shared<const Object>(weightless);
  const Result<WorldPtr> world = World::build({}, std::span(&setup, 1));
  ASSERT_FALSE(world.ok());
  EXPECT_EQ(world.message().find('\n'), std::string::npos);
  HandSetup empty;
  empty.hand = std::make_shared<const Hand>();
  EXPECT_FALSE(World::build(std::span(&empty, 1), {}).ok());
}

TEST(World, AFlatSheetStillHasABody) {
  auto mesh = std::make_shared<TriangleMesh>();
  mesh->vertices = {{-0.1, 0, -0.1}, {0.1, 0, -0.1}, {0.1, 0, 0.1}, {-0.1, 0, 0.1}};
  mesh->faces = {{0, 2, 1}, {0, 3, 2}};
  Object sheet;
  sheet.name = "sheet";
  sheet.shape.mesh = mesh;
  sheet.inertia = 1e-4 * Mat3::Identity();
  ObjectSetup setup;
  setup.object = std::make_shared<const Object>(sheet);
  const Result<WorldPtr> world = World::build({}, std::span(&setup, 1));
  EXPECT_TRUE(world.ok()) << (world.ok() ? "" : world.message());
}

}  // namespace
}  // namespace prehend::physics
