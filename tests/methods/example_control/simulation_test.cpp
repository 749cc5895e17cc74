#include "prehend/methods/example_control/simulation.h"

#include <cstdlib>

#include <gtest/gtest.h>

#include "prehend/core/random.h"
#include "prehend/geometry/builtin.h"
#include "prehend/geometry/primitive.h"
#include "prehend/physics/dynamics.h"
#include "prehend/physics/grasp_proof.h"
#include "prehend/physics/physics_in_force.h"
#include "tests/methods/example_control/test_controller.h"

namespace prehend::example_control {
namespace {

ObjectPtr cylinder(bool fixed = false) {
  Object object =
      *geometry::object_from_primitive("cylinder", ShapeKind::kCylinder, {0.03, 0.09, 0.0}, 0.2);
  object.fixed = fixed;
  return std::make_shared<const Object>(object);
}

class SimulationTest : public testing::Test {
 protected:
  // A hand in the air with nothing near.
  static SimulationProblem alone() {
    SimulationProblem problem;
    ControlledHand& hand = problem.hands.emplace_back();
    hand.hand = fitted_grasp().hand;
    hand.controller = std::make_shared<const Controller>(fitted_grasp().controller);
    hand.wrist_world = RigidCurve::still(hand.controller->path.wrist_world[0]);
    hand.distances = {1.0};
    hand.distance_rate = 60.0;
    return problem;
  }
  // The same with something to hold, far away: hold has changed the hand, and does nothing yet.
  static SimulationProblem alone_with_hold() {
    SimulationProblem problem = alone();
    problem.hands[0].distances.clear();
    problem.objects = {{cylinder(true), Transform::from_position({0.0, 0.0, 5.0})}};
    return problem;
  }
  // A hand around a cylinder that stands on the floor or is fixed.
  static SimulationProblem around(bool fixed) {
    const StagedGrasp scene = grasp_scene(cylinder(), {});
    SimulationProblem problem = scene.run.simulation;
    problem.objects[0].object = cylinder(fixed);
    problem.hands[0].wrist_world =
        RigidCurve::still(scene.plan.wrist_world.at(scene.plan.grip + 0.01).pose);
    problem.hands[0].start_angles = problem.hands[0].controller->rest_pose(Setpoint::kOpen);
    return problem;
  }
  static void wait(Simulation& simulation, double seconds, Cue cue = {}) {
    const double end = simulation.time() + seconds - 1e-9;
    while (simulation.time() < end) {
      simulation.step({&cue, 1});
      cue.grip = cue.release = false;
    }
  }
  static double off(const Simulation& simulation, const Eigen::VectorXd& angles) {
    return std::sqrt((simulation.angles(0) - angles).squaredNorm() / double(angles.size()));
  }
};

TEST_F(SimulationTest, BadProblemsAreRefusedInOneLine) {
  const auto expect_error = [](const SimulationProblem& problem, const std::string& words,
                               const SimulationOptions& options = {}) {
    const auto built = Simulation::build(problem, options);
    ASSERT_FALSE(built.ok()) << words;
    EXPECT_NE(built.message().find(words), std::string::npos) << built.message();
    EXPECT_EQ(built.message().find('\n'), std::string::npos) << built.message();
  };
  expect_error({}, "no hand");
  HandOptions made;
  made.profile = HandProfile::kBall;
  made.side = Side::kLeft;
  SimulationProblem bad = alone();
  bad.hands[0].hand = std::make_shared<const Hand>(build_hand(made).value());
  expect_error(bad, "is for a right hand");
  made.side = Side::kRight;
  made.profile = HandProfile::kAnatomical;
  bad.hands[0].hand = std::make_shared<const Hand>(build_hand(made).value());
  expect_error(bad, "was fitted on another hand");
  SimulationOptions options;
  options.gains = Gains{1e7, 50.0, 5000.0};
  expect_error(alone(), "unstable at steps of 0.002 s", options);
  options = {};
  options.timestep = 0.02;  // the hold's limits are stiff
  expect_error(around(false), "unstable at steps of 0.02 s", options);
  bad = alone();
  bad.hands[0].distances.clear();
  expect_error(bad, "reaches for object 1, and there are 0");
  bad.hands[0].target_object = -1;
  expect_error(bad, "reaches for another hand, and there are 1 hands");
  Controller spoiled = fitted_grasp().controller;
  spoiled.distances = {0.3, 0.05};
  bad = alone();
  bad.hands[0].controller = std::make_shared<const Controller>(spoiled);
  expect_error(bad, "0 < D1 < D2");
}

// With nothing to hold, a hand is the paper's: the same to the last bit.
TEST_F(SimulationTest, AHoldChangesNoHandThatHoldsNothing) {
  SimulationProblem two = alone();
  two.hands[0].distances.clear();
  two.hands[0].target_object = -1;
  two.hands.push_back(two.hands[0]);
  two.hands[1].wrist_world = RigidCurve::still(Transform::from_position({0.0, 0.0, 2.0}));
  for (const SimulationProblem& problem : {alone(), two}) {
    std::vector<Eigen::VectorXd> angles;
    for (const Grip grip : {Grip::kPaper, Grip::kHold}) {
      SimulationOptions options;
      options.grip = grip;
      auto simulation = Simulation::build(problem, options);
      ASSERT_TRUE(simulation.ok()) << simulation.message();
      wait(*simulation, 0.3, {.setpoint = Setpoint::kGrip});
      angles.push_back(simulation->angles(0));
      EXPECT_EQ(physics::physics_in_force(simulation->state().world()).most_added_inertia, 0.0);
    }
    EXPECT_EQ(angles[0], angles[1]);
    EXPECT_GT((angles[0] - problem.hands[0].controller->rest_pose(Setpoint::kNeutral)).norm(), 0.1);
  }
}

TEST_F(SimulationTest, NoJointTurnsHarderThanItsMusclesCan) {
  SimulationOptions options;
  options.gains = Gains{40000.0, 100.0, 5000.0};
  auto simulation = Simulation::build(alone(), options);
  ASSERT_TRUE(simulation.ok()) << simulation.message();
  const Hand strong = physics::with_strength(*fitted_grasp().hand);
  double most = 0.0;
  for (int step = 0; step < 300; ++step) {
    const Cue cue{.setpoint = step / 50 % 2 ? Setpoint::kGrip : Setpoint::kOpen};
    simulation->step({&cue, 1});
    int k = 0;
    for (const Segment& segment : strong.segments) {
      if (segment.joints.empty()) continue;
      const double torque = simulation->torques(0).segment<3>(k).norm();
      const double strength = segment.joints[0].max_torque;
      ASSERT_LE(torque, strength * (1.0 + 1e-9)) << segment.name;
      most = std::max(most, torque / strength);
      k += 3;
    }
  }
  EXPECT_NEAR(most, 1.0, 1e-9);  // it tries harder
}

// Figure 7: setpoints by hand, whatever the state.
TEST_F(SimulationTest, CuesBySetpointOpenAndCloseTheHand) {
  constexpr double kThere = radians(2.0);  // rms; limits hold back some of the way
  constexpr double kSettle = 1.5;
  const Controller& controller = fitted_grasp().controller;
  ASSERT_GT((controller.rest_pose(Setpoint::kOpen) - controller.rest_pose(Setpoint::kGrip)).norm() /
                std::sqrt(57.0),
            2.0 * kThere);
  for (Grip grip : {Grip::kPaper, Grip::kHold}) {
    SimulationOptions options;
    options.grip = grip;
    auto simulation = Simulation::build(alone(), options);
    ASSERT_TRUE(simulation.ok()) << simulation.message();
    for (const Setpoint setpoint :
         {Setpoint::kOpen, Setpoint::kGrip, Setpoint::kOpen, Setpoint::kGrip}) {
      wait(*simulation, kSettle, {.setpoint = setpoint});
      const Eigen::VectorXd pose = controller.rest_pose(setpoint);
      EXPECT_LT(off(*simulation, pose.cwiseMax(controller.lower).cwiseMin(controller.upper)),
                kThere)
          << index_of(setpoint);
      EXPECT_EQ(simulation->phase(0), Phase::kNeutral);
      EXPECT_EQ(simulation->blend(0), Blend(Blend::Unit(index_of(setpoint))));
    }
    wait(*simulation, kSettle);
    EXPECT_LT(off(*simulation, controller.rest_pose(Setpoint::kNeutral)), kThere);
  }
}

// Eq. 15-16, for a hand that does not know how it closes.
TEST_F(SimulationTest, AlphaGoesOnAlongTheLineFromTheOpenPose) {
  SimulationProblem plain = around(false);
  auto controller = std::make_shared<Controller>(*plain.hands[0].controller);
  controller->closing.resize(0);
  controller->touching.resize(0);
  plain.hands[0].controller = controller;
  auto simulation = Simulation::build(plain, {});
  ASSERT_TRUE(simulation.ok()) << simulation.message();
  wait(*simulation, 0.1, {.grip = true, .alpha = 0.25});
  EXPECT_GE(simulation->blend(0)[2], 1.25);
  EXPECT_NEAR(simulation->blend(0).sum(), 1.0, 1e-12);
}

TEST_F(SimulationTest, CuesGripAndLetGo) {
  auto simulation = Simulation::build(around(false), {});
  ASSERT_TRUE(simulation.ok()) << simulation.message();
  wait(*simulation, 0.8, {.grip = true});
  EXPECT_EQ(simulation->phase(0), Phase::kGripping);
  EXPECT_GT(simulation->contact_force(0), 1.0);
  // Torques are of joints: nothing pushes the wrist or the object but what they touch.
  const Eigen::VectorXd applied = simulation->state().snapshot().applied;
  EXPECT_EQ(applied.head<6>().norm(), 0.0);
  EXPECT_EQ(applied.tail<6>().norm(), 0.0);
  EXPECT_EQ(Eigen::VectorXd(applied.segment(6, simulation->torques(0).size())),
            simulation->torques(0));
  // A hand that knows how it closes goes on along that, and its blend stays at the grip.
  wait(*simulation, 0.1, {.alpha = 0.25});
  EXPECT_EQ(simulation->blend(0), Blend(Blend::Unit(index_of(Setpoint::kGrip))));
  wait(*simulation, 0.8, {.release = true});
  EXPECT_NE(simulation->phase(0), Phase::kGripping);
  EXPECT_EQ(simulation->contact_force(0), 0.0);
  // and grips again
  wait(*simulation, 0.8, {.grip = true});
  EXPECT_GT(simulation->contact_force(0), 1.0);
}

TEST_F(SimulationTest, AReleaseByTimeComesByItself) {
  SimulationProblem problem = around(false);
  problem.hands[0].release = {.by = Release::By::kTime, .seconds = 0.5};
  auto simulation = Simulation::build(problem, {});
  ASSERT_TRUE(simulation.ok()) << simulation.message();
  wait(*simulation, 0.45, {.grip = true});
  EXPECT_EQ(simulation->phase(0), Phase::kGripping);
  wait(*simulation, 0.1);
  EXPECT_NE(simulation->phase(0), Phase::kGripping);
}

// Section 6: closing further presses harder. The hand alone decides on a cylinder that stays.
TEST_F(SimulationTest, AlphaRaisesTheForceStepByStep) {
  SimulationOptions options;
  options.grip = Grip::kPaper;
  auto simulation = Simulation::build(around(true), options);
  ASSERT_TRUE(simulation.ok()) << simulation.message();
  wait(*simulation, 0.8, {.grip = true});
  double before = 0.0;
  for (int i = 0; i <= 5; ++i) {
    wait(*simulation, 0.3, {.alpha = 0.1 * i});
    double sum = 0.0;
    constexpr int kSteps = 100;
    for (int step = 0; step < kSteps; ++step) {
      simulation->step();
      sum += simulation->contact_force(0) / kSteps;
    }
    EXPECT_GT(sum, 1.02 * before) << "alpha " << 0.1 * i;
    EXPECT_GT(sum, 0.05);
    before = sum;
  }
}

// A library of another rig shows more than the hand can do: setpoints lead there, limits do not.
TEST_F(SimulationTest, AHoldKeepsJointsInTheHandsOwnRange) {
  SimulationProblem problem = alone_with_hold();
  ControlledHand& hand = problem.hands[0];
  auto wide = std::make_shared<Controller>(*hand.controller);
  const CoordinateLimits own = coordinate_limits(*hand.hand);
  const int joint = coordinate_offsets(*hand.hand)[hand.hand->find("index-distal")];
  wide->lower[joint] = own.lower[joint] - radians(40.0);
  wide->positions.col(joint).setConstant(2.0 * wide->lower[joint]);
  hand.controller = wide;
  constexpr double kGives = radians(3.0);
  for (Grip grip : {Grip::kPaper, Grip::kHold}) {
    SimulationOptions options;
    options.grip = grip;
    auto simulation = Simulation::build(problem, options);
    ASSERT_TRUE(simulation.ok()) << simulation.message();
    wait(*simulation, 1.0, {.setpoint = Setpoint::kGrip});
    const double out = own.lower[joint] - simulation->angles(0)[joint];
    EXPECT_EQ(out > radians(15.0), grip == Grip::kPaper) << degrees(out);
    EXPECT_EQ(out < kGives, grip == Grip::kHold) << degrees(out);
  }
}

TEST_F(SimulationTest, AWristMovedLiveFollows) {
  auto simulation = Simulation::build(alone(), {});
  ASSERT_TRUE(simulation.ok()) << simulation.message();
  const Transform start = alone().hands[0].wrist_world.at(0.0).pose;
  const auto asked = [&](double step) {
    const double part = minimum_jerk(step / 500.0);
    return Transform{start.rotation * exp_map(part * Vec3(0.5, 0.3, 0.8)),
                     start.position + part * Vec3(0.2, 0.1, 0.0)};
  };
  constexpr int kLate = 20;  // steps: 40 ms
  Cue cue;
  for (int i = 1; i <= 500; ++i) {
    cue.wrist = asked(i);
    simulation->step({&cue, 1});
    const Transform wrist = simulation->state().hand_pose(0).root_world, then = asked(i - kLate);
    EXPECT_LT((wrist.position - then.position).norm(), 0.003) << i;
    EXPECT_LT(angle_between(wrist.rotation, then.rotation), radians(1.0)) << i;
  }
  wait(*simulation, 0.2, cue);
  const Transform wrist = simulation->state().hand_pose(0).root_world;
  EXPECT_LT((wrist.position - cue.wrist->position).norm(), 0.001);
}

// Section 7: without tau_ARM fingers wave as the arm comes and goes, with it they hardly do.
TEST_F(SimulationTest, FingersWaveOnlyWithoutCompensationOfTheArm) {
  SimulationProblem problem = alone();
  const Transform start = problem.hands[0].wrist_world.at(0.0).pose;
  std::vector<Transform> wrists;
  for (int f = 0; f < 120; ++f) {  // up and down at 3 Hz, beginning gently
    const double wave = minimum_jerk(f / 20.0) * std::sin(2.0 * kPi * 3.0 * f / 60.0);
    wrists.push_back({start.rotation * exp_map({0.3 * wave, 0.0, 0.0}),
                      start.position + Vec3(0.0, 0.04 * wave, 0.0)});
  }
  problem.hands[0].wrist_world = RigidCurve::through_samples(wrists, 60.0);
  const Eigen::VectorXd rest = fitted_grasp().controller.rest_pose(Setpoint::kNeutral);
  const auto waving = [&](const Terms& terms) {
    SimulationOptions options;
    options.grip = Grip::kPaper;
    options.terms = terms;
    Simulation simulation = Simulation::build(problem, options).value();
    double sum = 0.0;
    constexpr int kSteps = 900;
    for (int i = 0; i < kSteps; ++i) {
      simulation.step();
      sum += std::pow(off(simulation, rest), 2) / kSteps;
    }
    return std::sqrt(sum);
  };
  const double with = waving({}), without = waving({.arm = false});
  EXPECT_LT(with, 0.2 * without) << degrees(with) << " and " << degrees(without);
  EXPECT_GT(without, radians(0.5));
  RecordProperty("with_deg", std::to_string(degrees(with)));
  RecordProperty("without_deg", std::to_string(degrees(without)));
}

// As a mouse does, sixty times a second and not between; and at once to another place.
TEST_F(SimulationTest, AWristMovedInJerksDoesNotMakeTheFingersWave) {
  const Transform start = alone().hands[0].wrist_world.at(0.0).pose;
  const Eigen::VectorXd rest = fitted_grasp().controller.rest_pose(Setpoint::kNeutral);
  const auto farthest = [&](const Terms& terms, bool leaps) {
    SimulationOptions options;
    options.terms = terms;
    auto simulation = Simulation::build(alone_with_hold(), options);
    Cue cue;
    double most = 0.0;
    for (int i = 0; i < 1000; ++i) {
      const double time = (i - i % 8) * 0.002;
      cue.wrist = Transform{start.rotation * exp_map(0.5 * std::sin(6.0 * time) * Vec3::UnitX()),
                            start.position + 0.1 * std::sin(5.0 * time) * Vec3::UnitY()};
      if (leaps && i >= 500) cue.wrist->position.x() += 0.5;
      simulation->step({&cue, 1});
      most = std::max(most, off(*simulation, rest));
    }
    EXPECT_TRUE(simulation->state().healthy());
    return most;
  };
  const double still = farthest({}, false);
  EXPECT_LT(still, radians(0.5)) << degrees(still);
  EXPECT_GT(farthest({.arm = false}, false), 1.5 * still);
  EXPECT_LT(farthest({}, true), radians(10.0));
}

// What was sampled while an object was placed is what the closing hand reads.
TEST_F(SimulationTest, AnObjectPreparedForPlacingLeavesNothingToSample) {
  const auto bottle = std::make_shared<const Object>(*geometry::builtin_object("bottle"));
  const StagedGrasp scene = grasp_scene(bottle, {});
  SimulationProblem problem = scene.run.simulation;
  const auto field =
      std::dynamic_pointer_cast<const geometry::BrickField>(problem.objects[0].prepared->contact());
  ASSERT_NE(field, nullptr);
  const size_t before = field->brick_count();
  const auto gripped_at = [&] {
    auto simulation = Simulation::build(problem);
    while (simulation->time() < scene.plan.grip + 0.5) {
      Cue cue;
      cue.grip = simulation->time() >= scene.plan.grip && simulation->phase(0) < Phase::kGripping;
      simulation->step({&cue, 1});
    }
    return simulation->state().object_pose(0).position;
  };
  const Vec3 shared = gripped_at();
  EXPECT_LE(field->brick_count(), before + 2);
  problem.objects[0].prepared.reset();
  EXPECT_EQ(shared, gripped_at());
}

TEST_F(SimulationTest, TheSameCuesGiveTheSameBytes) {
  const auto play = [] {
    auto simulation = Simulation::build(around(false), {}).value();
    wait(simulation, 0.5, {.grip = true});
    wait(simulation, 0.2, {.setpoint = Setpoint::kOpen});
    wait(simulation, 0.2, {.alpha = 0.3});
    return simulation.state().snapshot();
  };
  const physics::Snapshot one = play(), other = play();
  EXPECT_EQ(one.time, other.time);
  EXPECT_EQ(one.position, other.position);
  EXPECT_EQ(one.velocity, other.velocity);
  EXPECT_EQ(one.warm_start, other.warm_start);
  EXPECT_EQ(one.applied, other.applied);
}

// Whatever is asked of it: setpoints, strength and grips at random, a wrist that is thrown about,
// blows on the joints, and an object that is pulled into the hand and out of it.
struct Storm {
  explicit Storm(const SimulationProblem& problem)
      : simulation(Simulation::build(problem, {}).value()) {
    Eigen::VectorXd velocity = simulation.state().velocity();
    blow.setZero(velocity.size(), 1);
  }

