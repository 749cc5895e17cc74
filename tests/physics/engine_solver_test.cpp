#include "physics/engine_solver.h"

#include <gtest/gtest.h>

#include "physics/world_impl.h"
#include "prehend/geometry/builtin.h"
#include "tests/physics/physics_fixture.h"

namespace prehend::physics {
namespace {

Eigen::VectorXd vector_of(const mjtNum* numbers, int size) {
  return Eigen::Map<const Eigen::VectorXd>(numbers, size);
}

// What is left of M a = smooth forces + J^T f, over the forces.
double imbalance(const mjModel* m, mjData* d) {
  Eigen::VectorXd pull(m->nv), given(m->nv);
  mj_mulM(m, d, pull.data(), d->qacc);
  mj_mulJacTVec(m, d, given.data(), d->efc_force);
  const Eigen::VectorXd rest = pull - vector_of(d->qfrc_smooth, m->nv) - given;
  return rest.norm() / (given.norm() + pull.norm());
}

struct Seen {
  int contacts = 0, limits = 0, stuck = 0, sliding = 0, free = 0;
  int iterations = 0, engines_iterations = 0;
};

// Solves where the state is both by the engine and by ours, and compares.
void compare(State& state, Seen& seen) {
  mjModel* m = const_cast<mjModel*>(state.impl().model);
  mjData* d = state.impl().data.get();
  const double tolerance = m->opt.tolerance;
  m->opt.tolerance = 1e-14;
  const Eigen::VectorXd warm = vector_of(d->qacc_warmstart, m->nv);
  state.impl().gather_forces();
  mj_forward(m, d);
  seen.engines_iterations += d->solver_iter;
  const Eigen::VectorXd acceleration = vector_of(d->qacc, m->nv);
  const Eigen::VectorXd force = vector_of(d->efc_force, d->nefc);
  const Eigen::VectorXd total = vector_of(d->qfrc_constraint, m->nv);
  for (const bool warmed : {true, false}) {
    if (warmed)
      std::copy_n(warm.data(), m->nv, d->qacc_warmstart);
    else
      std::fill_n(d->qacc_warmstart, m->nv, 1.0);
    std::fill_n(d->qacc, m->nv, 0.0);
    std::fill_n(d->efc_force, d->nefc, 0.0);
    ConstraintSolver().solve(m, d, state.world().impl().solver_structure);
    EXPECT_LE(imbalance(m, d), 1e-8);
    EXPECT_LE((vector_of(d->efc_force, d->nefc) - force).norm(), 1e-6 * (1e-3 + force.norm()));
    EXPECT_LE((vector_of(d->qacc, m->nv) - acceleration).norm(), 1e-6 * acceleration.norm());
    EXPECT_LE((vector_of(d->qfrc_constraint, m->nv) - total).norm(), 1e-6 * (1e-3 + total.norm()));
    if (warmed) seen.iterations += d->solver_iter;
  }
  for (int i = 0; i < d->nefc; ++i) {
    seen.limits += d->efc_type[i] == mjCNSTR_LIMIT_JOINT && d->efc_force[i] > 0.0;
    if (d->efc_type[i] != mjCNSTR_CONTACT_ELLIPTIC) continue;
    ++seen.contacts;
    seen.stuck += d->efc_state[i] == mjCNSTRSTATE_QUADRATIC;
    seen.sliding += d->efc_state[i] == mjCNSTRSTATE_CONE;
    seen.free += d->efc_state[i] == mjCNSTRSTATE_SATISFIED;
  }
  m->opt.tolerance = tolerance;
}

HandSetup squeezing(HandProfile profile, double stiffness) {
  HandSetup setup;
  setup.hand = make_hand(profile);
  setup.servo_stiffness = stiffness;
  return setup;
}

// A hand that is thrown about around an object, its fingers driven to and fro.
TEST(EngineSolver, AgreesWithTheEnginesOwn) {
  std::mt19937 random(5);
  Seen seen;
  for (const HandProfile profile : {HandProfile::kAnatomical, HandProfile::kBall}) {
    const std::vector<HandSetup> hands = {squeezing(profile, 0.5)};
    ObjectSetup object;
    object.object = std::make_shared<const Object>(geometry::builtin_object("cylinder").value());
    WorldOptions options;
    options.floor_height = -0.1;
    State state(World::build(hands, std::span(&object, 1), options).value());
    const HandPose start = random_pose(*hands[0].hand, random);
    state.set_hand_pose(0, start);
    state.set_object_pose(0, start.root_world * Transform::from_position({0.0, -0.04, 0.08}));
    for (int round = 0; round < 30; ++round) {
      state.set_servo_target(0, random_pose(*hands[0].hand, random));
      Transform target = start.root_world;
      target.position += 0.02 * random_vector(3, random);
      state.set_root_target(0, target);
      for (int i = 0; i < 8; ++i) {
        state.step();
        compare(state, seen);
      }
    }
  }
  EXPECT_GE(seen.stuck, 20);
  EXPECT_GE(seen.sliding, 20);
  EXPECT_GE(seen.free, 1);
  EXPECT_GE(seen.limits, 5);
}

// Bones without springs or dampers, thrown against an object: costs with kinks, across which
// Newton's steps along a line go to and fro.
TEST(EngineSolver, AgreesWhereLightFingersHit) {
  std::mt19937 random(7);
  Seen seen;
  HandSetup hand;
  hand.hand = make_hand(HandProfile::kBall);
  hand.passive_joints = hand.joint_limits = false;
  hand.skin_friction = 0.0;
  hand.strength = RootStrength::unlimited();  // a weld, whose cost is a parabola everywhere
  ObjectSetup object;
  object.object = std::make_shared<const Object>(geometry::builtin_object("box").value());
  WorldOptions options;
  options.floor_height = 0.0;
  State state(World::build(std::span(&hand, 1), std::span(&object, 1), options).value());
  for (int round = 0; round < 20; ++round) {
    HandPose pose = random_pose(*hand.hand, random);
    pose.root_world = Transform::from_position({0.0, 0.15, -0.08});
    state.set_hand_pose(0, pose);
    state.set_root_target(0, pose.root_world);
    state.set_object_pose(0, Transform::from_position({0.0, 0.06, 0.0}));
    state.set_applied(random_vector(state.world().dof(), random, 0.02));
    for (int i = 0; i < 20; ++i) {
      state.step();
      compare(state, seen);
    }
  }
  EXPECT_GE(seen.sliding, 1000);
  EXPECT_LE(seen.iterations, 1.1 * seen.engines_iterations);
}

// A hand that swings without touching anything: a warm start is almost right at every step, and
// light bones would go astray by the rest of it.
TEST(EngineSolver, SmallErrorsDoNotAddUp) {
  HandSetup hand;
  hand.hand = make_hand(HandProfile::kBall);
  hand.passive_joints = hand.joint_limits = hand.self_collision = false;
  hand.strength = RootStrength::unlimited();  // so that one step of Newton's ends
  WorldOptions options;
  options.solver_tolerance = 100.0;  // that any warm start meets
  constexpr int kSteps = 200;
  std::vector<Eigen::VectorXd> velocities;
  for (const ContactSolver solver : {ContactSolver::kOurs, ContactSolver::kEngine}) {
    options.contact_solver = solver;
    State state(World::build(std::span(&hand, 1), {}, options).value());
    for (int i = 0; i < kSteps; ++i) {
      state.set_root_target(0, Transform::from_position({0.0, 1e-3 * i * std::sin(0.05 * i), 0.0}));
      state.step();
    }
    const SolverCounts& counts = state.solver_counts();
    EXPECT_EQ(solver == ContactSolver::kOurs ? counts.ours : counts.engines, kSteps);
    velocities.push_back(state.velocity());
  }
  EXPECT_GT(velocities[1].norm(), 1.0);
  EXPECT_LE((velocities[0] - velocities[1]).norm(), 1e-6 * velocities[1].norm());
}

// Digits of two hands that touch join what else stands apart.
TEST(EngineSolver, AgreesWhenHandsTouchEachOther) {
  std::mt19937 random(6);
  Seen seen;
  const std::vector<HandSetup> hands = {squeezing(HandProfile::kAnatomical, 0.3),
                                        squeezing(HandProfile::kBall, 0.3)};
  State state(World::build(hands, {}, {}).value());
  HandPose first = random_pose(*hands[0].hand, random),
           second = random_pose(*hands[1].hand, random);
  first.root_world = Transform{};
  second.root_world = Transform::from_position({0.02, 0.03, 0.0});
  state.set_hand_pose(0, first);
  state.set_hand_pose(1, second);
  for (int round = 0; round < 8; ++round) {
    state.step(5);
    compare(state, seen);
  }
  EXPECT_GE(seen.contacts, 20);
}

// A box that falls onto its edge, tumbles and comes to rest on a floor.
struct Tumble {
  explicit Tumble(const WorldOptions& options = {}) : state_(built(options)) {
    state_.set_object_pose(0, {exp_map(Vec3(0.4, 0.1, 0.2)), {0, 0.15, 0}});
  }
  static WorldPtr built(WorldOptions options) {
    ObjectSetup setup;
    setup.object = std::make_shared<const Object>(geometry::builtin_object("box").value());
    options.floor_height = 0.0;
    return World::build({}, std::span(&setup, 1), options).value();
  }
  State state_;
};

// In the air there is nothing to solve; from the first touch on every step is ours.
TEST(EngineSolver, IsWhatAStateStepsWith) {
  Tumble tumble;
  State& state = tumble.state_;
  int touching = 0;
  for (int i = 0; i < 400; ++i) {
    state.step();
    touching += state.impl().data->nefc > 0;
  }
  EXPECT_GT(touching, 200);
  EXPECT_EQ(state.solver_counts().ours, touching);
  EXPECT_EQ(state.solver_counts().engines, 400 - touching);
  state.evaluate();
  EXPECT_EQ(state.solver_counts().ours, touching + 1);
  state.begin_step();
  state.end_step();
  EXPECT_EQ(state.solver_counts().ours, touching + 2);
  state.reset();
  EXPECT_EQ(state.solver_counts().ours, 0);
}

// What is not ours to solve is the engine's, at every step: its no-slip rounds, and what is asked
// of it.
TEST(EngineSolver, LeavesTheRestToTheEngine) {
  WorldOptions no_slip, asked;
  no_slip.noslip_iterations = 3;
  asked.contact_solver = ContactSolver::kEngine;
  for (const WorldOptions& options : {no_slip, asked}) {
    Tumble tumble(options);
    tumble.state_.step(400);
    EXPECT_TRUE(tumble.state_.healthy());
    EXPECT_EQ(tumble.state_.solver_counts().ours, 0);
    EXPECT_EQ(tumble.state_.solver_counts().engines, 400);
  }
}

// Over a whole run: fingertips push a box over the floor. What touches amplifies differences, so
// that paths agree to 0.1 mm and not to the solvers' tolerance.
TEST(EngineSolver, BothPushABoxTheSameWay) {
  const std::vector<HandSetup> hands = {squeezing(HandProfile::kAnatomical, 2.0)};
  ObjectSetup object;
  object.object = std::make_shared<const Object>(geometry::builtin_object("box").value());
  const double half = object.object->shape.size.y();
  std::vector<std::vector<Vec3>> paths;
  for (const ContactSolver solver : {ContactSolver::kOurs, ContactSolver::kEngine}) {
    WorldOptions options;
    options.contact_solver = solver;
    options.floor_height = -half;
    State state(World::build(hands, std::span(&object, 1), options).value());
    state.set_hand_pose(0, rest_pose(*hands[0].hand));
    state.set_servo_target(0, rest_pose(*hands[0].hand));
    state.set_object_pose(0, Transform::from_position({0.0, 0.0, -0.25}));
    std::vector<Vec3>& path = paths.emplace_back();
    for (int i = 0; i < 500; ++i) {
      const double on = -0.15 * minimum_jerk(std::min(i / 300.0, 1.0));
      state.set_root_target(0, Transform::from_position({0.0, 0.0, on}));
      state.step();
      path.push_back(state.object_pose(0).position);
    }
    EXPECT_TRUE(state.healthy());
    EXPECT_LT(path.back().z(), path.front().z() - 0.05) << "it was not pushed";
  }
  for (size_t i = 0; i < paths[0].size(); ++i)
    EXPECT_LE((paths[0][i] - paths[1][i]).norm(), 1e-4) << i;
}

// What the engine would end the program for leaves a state that says so, and that can be used again
// after a reset.
TEST(EngineSolver, AnEngineThatGivesUpBreaksTheStateAlone) {
  Tumble tumble;
  State& state = tumble.state_;
  EXPECT_THROW(mju_error("a test of errors through the engine's own frames"), EngineError);
  state.impl().guarded([] { mju_error("out of memory"); });
  EXPECT_FALSE(state.healthy());
  state.reset();
  EXPECT_TRUE(state.healthy());
}

}  // namespace
}  // namespace prehend::physics
