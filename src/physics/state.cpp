#include "prehend/physics/state.h"

#include <algorithm>
#include <cmath>

#include "physics/world_impl.h"

namespace prehend::physics {
namespace {

using Stage = State::Impl::Stage;

const HandEntry& hand_entry(const State::Impl& s, int hand) {
  return s.world->impl().hands.at(static_cast<size_t>(hand));
}
const ObjectEntry& object_entry(const State::Impl& s, int object) {
  return s.world->impl().objects.at(static_cast<size_t>(object));
}

void write_pose(const Transform& pose, mjtNum* position, mjtNum* rotation) {
  from_vec3(pose.position, position);
  from_quat(pose.rotation.normalized(), rotation);
}

void write_root(State::Impl& s, const HandEntry& entry, const Transform& root_world) {
  if (entry.root_qpos >= 0) {
    mjtNum* q = s.data->qpos + entry.root_qpos;
    write_pose(root_world, q, q + 3);
  }
  if (entry.root_mocap >= 0) {
    write_pose(root_world, s.data->mocap_pos + 3 * entry.root_mocap,
               s.data->mocap_quat + 4 * entry.root_mocap);
  }
}

// Joint positions in the engine's order from core's coordinates.
template <typename Write>
void for_each_joint_position(const HandEntry& entry, const Eigen::VectorXd& q, Write write) {
  const Hand& hand = *entry.setup.hand;
  PREHEND_ASSERT(q.size() == hand.dof());
  int k = 0;
  for (size_t j = 0; j < entry.joints.size(); ++j) {
    mjtNum values[4] = {0, 0, 0, 0};
    if (entry.joints[j].type == JointType::kBall) {
      from_quat(exp_map(q.segment<3>(k)), values);
      k += 3;
    } else {
      values[0] = q[k++];
    }
    write(j, values, entry.joints[j].type == JointType::kBall ? 4 : 1);
  }
}

}  // namespace

void State::Impl::need(Stage wanted) {
  mjData* d = data.get();
  if (stage < Stage::kPosition && wanted >= Stage::kPosition) {
    mj_kinematics(model, d);
    mj_comPos(model, d);
    stage = Stage::kPosition;
  }
  if (stage < Stage::kInertia && wanted >= Stage::kInertia) {
    mj_crb(model, d);
    // The true inertia, without what makes springs implicit; a step makes its own again.
    const Eigen::VectorXd& armature = world->impl().armature;
    for (int i = 0; i < model->nv; ++i) d->qM[model->dof_Madr[i]] -= armature[i];
    factored = false;
    stage = Stage::kInertia;
  }
  if (stage < Stage::kVelocity && wanted >= Stage::kVelocity) {
    mj_comVel(model, d);
    stage = Stage::kVelocity;
  }
}

void State::Impl::add_servo_torques(Eigen::Ref<Eigen::VectorXd> force) const {
  const World::Impl& w = world->impl();
  const mjtNum* q = data->qpos;
  for (size_t h = 0; h < w.hands.size(); ++h) {
    if (!servo_on[h]) continue;
    const HandEntry& entry = w.hands[h];
    for (size_t j = 0; j < entry.joints.size(); ++j) {
      const JointEntry& joint = entry.joints[j];
      if (joint.servo_stiffness <= 0.0) continue;
      const double* target = servo.data() + entry.servo_first + 4 * static_cast<int>(j);
      const double limit = joint.max_torque > 0.0 ? joint.max_torque : 1e300;
      if (joint.type == JointType::kBall) {
        // The rotation still to do, in the segment's frame, as its velocity is.
        const Quat here = to_quat(q + joint.qpos).normalized();
        Vec3 torque = joint.servo_stiffness * log_map(here.conjugate() * to_quat(target));
        const double size = torque.norm();
        if (size > limit) torque *= limit / size;
        force.segment<3>(joint.dof) += torque;
      } else {
        const double torque = joint.servo_stiffness * (target[0] - q[joint.qpos]);
        force[joint.dof] += std::clamp(torque, -limit, limit);
      }
    }
  }
}

void State::Impl::gather_forces() {
  Eigen::Map<Eigen::VectorXd> force(data->qfrc_applied, model->nv);
  force = applied - world->impl().implicit_damping.cwiseProduct(
                        Eigen::Map<const Eigen::VectorXd>(data->qvel, model->nv));
  add_servo_torques(force);
}

void State::Impl::remember_frames() {
  for (int body = 0; body < model->nbody; ++body) {
    contact_frames[static_cast<size_t>(body)] = {to_quat(data->xquat + 4 * body),
                                                 to_vec3(data->xpos + 3 * body)};
  }
}

// A weld has no end to its force, but what the engine knows as joint friction has: a row whose
// force follows the residual up to a limit and stays there. Welds are the only equalities of a
// world and come first among the rows, as friction would after them, so a bounded weld is told to
// the solver as such rows.
void State::Impl::bound_welds() {
  const World::Impl& w = world->impl();
  mjData* d = data.get();
  if (!w.bounded_welds || d->ne == 0) return;
  PREHEND_ASSERT(d->nf == 0 && d->ne == 6 * static_cast<int>(w.weld_strengths.size()));
  // The engine's rows of rotation are half the angle, and twice the torque.
  constexpr double kTurnRow = 2.0;
  constexpr double kEndless = 1e30;
  for (int row = 0; row < d->ne; ++row) {
    const RootStrength& strength = w.weld_strengths[static_cast<size_t>(row / 6)];
    const double limit = row % 6 < 3 ? strength.force : kTurnRow * strength.torque;
    d->efc_type[row] = mjCNSTR_FRICTION_DOF;
    d->efc_frictionloss[row] = std::min(limit, kEndless);
  }
  d->nf = d->ne;
  d->ne = 0;
}

void State::Impl::solve_constraints() {
  bound_welds();
  const World::Impl& w = world->impl();
  mjData* d = data.get();
  if (w.options.contact_solver == ContactSolver::kOurs && ConstraintSolver::knows(model, d)) {
    ++solves.ours;
    solver.solve(model, d, w.solver_structure);
  } else {
    ++solves.engines;
    mj_fwdConstraint(model, d);
  }
}

// Of mj_forward and mj_step2 these stages are left out, which a world never has: sensors, energy
// (which the room computes itself), control callbacks and integrators other than Euler's.
void State::Impl::accelerate() {
  mj_fwdActuation(model, data.get());
  mj_fwdAcceleration(model, data.get());
  solve_constraints();
}

void State::Impl::advance() {
  accelerate();
  mj_checkAcc(model, data.get());
  mj_Euler(model, data.get());
}

State::State(WorldPtr world) : impl_(std::make_unique<Impl>()) {
  PREHEND_ASSERT(world != nullptr);
  impl_->world = std::move(world);
  const World::Impl& w = impl_->world->impl();
  impl_->model = w.model.get();
  impl_->data.reset(mj_makeData(impl_->model));
  PREHEND_ASSERT(impl_->data != nullptr);
  impl_->contact_frames.resize(static_cast<size_t>(impl_->model->nbody));
  reset();
}
State::~State() = default;
State::State(State&&) noexcept = default;
State& State::operator=(State&&) noexcept = default;

const World& State::world() const { return *impl_->world; }
double State::time() const { return impl_->data->time; }

void State::reset() {
  const World::Impl& w = impl_->world->impl();
  mj_resetData(impl_->model, impl_->data.get());
  impl_->applied.setZero(impl_->model->nv);
  impl_->servo.setZero(w.servo_size);
  impl_->servo_on.assign(w.hands.size(), 0);
  impl_->solves = {};
  impl_->broken = false;
  impl_->changed();
}

Snapshot State::snapshot() const {
  const mjModel* m = impl_->model;
  const mjData* d = impl_->data.get();
  using ConstMap = Eigen::Map<const Eigen::VectorXd>;
  Snapshot s;
  s.time = d->time;
  s.position = ConstMap(d->qpos, m->nq);
  s.velocity = ConstMap(d->qvel, m->nv);
  s.warm_start = ConstMap(d->qacc_warmstart, m->nv);
  s.mocap.resize(7 * m->nmocap);
  s.mocap.head(3 * m->nmocap) = ConstMap(d->mocap_pos, 3 * m->nmocap);
  s.mocap.tail(4 * m->nmocap) = ConstMap(d->mocap_quat, 4 * m->nmocap);
  s.applied = impl_->applied;
  s.wrenches = ConstMap(d->xfrc_applied, 6 * m->nbody);
  s.servo = impl_->servo;
  s.servo_on = impl_->servo_on;
  return s;
}

void State::restore(const Snapshot& s) {
  const mjModel* m = impl_->model;
  mjData* d = impl_->data.get();
  PREHEND_ASSERT(s.position.size() == m->nq && s.velocity.size() == m->nv);
  using Map = Eigen::Map<Eigen::VectorXd>;
  d->time = s.time;
  Map(d->qpos, m->nq) = s.position;
  Map(d->qvel, m->nv) = s.velocity;
  Map(d->qacc_warmstart, m->nv) = s.warm_start;
  Map(d->mocap_pos, 3 * m->nmocap) = s.mocap.head(3 * m->nmocap);
  Map(d->mocap_quat, 4 * m->nmocap) = s.mocap.tail(4 * m->nmocap);
  Map(d->xfrc_applied, 6 * m->nbody) = s.wrenches;
  impl_->applied = s.applied;
  impl_->servo = s.servo;
  impl_->servo_on = s.servo_on;
  impl_->changed();
}

void State::set_hand_pose(int hand, const HandPose& pose) {
  const HandEntry& entry = hand_entry(*impl_, hand);
  set_hand(hand, pose.root_world, coordinates(*entry.setup.hand, pose));
}

void State::set_hand(int hand, const Transform& root_world, const Eigen::VectorXd& coordinates) {
  const HandEntry& entry = hand_entry(*impl_, hand);
  write_root(*impl_, entry, root_world);
  for_each_joint_position(entry, coordinates, [&](size_t j, const mjtNum* values, int count) {
    std::copy(values, values + count, impl_->data->qpos + entry.joints[j].qpos);
  });
  impl_->changed();
}

void State::hand_pose(int hand, HandPose& pose) const {
  const HandEntry& entry = hand_entry(*impl_, hand);
  const Hand& h = *entry.setup.hand;
  const mjData* d = impl_->data.get();
  if (entry.root_qpos >= 0) {
    const mjtNum* q = d->qpos + entry.root_qpos;
    pose.root_world = {to_quat(q + 3).normalized(), to_vec3(q)};
  } else {
    pose.root_world = {to_quat(d->mocap_quat + 4 * entry.root_mocap),
                       to_vec3(d->mocap_pos + 3 * entry.root_mocap)};
  }
  pose.rotations.resize(h.segments.size());
  for (size_t i = 0; i < h.segments.size(); ++i) {
    pose.rotations[i] = i == 0 ? Quat::Identity() : h.segments[i].rest_parent.rotation;
  }
  const Joint* joint = nullptr;
  int segment = -1, k = 0;
  for (const JointEntry& e : entry.joints) {
    k = e.segment == segment ? k + 1 : 0;
    segment = e.segment;
    joint = &h.segments[static_cast<size_t>(segment)].joints[static_cast<size_t>(k)];
    Quat& rotation = pose.rotations[static_cast<size_t>(segment)];
    if (e.type == JointType::kBall) {
      rotation = rotation * to_quat(d->qpos + e.qpos).normalized();
    } else {
      rotation = rotation * Quat(Eigen::AngleAxisd(d->qpos[e.qpos], joint->axis));
    }
  }
}

HandPose State::hand_pose(int hand) const {
  HandPose pose;
  hand_pose(hand, pose);
  return pose;
}

void State::set_object_pose(int object, const Transform& pose_world) {
  const ObjectEntry& entry = object_entry(*impl_, object);
  mjData* d = impl_->data.get();
  if (entry.qpos >= 0) {
    write_pose(pose_world, d->qpos + entry.qpos, d->qpos + entry.qpos + 3);
  } else {
    write_pose(pose_world, d->mocap_pos + 3 * entry.mocap, d->mocap_quat + 4 * entry.mocap);
  }
  impl_->changed();
}

Transform State::object_pose(int object) const {
  const ObjectEntry& entry = object_entry(*impl_, object);
  const mjData* d = impl_->data.get();
  if (entry.qpos >= 0) {
    return {to_quat(d->qpos + entry.qpos + 3).normalized(), to_vec3(d->qpos + entry.qpos)};
  }
  return {to_quat(d->mocap_quat + 4 * entry.mocap), to_vec3(d->mocap_pos + 3 * entry.mocap)};
}

void State::set_velocity(const Eigen::VectorXd& velocity) {
  PREHEND_ASSERT(velocity.size() == impl_->model->nv);
  Eigen::Map<Eigen::VectorXd>(impl_->data->qvel, impl_->model->nv) = velocity;
  impl_->changed();
}

Eigen::VectorXd State::velocity() const {
  return Eigen::Map<const Eigen::VectorXd>(impl_->data->qvel, impl_->model->nv);
}

void State::velocity(Eigen::VectorXd& velocity) const {
  velocity = Eigen::Map<const Eigen::VectorXd>(impl_->data->qvel, impl_->model->nv);
}

void State::joint_coordinates(int hand, Eigen::VectorXd& coordinates) const {
  const HandEntry& entry = hand_entry(*impl_, hand);
  coordinates.resize(entry.setup.hand->dof());
  int k = 0;
  for (const JointEntry& joint : entry.joints) {
    const mjtNum* q = impl_->data->qpos + joint.qpos;
    if (joint.type == JointType::kBall) {
      coordinates.segment<3>(k) = log_map(to_quat(q).normalized());
      k += 3;
    } else {
      coordinates[k++] = q[0];
    }
  }
}

void State::set_object_twist(int object, const Twist& twist_world) {
  const ObjectEntry& entry = object_entry(*impl_, object);
  if (entry.dofs.count == 0) return;
  mjtNum* v = impl_->data->qvel + entry.dofs.first;
  from_vec3(twist_world.linear, v);
  from_vec3(object_pose(object).rotation.conjugate() * twist_world.angular, v + 3);
  impl_->changed();
}

Twist State::object_twist(int object) const {
  const ObjectEntry& entry = object_entry(*impl_, object);
  if (entry.dofs.count == 0) return {};
  const mjtNum* v = impl_->data->qvel + entry.dofs.first;
  return {to_vec3(v), object_pose(object).rotation * to_vec3(v + 3)};
}

void State::displace(const Eigen::VectorXd& direction, double length) {
  PREHEND_ASSERT(direction.size() == impl_->model->nv);
  mj_integratePos(impl_->model, impl_->data->qpos, direction.data(), length);
  impl_->changed();
}

void State::set_root_target(int hand, const Transform& root_world) {
  const HandEntry& entry = hand_entry(*impl_, hand);
  if (entry.root_mocap < 0) return;
  write_pose(root_world, impl_->data->mocap_pos + 3 * entry.root_mocap,
             impl_->data->mocap_quat + 4 * entry.root_mocap);
  if (entry.root_qpos < 0) impl_->changed();
}

// The weld accelerates the root by -b v - k e, e its offset from the target and v its velocity,
// with b = 2 / (d T) and k = 1 / (d T)^2 (d nearly 1, T its time constant): for acceleration a it
// must stand (b v + a) / k behind.
void State::set_root_target(int hand, const Transform& root_world, const Twist& velocity_world,
                            const Twist& acceleration_world) {
  const double time = impl_->world->impl().weld_time;
  const auto lead = [&](const Vec3& velocity, const Vec3& acceleration) -> Vec3 {
    return 2.0 * time * velocity + time * time * acceleration;
  };
  set_root_target(
      hand,
      {exp_map(lead(velocity_world.angular, acceleration_world.angular)) * root_world.rotation,
       root_world.position + lead(velocity_world.linear, acceleration_world.linear)});
}

void State::set_servo_target(int hand, const HandPose& pose) {
  set_servo_target(hand, coordinates(*hand_entry(*impl_, hand).setup.hand, pose));
}

void State::set_servo_target(int hand, const Eigen::VectorXd& coordinates) {
  const HandEntry& entry = hand_entry(*impl_, hand);
  for_each_joint_position(entry, coordinates, [&](size_t j, const mjtNum* values, int count) {
    std::copy(values, values + count,
              impl_->servo.data() + entry.servo_first + 4 * static_cast<int>(j));
  });
  impl_->servo_on[static_cast<size_t>(hand)] = 1;
}

Eigen::VectorXd State::servo_torques() const {
  Eigen::VectorXd torque = Eigen::VectorXd::Zero(impl_->model->nv);
  impl_->add_servo_torques(torque);
  return torque;
}

void State::set_applied(const Eigen::VectorXd& generalized_force) {
  PREHEND_ASSERT(generalized_force.size() == impl_->model->nv);
  impl_->applied = generalized_force;
}

void State::set_object_wrench(int object, const Wrench& wrench_world) {
  mjtNum* wrench = impl_->data->xfrc_applied + 6 * object_entry(*impl_, object).body;
  from_vec3(wrench_world.force, wrench);
  from_vec3(wrench_world.torque, wrench + 3);
}

void State::step() {
  begin_step();
  end_step();
}

void State::begin_step() {
  impl_->guarded([&] { mj_step1(impl_->model, impl_->data.get()); });
  impl_->remember_frames();
  impl_->stage = Stage::kVelocity;
  impl_->begun = true;
}

void State::end_step() {
  PREHEND_ASSERT(impl_->begun);
  impl_->gather_forces();
  impl_->guarded([&] { impl_->advance(); });
  impl_->changed();
}

void State::step(int steps) {
  for (int i = 0; i < steps; ++i) step();
}

void State::evaluate() {
  impl_->gather_forces();
  impl_->guarded([&] {
    mj_fwdPosition(impl_->model, impl_->data.get());
    mj_fwdVelocity(impl_->model, impl_->data.get());
    impl_->accelerate();
  });
  impl_->remember_frames();
  impl_->stage = Stage::kPosition;
}

const SolverCounts& State::solver_counts() const { return impl_->solves; }

int State::warnings() const {
  int count = 0;
  for (const mjWarningStat& w : impl_->data->warning) count += w.number;
  return count;
}

bool State::healthy() const {
  if (impl_->broken) return false;
  const mjData* d = impl_->data.get();
  for (const int bad : {mjWARN_BADQPOS, mjWARN_BADQVEL, mjWARN_BADQACC}) {
    if (d->warning[bad].number > 0) return false;
  }
  return Eigen::Map<const Eigen::VectorXd>(d->qpos, impl_->model->nq).allFinite() &&
         Eigen::Map<const Eigen::VectorXd>(d->qvel, impl_->model->nv).allFinite();
}

}  // namespace prehend::physics
