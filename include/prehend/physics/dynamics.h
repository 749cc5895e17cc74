// Kinematics and rigid-body dynamics of a State, in the order of generalized velocities that
// physics/world.h says. Each call brings up to date what it needs and nothing more.
#pragma once

#include <span>

#include <Eigen/Core>

#include "prehend/core/contact.h"
#include "prehend/physics/state.h"

namespace prehend::physics {

// World frames of a hand's segments. `frames_world` has hand.segment_count() entries.
void segment_frames(State& state, int hand, std::span<Transform> frames_world);

// Of a point given in the world, moving with a segment: rows 0-2 its linear velocity, rows 3-5 the
// segment's angular velocity, both in the world frame. `jacobian` is 6 x world.dof().
using PointJacobian = Eigen::Matrix<double, 6, Eigen::Dynamic>;
void segment_jacobian(State& state, int hand, int segment, const Vec3& point_world,
                      PointJacobian& jacobian);
void object_jacobian(State& state, int object, const Vec3& point_world, PointJacobian& jacobian);

// M(q), dense and symmetric.
void mass_matrix(State& state, Eigen::MatrixXd& mass);
// M(q) times one vector, without making the matrix.
void multiply_mass(State& state, const Eigen::VectorXd& vector, Eigen::VectorXd& result);
// M(q)^-1 times each column, by the engine's sparse factors.
void solve_mass(State& state, const Eigen::MatrixXd& right, Eigen::MatrixXd& result);
// Coriolis, centrifugal and gravity forces: M a + bias is what applied forces and contacts must
// add up to.
void bias_forces(State& state, Eigen::VectorXd& bias);
// M a + bias by the recursive Newton-Euler sweep: torques of the joints, and of a root its wrench
// (force in the world frame, torque in the root's frame).
void inverse_dynamics(State& state, const Eigen::VectorXd& acceleration, Eigen::VectorXd& force);

// Torques of a hand's joints (without the root's six) that carry its segments along with the root
// as one rigid body: what inverse dynamics gives for joints that stand still. The acceleration of
// gravity counts as one of the root's, upwards.
void rigid_hand_torques(State& state, int hand, const Twist& root_velocity,
                        const Twist& root_acceleration, const Vec3& gravity_world,
                        Eigen::VectorXd& torques);

struct Energy {
  double kinetic = 0.0;
  double potential = 0.0;  // of gravity and joint springs
  double total() const { return kinetic + potential; }
};
Energy energy(State& state);

// Linear momentum and angular momentum about the world's origin, of everything that moves.
struct Momentum {
  Vec3 linear = Vec3::Zero();
  Vec3 angular = Vec3::Zero();
};
Momentum momentum(State& state);

}  // namespace prehend::physics