  // Keys a third of a second to a second apart, up to 15 cm and 60 degrees from `home`.
  static RigidCurve wrist_curve(const Transform& home, double seconds, Random& random) {
    std::vector<double> times = {0.0};
    std::vector<Transform> poses = {home};
    while (times.back() < seconds) {
      times.push_back(times.back() + random.uniform(0.33, 1.0));
      poses.push_back(home *
                      Transform{exp_map(radians(60.0) * random.uniform() * random.direction()),
                                0.15 * random.uniform() * random.direction()});
    }
    return RigidCurve::through_keyframes(times, poses);
  }

  void choose() {
    if (simulation.time() < next_choice) return;
    next_choice += random.uniform(0.2, 1.0);
    cue.setpoint.reset();
    if (random.uniform() < 0.7) cue.setpoint = Setpoint(random.below(kSetpointCount));
    cue.alpha = random.uniform();
    cue.grip = random.uniform() < 0.5;
    cue.release = !cue.grip;
    push = {random.uniform(0.0, 5.0) * random.direction(),
            random.uniform(0.0, 0.1) * random.direction()};
    push_until = simulation.time() + 0.1;
  }

  void pull() {
    // Up to 3 N towards the palm, so that it does not stay away, and some drag, besides the push.
    const physics::State& state = simulation.state();
    const Transform wrist = state.hand_pose(0).root_world;
    const Vec3 way = wrist * Vec3(0.0, -0.06, -0.08) - state.object_pose(0).position;
    const physics::Twist twist = state.object_twist(0);
    Wrench wrench = simulation.time() < push_until ? push : Wrench{};
    wrench.force += 3.0 * way / std::max(0.05, way.norm()) - 1.0 * twist.linear;
    wrench.torque -= 0.002 * twist.angular;
    simulation.state().set_object_wrench(0, wrench);
  }

