// Pollard and Zordan, "Physically Based Grasping Control from Example", SCA 2005, section 5.1.
// Implements: eq. 13-14 (setpoints from one example by least squares).
// Departs:    positions and velocities of setpoints enter only as k_S theta_i + k_D theta'_i, so
//             eq. 14 determines six numbers a degree of freedom and not twelve: of all solutions
//             the one nearest to the neutral pose at rest is taken. What a setpoint has to do with
//             the motion may be little (a state that lasts a few frames): kRidge draws it there
//             too. Rates are turned exactly between axis-angle vectors and angular velocities.
// Symbols:    theta joint angles, axis-angle [rad]; I joint-space inertia; B blends; c = k_S P_S +
//             k_D P_D.
#include "methods/example_control/setpoints.h"

#include <Eigen/Cholesky>

#include "methods/example_control/axis_angle.h"
#include "prehend/physics/dynamics.h"

namespace prehend::example_control {
namespace {

constexpr double kRidge = 1e-3;  // of a setpoint's weight, if it were on in all frames

}  // namespace

Eigen::MatrixXd own_accelerations(const ExampleData& data, int first, int last) {
  physics::HandSetup setup;
  setup.hand = data.hand;
  setup.root = physics::RootMotion::kFree;
  setup.passive_joints = setup.joint_limits = setup.self_collision = setup.collides = false;
  physics::State state(physics::World::build({&setup, 1}, {}).value());
  const int dof = data.hand->dof();
  Eigen::VectorXd velocity(6 + dof), acceleration(6 + dof), torque, rigid;
  Eigen::MatrixXd mass, own(last - first + 1, dof);
  for (int f = first; f <= last; ++f) {
    const RigidCurve::Motion root = data.wrist.at(f / data.frame_rate);
    const Quat root_from_world = root.pose.rotation.conjugate();
    velocity.head<6>() << root.velocity, root_from_world * root.angular_velocity;
    acceleration.head<6>() << root.acceleration, root_from_world * root.angular_acceleration;
    for (int k = 0; k < dof; k += 3) {
      const AxisAngleRates rates(data.angles.value.row(f).segment<3>(k).transpose());
      const Vec3 rate = data.angles.first.row(f).segment<3>(k).transpose();
      velocity.segment<3>(6 + k) = rates.velocity(rate);
      acceleration.segment<3>(6 + k) =
          rates.acceleration(rate, data.angles.second.row(f).segment<3>(k).transpose());
    }
    state.set_hand(0, root.pose, data.angles.value.row(f).transpose());
    state.set_velocity(velocity);
    physics::inverse_dynamics(state, acceleration, torque);
    physics::rigid_hand_torques(state, 0, {root.velocity, root.angular_velocity},
                                {root.acceleration, root.angular_acceleration}, gravity_world(),
                                rigid);
    physics::mass_matrix(state, mass);
    const Eigen::VectorXd turned =
        mass.bottomRightCorner(dof, dof).llt().solve(torque.tail(dof) - rigid);
    for (int k = 0; k < dof; k += 3) {
      const AxisAngleRates rates(data.angles.value.row(f).segment<3>(k).transpose());
      const Vec3 rate = data.angles.first.row(f).segment<3>(k).transpose();
      // What is left of the acceleration when the frame's own turning is taken away.
      const Vec3 rest = turned.segment<3>(k) - rates.acceleration(rate, Vec3::Zero());
      own.row(f - first).segment<3>(k) = rates.rate(rest).transpose();
    }
  }
  return own;
}

Eigen::MatrixXd setpoint_demand(const ExampleData& data, int first, int last,
                                const Eigen::MatrixXd& own, const Controller& controller) {
  const Gains& gains = controller.gains;
  const int frames = last - first + 1;
  const auto angles = data.angles.value.middleRows(first, frames);
  const auto rates = data.angles.first.middleRows(first, frames);
  const Eigen::RowVectorXd neutral = controller.neutral.transpose();
  const Eigen::MatrixXd legal = angles.cwiseMax(controller.lower.transpose().replicate(frames, 1))
                                    .cwiseMin(controller.upper.transpose().replicate(frames, 1));
  const Eigen::MatrixXd passive = gains.stiffness * (neutral.replicate(frames, 1) - angles) +
                                  gains.limit_stiffness * (legal - angles) -
                                  gains.damping * rates;                    // eq. 4
  return gains.stiffness * angles + gains.damping * rates + own - passive;  // eq. 14
}

void solve_setpoints(const Eigen::MatrixXd& blends, const Eigen::MatrixXd& demand,
                     Controller& controller) {
  const Gains& gains = controller.gains;
  const Eigen::RowVectorXd rest = gains.stiffness * controller.neutral.transpose();
  // Blends sum to one, so that resting at neutral shifts every demand alike.
  const Eigen::MatrixXd shifted = demand - rest.replicate(demand.rows(), 1);
  Eigen::MatrixXd normal = blends.transpose() * blends;
  normal.diagonal().array() += kRidge * static_cast<double>(blends.rows());
  const Eigen::MatrixXd c = normal.ldlt().solve(blends.transpose() * shifted);
  const double square = gains.stiffness * gains.stiffness + gains.damping * gains.damping;
  controller.positions =
      controller.neutral.transpose().replicate(kSetpointCount, 1) + gains.stiffness / square * c;
  controller.velocities = gains.damping / square * c;
}

Eigen::MatrixXd linear_response(const Eigen::MatrixXd& blends, double frame_rate,
                                const Eigen::VectorXd& start, const Eigen::VectorXd& start_rates,
                                const Controller& controller) {
  constexpr double kStep = 0.002;
  const Gains& gains = controller.gains;
  const int substeps = static_cast<int>(std::ceil(1.0 / (frame_rate * kStep)));
  const double dt = 1.0 / (frame_rate * substeps);
  const Setpoints c =
      gains.stiffness * controller.positions + gains.damping * controller.velocities;
  Eigen::VectorXd angles = start, rates = start_rates;
  Eigen::MatrixXd response(blends.rows(), angles.size());
  Eigen::VectorXd pull(angles.size());
  for (int f = 0; f < blends.rows(); ++f) {
    response.row(f) = angles.transpose();
    pull = c.transpose() * blends.row(f).transpose() + gains.stiffness * controller.neutral;
    for (int i = 0; i < substeps; ++i) {
      rates += dt * (pull - 2.0 * gains.stiffness * angles - 2.0 * gains.damping * rates);
      angles += dt * rates;
    }
  }
  return response;
}

}  // namespace prehend::example_control
