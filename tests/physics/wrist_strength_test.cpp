// A driven wrist pushes and turns as strongly as an arm does and no more.
#include <limits>

#include <gtest/gtest.h>

#include "prehend/geometry/primitive.h"
#include "prehend/physics/dynamics.h"
#include "tests/physics/physics_fixture.h"

namespace prehend::physics {
namespace {

constexpr double kStep = 0.002;

WorldPtr hand_world(const RootStrength& strength, ContactSolver solver = ContactSolver::kOurs,
                    ObjectPtr table = nullptr) {
  HandSetup hand;
  hand.hand = make_hand(HandProfile::kAnatomical);
  hand.strength = strength;
  hand.servo_stiffness = 3.0;
  std::vector<ObjectSetup> objects;
  if (table) objects.push_back({table, nullptr, true});
  WorldOptions options;
  options.gravity = Vec3::Zero();
  options.timestep = kStep;
  options.contact_solver = solver;
  options.solver_tolerance = 1e-12;
  return World::build({&hand, 1}, objects, options).value();
}

// From rest, free of everything: the root's rows of M dv / dt are what the wrist gave.
Eigen::Matrix<double, 6, 1> wrist_gives(const RootStrength& strength, const Transform& target,
                                        ContactSolver solver = ContactSolver::kOurs) {
  State state(hand_world(strength, solver));
  state.set_hand_pose(0, rest_pose(state.world().hand(0)));
  state.set_root_target(0, target);
  Eigen::MatrixXd mass;
  mass_matrix(state, mass);
  state.step();
  return (mass * state.velocity() / kStep).head<6>();
}

TEST(WristStrength, FarTargetsPullWithItAndNoHarder) {
  constexpr double kForce = 150.0, kTorque = 15.0, kTurn = 1.2;
  for (const ContactSolver solver : {ContactSolver::kOurs, ContactSolver::kEngine}) {
    const auto pulled =
        wrist_gives({kForce, kTorque}, Transform::from_position({1.0, 0.0, 0.0}), solver);
    EXPECT_NEAR(pulled[0], kForce, 0.01);
    for (int axis = 0; axis < 3; ++axis) {
      EXPECT_LE(std::abs(pulled[axis]), kForce + 0.01);
      EXPECT_LE(std::abs(pulled[3 + axis]), kTorque + 0.01);
      const auto turned =
          wrist_gives({kForce, kTorque}, {exp_map(kTurn * Vec3::Unit(axis)), Vec3::Zero()}, solver);
      // The engine's row of a rotation gives way by the cosine of half the angle.
      EXPECT_LE(turned[3 + axis], kTorque + 0.01);
      EXPECT_GE(turned[3 + axis], kTorque * std::cos(0.5 * kTurn) - 0.01);
    }
  }
}

// Rows of bounded force in our solver and in the engine's, step by step from the same states: a
// hand whose wrist is pulled about near a table, often harder than it can follow.
TEST(WristStrength, BothSolversGiveTheSame) {
  std::mt19937 random(3);
  const auto table = std::make_shared<const Object>(
      *geometry::object_from_primitive("table", ShapeKind::kBox, {0.5, 0.02, 0.5}, 10.0));
  State ours(hand_world({40.0, 2.0}, ContactSolver::kOurs, table));
  State engines(hand_world({40.0, 2.0}, ContactSolver::kEngine, table));
  HandPose pose = rest_pose(ours.world().hand(0));
  pose.root_world = Transform::from_position({0.0, 0.06, 0.0});
  ours.set_hand_pose(0, pose);
  ours.set_servo_target(0, pose);
  for (int i = 0; i < 100; ++i) {
    if (i % 10 == 0)
      ours.set_root_target(0, {exp_map(0.3 * random_vector(3, random)),
                               Vec3(0.0, 0.03, 0.0) + 0.03 * random_vector(3, random)});
    engines.restore(ours.snapshot());
    ours.step();
    engines.step();
    const Eigen::VectorXd velocity = engines.velocity();
    EXPECT_LE((ours.velocity() - velocity).norm(), 1e-6 * (1e-3 + velocity.norm())) << i;
  }
  EXPECT_EQ(ours.solver_counts().ours, 100);
  EXPECT_EQ(engines.solver_counts().engines, 100);
}

TEST(WristStrength, AnInfiniteOneIsAWeld) {
  const Transform target = Transform::from_position({0.1, 0.0, 0.0});
  const auto endless = wrist_gives(RootStrength::unlimited(), target);
  EXPECT_GT(endless[0], 1000.0);
  // A strength that is never needed changes nothing.
  const auto ample = wrist_gives({1e7, 1e7}, target);
  EXPECT_LT((endless - ample).norm(), 1e-6 * endless.norm());
}

TEST(WristStrength, WeaklingsAreRefused) {
  HandSetup hand;
  hand.hand = make_hand(HandProfile::kAnatomical);
  for (const double bad : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    hand.strength = {bad, 15.0};
    EXPECT_FALSE(World::build({&hand, 1}, {}).ok()) << bad;
    hand.strength = {150.0, bad};
    EXPECT_FALSE(World::build({&hand, 1}, {}).ok()) << bad;
  }
}

// Pressed 4 cm into a table without gravity, the table's force is the wrist's.
double force_on_table(const RootStrength& strength, ContactSolver solver) {
  Object table = *geometry::object_from_primitive("table", ShapeKind::kBox, {0.5, 0.02, 0.5}, 10.0);
  State state(hand_world(strength, solver, std::make_shared<const Object>(std::move(table))));
  state.set_object_pose(0, Transform::from_position({0.0, -0.02, 0.0}));
  const Hand& hand = state.world().hand(0);
  const Transform above = Transform::from_position({0.0, 0.03, 0.0});
  HandPose pose = rest_pose(hand);
  pose.root_world = above;
  state.set_hand_pose(0, pose);
  state.set_servo_target(0, pose);
  for (int i = 1; i <= 250; ++i) {
    const double way = std::min(1.0, i / 150.0);
    state.set_root_target(0, Transform::from_position({0.0, 0.03 - 0.07 * way, 0.0}));
    state.step();
  }
  double force = 0.0;
  for (const Contact& contact : state.contacts())
    force -= contact.force_world.dot(contact.normal_world);
  EXPECT_TRUE(state.healthy());
  return force;
}

TEST(WristStrength, AHandPressedIntoATableStopsThere) {
  constexpr double kForce = 150.0;
  const double ours = force_on_table({kForce, 15.0}, ContactSolver::kOurs);
  EXPECT_NEAR(ours, kForce, 0.02 * kForce);
  EXPECT_NEAR(force_on_table({kForce, 15.0}, ContactSolver::kEngine), ours, 0.02 * kForce);
  EXPECT_GT(force_on_table(RootStrength::unlimited(), ContactSolver::kOurs), 1000.0);
}

}  // namespace
}  // namespace prehend::physics
