#include "methods/example_control/setpoints.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "methods/example_control/axis_angle.h"
#include "prehend/core/random.h"
#include "prehend/methods/example_control/blend.h"
#include "prehend/physics/dynamics.h"
#include "tests/methods/example_control/test_controller.h"

namespace prehend::example_control {
namespace {

constexpr double kAcceleration = 1e-7;  // rad/s^2, of inverse dynamics and back

// Blends of a whole grasp, one a frame: the palm comes, stays and goes.
Eigen::MatrixXd grasp_blends(const Distances& distances, double frame_rate) {
  std::vector<double> to_go;
  const auto go = [&](double seconds, double from, double to) {
    const int frames = static_cast<int>(seconds * frame_rate);
    for (int i = 0; i < frames; ++i) to_go.push_back(from + (to - from) * i / frames);
  };
  go(0.4, 0.42, 0.42);
  go(1.0, 0.42, 0.0);
  go(0.5, 0.0, 0.0);
  const size_t release = to_go.size();
  go(0.2, 0.0, 0.0);
  go(1.0, 0.0, 0.42);
  go(0.4, 0.42, 0.42);
  PhaseMachine machine(distances);
  Eigen::MatrixXd blends(to_go.size(), kSetpointCount);
  for (size_t f = 0; f < to_go.size(); ++f) {
    const Phase phase = machine.advance(to_go[f], 1.0 / frame_rate, {.release = f == release});
    blends.row(f) = blend(phase, to_go[f], distances).transpose();
  }
  return blends;
}

void randomize(Controller& controller, std::uint64_t seed) {
  Random random(seed);
  for (Eigen::Index i = 0; i < controller.positions.size(); ++i) {
    controller.positions(i) = random.uniform(-0.5, 0.5);
    controller.velocities(i) = random.uniform(-1.0, 1.0);
  }
  for (Eigen::Index i = 0; i < controller.neutral.size(); ++i)
    controller.neutral[i] = random.uniform(-0.3, 0.3);
  controller.lower.setConstant(-3.0);
  controller.upper.setConstant(3.0);
}

Setpoints pull(const Controller& controller) {
  return controller.gains.stiffness * controller.positions +
         controller.gains.damping * controller.velocities;
}

class SetpointsTest : public testing::Test {
 protected:
  SetpointsTest() { randomize(controller_, 5); }

  // What the model does, with the rates and accelerations of its own integration: at steps of
  // 2 ms a frame is a step.
  ExampleData model_motion(const Eigen::MatrixXd& blends, Eigen::MatrixXd& accelerations) const {
    constexpr double kRate = 500.0;
    const int dof = static_cast<int>(controller_.neutral.size());
    const Eigen::MatrixXd angles =
        linear_response(blends, kRate, controller_.rest_pose(Setpoint::kNeutral),
                        Eigen::VectorXd::Zero(dof), controller_);
    const int frames = static_cast<int>(angles.rows());
    ExampleData data;
    data.frame_rate = kRate;
    data.angles.value = angles;
    data.angles.first.setZero(frames, dof);
    for (int f = 1; f < frames; ++f)
      data.angles.first.row(f) = (angles.row(f) - angles.row(f - 1)) * kRate;
    accelerations =
        (data.angles.first.bottomRows(frames - 1) - data.angles.first.topRows(frames - 1)) * kRate;
    return data;
  }