  // An impulse on all joints, as of a blow of 0.2 N m for 10 ms.
  void strike() {
    if (simulation.time() < next_blow) return;
    next_blow += random.uniform(0.1, 0.5);
    const physics::DofRange dofs = simulation.state().world().hand_dofs(0);
    blow.setZero();
    for (int k = dofs.first + dofs.root; k < dofs.first + dofs.count; ++k)
      blow(k) = random.below(4) == 0 ? random.uniform(-0.002, 0.002) : 0.0;
    physics::solve_mass(simulation.state(), blow, gained);
    simulation.state().set_velocity(simulation.state().velocity() + gained.col(0));
  }

  Simulation simulation;
  Random random{11};
  Cue cue;
  Wrench push;
  Eigen::MatrixXd blow, gained;
  double next_choice = 0.0, next_blow = 0.0, push_until = 0.0;
};

TEST_F(SimulationTest, StaysSaneThroughAStorm) {
  constexpr double kMostSpeed = 2.0;  // m/s, of hand and object together
  const char* lengthy = std::getenv("PREHEND_LONG");
  const double seconds = lengthy && *lengthy == '1' ? 600.0 : 60.0;
  SimulationProblem problem = around(false);
  // Well above the floor: a wrist follows its curve with any force, and would crush what lies
  // there.
  Random random(12);
  problem.hands[0].wrist_world = Storm::wrist_curve(
      Transform::from_position({0.0, 0.35, 0.0}) * problem.hands[0].wrist_world.at(0.0).pose,
      seconds, random);
  double mass = problem.objects[0].object->mass;
  for (const Segment& segment : problem.hands[0].hand->segments) mass += segment.mass;
  const double most_energy = 0.5 * mass * kMostSpeed * kMostSpeed;
  Storm storm(problem);
  double most = 0.0, touching = 0.0, steps = 0.0, farthest = 0.0;
  while (storm.simulation.time() < seconds) {
    storm.choose();
    storm.pull();
    storm.strike();
    storm.simulation.step({&storm.cue, 1});
    storm.cue.grip = storm.cue.release = false;
    ASSERT_TRUE(storm.simulation.state().healthy()) << storm.simulation.time();
    const double kinetic = physics::energy(storm.simulation.state()).kinetic;
    ASSERT_LT(kinetic, most_energy) << storm.simulation.time();
    most = std::max(most, kinetic);
    farthest = std::max(farthest, storm.simulation.angles(0).cwiseAbs().maxCoeff());
    touching += storm.simulation.contact_force(0) > 0.0 ? 1.0 : 0.0;
    steps += 1.0;
  }
  EXPECT_EQ(storm.simulation.state().warnings(), 0);
  EXPECT_LT(farthest, kPi);
  EXPECT_GT(touching / steps, 0.1);  // there was something to be upset by
  RecordProperty("bound_J", std::to_string(most_energy));
  RecordProperty("most_energy_J", std::to_string(most));
  RecordProperty("touching", std::to_string(touching / steps));
  RecordProperty("farthest_rad", std::to_string(farthest));
}

}  // namespace
}  // namespace prehend::example_control
