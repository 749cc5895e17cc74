#include "prehend/physics/dynamics.h"

#include <gtest/gtest.h>

#include "prehend/geometry/builtin.h"
#include "tests/physics/physics_fixture.h"

namespace prehend::physics {
namespace {

constexpr double kFrameTolerance = 1e-12;     // meters and quaternion components
constexpr double kJacobianTolerance = 1e-8;   // against central differences
constexpr double kDynamicsTolerance = 1e-10;  // two routes to the same force

WorldPtr make_world(HandProfile profile, RootMotion root) {
  HandSetup setup;
  setup.hand = make_hand(profile);
  setup.root = root;
  ObjectSetup object;
  object.object = std::make_shared<const Object>(geometry::builtin_object("cylinder").value());
  return World::build(std::span(&setup, 1), std::span(&object, 1)).value();
}

struct Case {
  HandProfile profile;
  RootMotion root;
};
class Dynamics : public testing::TestWithParam<Case> {
 protected:
  Dynamics() : world(make_world(GetParam().profile, GetParam().root)), state(world), random(5) {}
  void randomize() {
    state.set_hand_pose(0, random_pose(world->hand(0), random));
    state.set_object_pose(0, {exp_map(Vec3(0.3, 0.2, -1.0)), {0.4, 0.1, -0.2}});
    state.set_velocity(random_vector(world->dof(), random));
  }
  WorldPtr world;
  State state;
  std::mt19937 random;
};

TEST_P(Dynamics, SegmentFramesAgreeWithTheCore) {
  std::vector<Transform> frames(static_cast<size_t>(world->hand(0).segment_count()));
  for (int trial = 0; trial < 20; ++trial) {
    const HandPose pose = random_pose(world->hand(0), random);
    state.set_hand_pose(0, pose);
    segment_frames(state, 0, frames);
    const std::vector<Transform> expected = segment_frames(world->hand(0), pose);
    for (size_t i = 0; i < frames.size(); ++i) {
      EXPECT_LE((frames[i].position - expected[i].position).norm(), kFrameTolerance);
      EXPECT_LE(angle_between(frames[i].rotation, expected[i].rotation), 1e-10);
    }
    const HandPose back = state.hand_pose(0);
    for (size_t i = 0; i < back.rotations.size(); ++i) {
      EXPECT_LE(angle_between(back.rotations[i], pose.rotations[i]), 1e-9);
    }
  }
}

TEST_P(Dynamics, JacobiansAgreeWithCentralDifferences) {
  randomize();
  const Hand& hand = world->hand(0);
  const Vec3 local(0.01, -0.02, 0.005);
  const double h = 1e-6;
  std::vector<Transform> frames(static_cast<size_t>(hand.segment_count()));
  const Snapshot here = state.snapshot();
  PointJacobian jacobian;
  for (const int segment : {0, hand.segment_count() / 2, hand.segment_count() - 1}) {
    state.restore(here);
    segment_frames(state, 0, frames);
    const Transform frame = frames[static_cast<size_t>(segment)];
    segment_jacobian(state, 0, segment, frame * local, jacobian);
    for (int k = 0; k < world->dof(); ++k) {
      Transform moved[2];
      for (const int side : {0, 1}) {
        state.restore(here);
        state.displace(Eigen::VectorXd::Unit(world->dof(), k), side ? h : -h);
        segment_frames(state, 0, frames);
        moved[side] = frames[static_cast<size_t>(segment)];
      }
      const Vec3 linear = (moved[1] * local - moved[0] * local) / (2 * h);
      const Vec3 angular = angular_velocity_world(moved[0].rotation, moved[1].rotation, 2 * h);
      EXPECT_LE((jacobian.col(k).head<3>() - linear).norm(), kJacobianTolerance) << k;
      EXPECT_LE((jacobian.col(k).tail<3>() - angular).norm(), kJacobianTolerance) << k;
    }
  }
}

TEST_P(Dynamics, MassTimesVectorNeedsNoMatrix) {
  randomize();
  const Eigen::VectorXd vector = random_vector(world->dof(), random);
  Eigen::MatrixXd mass;
  Eigen::VectorXd product;
  mass_matrix(state, mass);
  multiply_mass(state, vector, product);
  EXPECT_LE((mass * vector - product).norm(), kDynamicsTolerance);
  // In the middle of a step the engine's own inertia carries what makes springs implicit.
  state.begin_step();
  multiply_mass(state, vector, product);
  EXPECT_LE((mass * vector - product).norm(), kDynamicsTolerance);
  state.end_step();
}

TEST_P(Dynamics, JointsThatStandStillNeedWhatARigidHandNeeds) {
  if (GetParam().root == RootMotion::kFixed) GTEST_SKIP() << "its root does not move";
  const DofRange dofs = world->hand_dofs(0);
  for (int trial = 0; trial < 10; ++trial) {
    randomize();
    Eigen::VectorXd velocity = Eigen::VectorXd::Zero(world->dof()), acceleration = velocity;
    velocity.segment<6>(dofs.first) = random_vector(6, random);
    acceleration.segment<6>(dofs.first) = random_vector(6, random, 5.0);
    state.set_velocity(velocity);
    Eigen::VectorXd engine, own;
    inverse_dynamics(state, acceleration, engine);
    const Quat root = state.hand_pose(0).root_world.rotation;
    const Twist moves{velocity.segment<3>(dofs.first), root * velocity.segment<3>(dofs.first + 3)};
    const Twist speeds_up{acceleration.segment<3>(dofs.first),
                          root * acceleration.segment<3>(dofs.first + 3)};
    rigid_hand_torques(state, 0, moves, speeds_up, gravity_world(), own);
    EXPECT_LE((own - engine.segment(dofs.first + 6, dofs.count - 6)).norm(), kDynamicsTolerance);
  }
}

TEST_P(Dynamics, MassTimesAccelerationPlusBiasIsInverseDynamics) {
  for (int trial = 0; trial < 10; ++trial) {
    randomize();
    const Eigen::VectorXd acceleration = random_vector(world->dof(), random, 10.0);
    Eigen::MatrixXd mass;
    Eigen::VectorXd bias, force;
    mass_matrix(state, mass);
    bias_forces(state, bias);
    inverse_dynamics(state, acceleration, force);
    EXPECT_LE((mass * acceleration + bias - force).lpNorm<Eigen::Infinity>(), kDynamicsTolerance);
    EXPECT_LE((mass - mass.transpose()).norm(), 1e-14);
    Eigen::MatrixXd solved;
    solve_mass(state, mass * acceleration, solved);
    EXPECT_LE((solved - acceleration).norm(), 1e-7 * acceleration.norm());
  }
}

TEST_P(Dynamics, MassMatrixIsTheKineticEnergyOfTheSegments) {
  randomize();
  const Hand& hand = world->hand(0);
  std::vector<Transform> frames(static_cast<size_t>(hand.segment_count()));
  segment_frames(state, 0, frames);
  const DofRange dofs = world->hand_dofs(0);
  Eigen::VectorXd velocity = random_vector(world->dof(), random);
  velocity.tail(world->dof() - dofs.count).setZero();
  double kinetic = 0.0;
  PointJacobian jacobian;
  for (int i = 0; i < hand.segment_count(); ++i) {
    const Segment& segment = hand.segments[static_cast<size_t>(i)];
    const Transform& frame = frames[static_cast<size_t>(i)];
    segment_jacobian(state, 0, i, frame * segment.center_of_mass, jacobian);
    const Eigen::Matrix<double, 6, 1> twist = jacobian * velocity;
    const Vec3 spin = frame.rotation.conjugate() * twist.tail<3>();
    kinetic +=
        0.5 * segment.mass * twist.head<3>().squaredNorm() + 0.5 * spin.dot(segment.inertia * spin);
  }
  Eigen::MatrixXd mass;
  mass_matrix(state, mass);
  EXPECT_NEAR(0.5 * velocity.dot(mass * velocity), kinetic, 1e-9 * kinetic);
}

TEST_P(Dynamics, GravityBiasIsTheGradientOfPotentialEnergy) {
  randomize();
  state.set_velocity(Eigen::VectorXd::Zero(world->dof()));
  Eigen::VectorXd bias;
  bias_forces(state, bias);
  const Snapshot here = state.snapshot();
  const Hand& hand = world->hand(0);
  const auto potential = [&] {
    std::vector<Transform> frames(static_cast<size_t>(hand.segment_count()));
    segment_frames(state, 0, frames);
    double total = 0.0;
    for (size_t i = 0; i < frames.size(); ++i) {
      total += hand.segments[i].mass * kStandardGravity *
               (frames[i] * hand.segments[i].center_of_mass).y();
    }
    return total;
  };
  const double h = 1e-5;
  for (int k = 0; k < world->hand_dofs(0).count; ++k) {
    state.restore(here);
    state.displace(Eigen::VectorXd::Unit(world->dof(), k), h);
    const double up = potential();
    state.restore(here);
    state.displace(Eigen::VectorXd::Unit(world->dof(), k), -h);
    EXPECT_NEAR((up - potential()) / (2 * h), bias[k], 1e-8) << k;
  }
}

INSTANTIATE_TEST_SUITE_P(Hands, Dynamics,
                         testing::Values(Case{HandProfile::kBall, RootMotion::kFree},
                                         Case{HandProfile::kAnatomical, RootMotion::kDriven},
                                         Case{HandProfile::kArm, RootMotion::kFixed}));

// A hand without limits, springs or gravity keeps what physics says it keeps.
WorldPtr free_world(const Vec3& gravity, double timestep) {
  HandSetup setup;
  setup.hand = make_hand(HandProfile::kBall);
  setup.root = RootMotion::kFree;
  setup.passive_joints = setup.joint_limits = setup.collides = false;
  WorldOptions options;
  options.gravity = gravity;
  options.timestep = timestep;
  return World::build(std::span(&setup, 1), {}, options).value();
}

TEST(Conservation, MomentumOfAFloatingHandStays) {
  State state(free_world(Vec3::Zero(), 1e-4));
  std::mt19937 random(3);
  state.set_velocity(random_vector(state.world().dof(), random, 0.5));
  const Momentum before = momentum(state);
  state.step(1000);
  const Momentum after = momentum(state);
  EXPECT_LE((after.linear - before.linear).norm(), 1e-4 * before.linear.norm());
  EXPECT_LE((after.angular - before.angular).norm(), 2e-3 * before.angular.norm());
}

TEST(Conservation, EnergyOfAFallingSwingingHandStays) {
  // The error of the first-order integrator falls with the step.
  double drift[2];
  for (const int k : {0, 1}) {
    State state(free_world(gravity_world(), k ? 2e-5 : 4e-5));
    std::mt19937 random(3);
    state.set_velocity(random_vector(state.world().dof(), random, 0.5));
    const Energy before = energy(state);
    state.step(k ? 5000 : 2500);
    drift[k] = std::abs(energy(state).total() - before.total()) / before.kinetic;
  }
  EXPECT_LE(drift[1], 5e-3);
  EXPECT_LE(drift[1], 0.75 * drift[0]);
}

TEST(Conservation, FreeFallIsHalfGTSquared) {
  WorldOptions options;
  options.timestep = 1e-3;
  ObjectSetup object;
  object.object = std::make_shared<const Object>(geometry::builtin_object("mug").value());
  State state(World::build({}, std::span(&object, 1), options).value());
  state.step(500);
  // Semi-implicit Euler falls g t (t + h) / 2.
  EXPECT_NEAR(state.object_pose(0).position.y(), -0.5 * kStandardGravity * 0.5 * 0.501, 1e-9);
}

}  // namespace
}  // namespace prehend::physics