  const HandPtr hand_ = std::make_shared<const Hand>(ball_hand());
  Controller controller_ = test_controller(*hand_);
};

TEST_F(SetpointsTest, AMotionOfTheModelGivesItsSetpointsBack) {
  const Eigen::MatrixXd blends = grasp_blends(controller_.distances, 500.0);
  ASSERT_GT(blends.colwise().maxCoeff().minCoeff(), 0.9);  // every setpoint has its turn
  Eigen::MatrixXd accelerations;
  const ExampleData data = model_motion(blends, accelerations);
  const int frames = static_cast<int>(accelerations.rows());
  const Eigen::MatrixXd demand = setpoint_demand(data, 0, frames - 1, accelerations, controller_);
  EXPECT_LT((demand - blends.topRows(frames) * pull(controller_)).cwiseAbs().maxCoeff(), 1e-6);

  Controller fitted = controller_;
  fitted.positions.setZero();
  fitted.velocities.setZero();
  solve_setpoints(blends.topRows(frames), demand, fitted);
  // The ridge of a thousandth of the frames draws towards resting at neutral, and no more.
  const Eigen::MatrixXd normal = blends.topRows(frames).transpose() * blends.topRows(frames);
  const double least = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(normal).eigenvalues()[0];
  const double ridge = 1e-3 * frames / (least + 1e-3 * frames);
  ASSERT_LT(ridge, 0.03);
  const Eigen::MatrixXd rest =
      controller_.gains.stiffness * controller_.neutral.transpose().replicate(kSetpointCount, 1);
  const Eigen::MatrixXd off = pull(fitted) - pull(controller_);
  for (int k = 0; k < off.cols(); ++k)
    EXPECT_LT(off.col(k).norm(), 1.001 * ridge * (pull(controller_) - rest).col(k).norm()) << k;
}

// Beyond the limits the third spring pulls back: what the fingers did against it was active.
TEST_F(SetpointsTest, TheDemandKnowsTheLimits) {
  ExampleData data;
  data.angles.value = controller_.neutral.transpose();
  data.angles.first.setZero(1, controller_.neutral.size());
  const Eigen::MatrixXd none = Eigen::MatrixXd::Zero(1, controller_.neutral.size());
  const Eigen::MatrixXd within = setpoint_demand(data, 0, 0, none, controller_);
  // At rest at neutral, setpoints are neutral.
  EXPECT_LT((within.transpose() - controller_.gains.stiffness * controller_.neutral).norm(), 1e-10);
  controller_.upper[4] = controller_.neutral[4] - 0.02;
  const Eigen::MatrixXd beyond = setpoint_demand(data, 0, 0, none, controller_);
  EXPECT_NEAR(beyond(0, 4) - within(0, 4), controller_.gains.limit_stiffness * 0.02, 1e-9);
}

// Of all positions and velocities with the same pull, those nearest to neutral and rest.
TEST_F(SetpointsTest, TheSolutionIsTheShortest) {
  const Eigen::MatrixXd blends = grasp_blends(controller_.distances, 60.0);
  solve_setpoints(blends, Eigen::MatrixXd(blends * pull(controller_)), controller_);
  const auto [k_s, k_d, k_jl] = controller_.gains;
  const Eigen::MatrixXd neutral = controller_.neutral.transpose().replicate(kSetpointCount, 1);
  // The shortest has no part along (k_D, -k_S), which changes nothing.
  const Eigen::MatrixXd free =
      k_d * (controller_.positions - neutral) - k_s * controller_.velocities;
  EXPECT_LT(free.cwiseAbs().maxCoeff(), 1e-9);
}

TEST_F(SetpointsTest, TheResponseSettlesAtTheRestPose) {
  Eigen::MatrixXd blends = Eigen::MatrixXd::Zero(240, kSetpointCount);
  blends.col(2).setOnes();
  const Eigen::MatrixXd response =
      linear_response(blends, 60.0, controller_.neutral,
                      Eigen::VectorXd::Zero(controller_.neutral.size()), controller_);
  EXPECT_LT((response.bottomRows(1).transpose() - controller_.rest_pose(Setpoint::kGrip))
                .cwiseAbs()
                .maxCoeff(),
            1e-5);
}

// A wrist that turns and flies, fingers in some pose.
class OwnAccelerations : public testing::Test {
 protected:
  OwnAccelerations() {
    data_.hand = std::make_shared<const Hand>(ball_hand());
    data_.frame_rate = 60.0;
    const int dof = data_.hand->dof();
    Random random(9);
    data_.angles.value.resize(kFrames, dof);
    data_.angles.first.resize(kFrames, dof);
    data_.angles.second.resize(kFrames, dof);
    for (int f = 0; f < kFrames; ++f) {
      const double t = f / data_.frame_rate;
      data_.wrist_world.push_back({exp_map({2.0 * std::sin(4.0 * t), 0.5 * t, std::cos(3.0 * t)}),
                                   {0.3 * std::sin(6.0 * t), 0.2 * t, 0.1 * std::cos(8.0 * t)}});
      for (int k = 0; k < dof; ++k) {
        data_.angles.value(f, k) = random.uniform(-0.4, 0.4);
        data_.angles.first(f, k) = random.uniform(-2.0, 2.0);
        data_.angles.second(f, k) = random.uniform(-50.0, 50.0);
      }
    }
    data_.wrist = RigidCurve::through_samples(data_.wrist_world, data_.frame_rate);
  }
  static constexpr int kFrames = 30, kFirst = 8, kLast = 20;
  Eigen::MatrixXd second() const {
    return data_.angles.second.middleRows(kFirst, kLast - kFirst + 1);
  }
  ExampleData data_;
};

TEST_F(OwnAccelerations, ArmAndGravityDropOut) {
  ASSERT_GT(data_.wrist.at(0.2).acceleration.norm(), 5.0);
  ASSERT_GT(data_.wrist.at(0.2).angular_velocity.norm(), 3.0);
  data_.angles.first.setZero();  // no velocity products of the fingers
  EXPECT_LT((own_accelerations(data_, kFirst, kLast) - second()).cwiseAbs().maxCoeff(),
            kAcceleration);
}

TEST_F(OwnAccelerations, SlowFingersAccelerateAsTheirAnglesDo) {
  data_.wrist = RigidCurve::still(Transform{exp_map({1.0, 0.2, -0.5}), {0.1, 0.2, 0.3}});
  const auto off = [&] {
    return (own_accelerations(data_, kFirst, kLast) - second()).cwiseAbs().maxCoeff();
  };
  data_.angles.first *= 0.02;
  const double slow = off();
  EXPECT_LT(slow, 1.0);  // of 50
  // What is left are products of velocities.
  data_.angles.first *= 0.1;
  EXPECT_NEAR(off() / slow, 0.01, 1e-3);
}

// By another route: forces of the bias with and without the fingers' velocities.
TEST_F(OwnAccelerations, WhatIsLeftAreTheFingersVelocityProducts) {
  physics::HandSetup setup;
  setup.hand = data_.hand;
  setup.root = physics::RootMotion::kFree;
  setup.passive_joints = setup.joint_limits = setup.self_collision = setup.collides = false;
  physics::State state(physics::World::build({&setup, 1}, {}).value());
  const Eigen::MatrixXd own = own_accelerations(data_, kFirst, kLast);
  const int dof = data_.hand->dof();
  for (int f = kFirst; f <= kLast; ++f) {
    const RigidCurve::Motion root = data_.wrist.at(f / data_.frame_rate);
    Eigen::VectorXd velocity = Eigen::VectorXd::Zero(6 + dof), rigid, moving;
    velocity.head<6>() << root.velocity, root.pose.rotation.conjugate() * root.angular_velocity;
    state.set_hand(0, root.pose, data_.angles.value.row(f).transpose());
    state.set_velocity(velocity);
    physics::bias_forces(state, rigid);
    Eigen::VectorXd wanted(dof), seen(dof);
    for (int k = 0; k < dof; k += 3) {
      const AxisAngleRates rates(data_.angles.value.row(f).segment<3>(k).transpose());
      const Vec3 rate = data_.angles.first.row(f).segment<3>(k).transpose();
      velocity.segment<3>(6 + k) = rates.velocity(rate);
      wanted.segment<3>(k) =
          rates.acceleration(rate, data_.angles.second.row(f).segment<3>(k).transpose());
      seen.segment<3>(k) = rates.acceleration(rate, own.row(f - kFirst).segment<3>(k).transpose());
    }
    state.set_velocity(velocity);
    physics::bias_forces(state, moving);
    Eigen::MatrixXd mass;
    physics::mass_matrix(state, mass);
    const Eigen::VectorXd products = mass.bottomRightCorner(dof, dof) * (seen - wanted);
    const Eigen::VectorXd other = (moving - rigid).tail(dof);
    EXPECT_LT((products - other).cwiseAbs().maxCoeff(), 1e-9 + 1e-7 * other.cwiseAbs().maxCoeff());
    EXPECT_GT(other.cwiseAbs().maxCoeff(), 1e-4);  // N m: there are some
  }
}

}  // namespace
}  // namespace prehend::example_control
