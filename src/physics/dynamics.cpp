#include "prehend/physics/dynamics.h"

#include "physics/world_impl.h"

namespace prehend::physics {
namespace {

using Stage = State::Impl::Stage;

void body_jacobian(State::Impl& s, int body, const Vec3& point_world, PointJacobian& jacobian) {
  s.need(Stage::kPosition);
  const int nv = s.model->nv;
  // The engine writes row-major: into the upper and lower half of one buffer, then turned.
  thread_local Eigen::Matrix<double, 6, Eigen::Dynamic, Eigen::RowMajor> rows;
  rows.resize(6, nv);
  mj_jac(s.model, s.data.get(), rows.data(), rows.data() + 3 * nv, point_world.data(), body);
  jacobian = rows;
}

}  // namespace

void segment_frames(State& state, int hand, std::span<Transform> frames_world) {
  State::Impl& s = state.impl();
  s.need(Stage::kPosition);
  const HandEntry& entry = s.world->impl().hands.at(static_cast<size_t>(hand));
  PREHEND_ASSERT(frames_world.size() == entry.bodies.size());
  for (size_t i = 0; i < entry.bodies.size(); ++i) {
    const int body = entry.bodies[i];
    frames_world[i] = {to_quat(s.data->xquat + 4 * body), to_vec3(s.data->xpos + 3 * body)};
  }
}

void segment_jacobian(State& state, int hand, int segment, const Vec3& point_world,
                      PointJacobian& jacobian) {
  State::Impl& s = state.impl();
  const HandEntry& entry = s.world->impl().hands.at(static_cast<size_t>(hand));
  body_jacobian(s, entry.bodies.at(static_cast<size_t>(segment)), point_world, jacobian);
}

void object_jacobian(State& state, int object, const Vec3& point_world, PointJacobian& jacobian) {
  State::Impl& s = state.impl();
  body_jacobian(s, s.world->impl().objects.at(static_cast<size_t>(object)).body, point_world,
                jacobian);
}

void mass_matrix(State& state, Eigen::MatrixXd& mass) {
  State::Impl& s = state.impl();
  s.need(Stage::kInertia);
  mass.resize(s.model->nv, s.model->nv);
  mj_fullM(s.model, mass.data(), s.data->qM);
  if (s.begun) mass.diagonal() -= s.world->impl().armature;
}

void multiply_mass(State& state, const Eigen::VectorXd& vector, Eigen::VectorXd& result) {
  State::Impl& s = state.impl();
  s.need(Stage::kInertia);
  PREHEND_ASSERT(vector.size() == s.model->nv);
  result.resize(s.model->nv);
  mj_mulM(s.model, s.data.get(), result.data(), vector.data());
  if (s.begun) result -= s.world->impl().armature.cwiseProduct(vector);
}

void solve_mass(State& state, const Eigen::MatrixXd& right, Eigen::MatrixXd& result) {
  State::Impl& s = state.impl();
  PREHEND_ASSERT(!s.begun);
  s.need(Stage::kInertia);
  PREHEND_ASSERT(right.rows() == s.model->nv);
  if (!s.factored) mj_factorM(s.model, s.data.get());
  s.factored = true;
  result.resize(right.rows(), right.cols());
  // The engine takes one vector after the other: exactly our columns.
  mj_solveM(s.model, s.data.get(), result.data(), right.data(), static_cast<int>(right.cols()));
}

void bias_forces(State& state, Eigen::VectorXd& bias) {
  State::Impl& s = state.impl();
  s.need(Stage::kVelocity);
  bias.resize(s.model->nv);
  mj_rne(s.model, s.data.get(), 0, bias.data());
}

void inverse_dynamics(State& state, const Eigen::VectorXd& acceleration, Eigen::VectorXd& force) {
  State::Impl& s = state.impl();
  s.need(Stage::kVelocity);
  const int nv = s.model->nv;
  PREHEND_ASSERT(acceleration.size() == nv);
  force.resize(nv);
  Eigen::Map<Eigen::VectorXd>(s.data->qacc, nv) = acceleration;
  mj_rne(s.model, s.data.get(), 1, force.data());
}

void rigid_hand_torques(State& state, int hand, const Twist& root_velocity,
                        const Twist& root_acceleration, const Vec3& gravity_world,
                        Eigen::VectorXd& torques) {
  State::Impl& s = state.impl();
  s.need(Stage::kPosition);
  const mjModel* m = s.model;
  const mjData* d = s.data.get();
  const HandEntry& entry = s.world->impl().hands.at(static_cast<size_t>(hand));
  const Vec3 root = to_vec3(d->xpos + 3 * entry.bodies[0]);
  const Vec3& spin = root_velocity.angular;
  const Vec3& spin_up = root_acceleration.angular;
  // What each segment and all beyond it need, torques about the root.
  thread_local std::vector<Wrench> needs;
  needs.assign(entry.bodies.size(), {});
  for (size_t i = entry.bodies.size(); i-- > 0;) {
    const int body = entry.bodies[i];
    const Vec3 arm = to_vec3(d->xipos + 3 * body) - root;
    const Vec3 force = m->body_mass[body] * (root_acceleration.linear - gravity_world +
                                             spin_up.cross(arm) + spin.cross(spin.cross(arm)));
    const Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> axes(d->ximat + 9 * body);
    const auto turned = [&](const Vec3& v) -> Vec3 {
      return axes * to_vec3(m->body_inertia + 3 * body).cwiseProduct(axes.transpose() * v);
    };
    needs[i] =
        needs[i] + Wrench{force, turned(spin_up) + spin.cross(turned(spin)) + arm.cross(force)};
    const int parent = entry.setup.hand->segments[i].parent;
    if (parent >= 0)
      needs[static_cast<size_t>(parent)] = needs[static_cast<size_t>(parent)] + needs[i];
  }
  torques.resize(entry.setup.hand->dof());
  int k = 0;
  for (const JointEntry& joint : entry.joints) {
    const int body = entry.bodies[static_cast<size_t>(joint.segment)];
    const Wrench at =
        needs[static_cast<size_t>(joint.segment)].about(to_vec3(d->xpos + 3 * body) - root);
    if (joint.type == JointType::kBall) {
      torques.segment<3>(k) = to_quat(d->xquat + 4 * body).conjugate() * at.torque;
      k += 3;
    } else {
      const int id = m->dof_jntid[joint.dof];
      torques[k++] = to_vec3(d->xaxis + 3 * id).dot(at.torque);
    }
  }
}

Energy energy(State& state) {
  State::Impl& s = state.impl();
  s.need(Stage::kInertia);
  const mjModel* m = s.model;
  const mjData* d = s.data.get();
  Energy result;
  const Eigen::Map<const Eigen::VectorXd> velocity(d->qvel, m->nv);
  Eigen::VectorXd impulse(m->nv);
  multiply_mass(state, velocity, impulse);
  result.kinetic = 0.5 * velocity.dot(impulse);
  const Vec3 gravity = to_vec3(m->opt.gravity);
  for (int body = 1; body < m->nbody; ++body) {
    if (m->body_weldid[body] == 0) continue;
    result.potential -= m->body_mass[body] * gravity.dot(to_vec3(d->xipos + 3 * body));
  }
  for (int joint = 0; joint < m->njnt; ++joint) {
    const mjtNum* q = d->qpos + m->jnt_qposadr[joint];
    const mjtNum* rest = m->qpos_spring + m->jnt_qposadr[joint];
    double angle = 0.0;
    if (m->jnt_type[joint] == mjJNT_HINGE) angle = q[0] - rest[0];
    if (m->jnt_type[joint] == mjJNT_BALL) angle = angle_between(to_quat(q), to_quat(rest));
    result.potential += 0.5 * m->jnt_stiffness[joint] * angle * angle;
  }
  return result;
}

Momentum momentum(State& state) {
  State::Impl& s = state.impl();
  s.need(Stage::kVelocity);
  const mjModel* m = s.model;
  const mjData* d = s.data.get();
  Momentum total;
  for (int body = 1; body < m->nbody; ++body) {
    if (m->body_weldid[body] == 0) continue;
    mjtNum velocity[6];  // angular, linear, of the center of mass, in the world frame
    mj_objectVelocity(m, d, mjOBJ_BODY, body, velocity, 0);
    const Vec3 angular = to_vec3(velocity), center = to_vec3(d->xipos + 3 * body);
    const Vec3 linear = m->body_mass[body] * to_vec3(velocity + 3);
    const Quat axes = Quat(
        Mat3(Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(d->ximat + 9 * body)));
    const Vec3 principal = to_vec3(m->body_inertia + 3 * body);
    total.linear += linear;
    total.angular +=
        center.cross(linear) + axes * principal.cwiseProduct(axes.conjugate() * angular);
  }
  return total;
}

}  // namespace prehend::physics
