// The 57-degree-of-freedom hand wrapped around a cylinder: our step against the engine's own on the
// same model and data, our contacts against the engine's, and what the dynamics cost.
#include <memory>
#include <random>

#include <benchmark/benchmark.h>
#include <mujoco/mujoco.h>

#include "physics/distance_collision.h"
#include "physics/world_impl.h"
#include "prehend/core/hand_builder.h"
#include "prehend/geometry/primitive.h"
#include "prehend/hands/posture.h"
#include "prehend/physics/dynamics.h"

namespace {

using namespace prehend;
using namespace prehend::physics;

// The posture "wrap" closed on its 50 mm cylinder by the servos until it holds.
struct Held {
  WorldPtr world;
  std::unique_ptr<State> state;
  Snapshot start;
};

Held make_held() {
  HandOptions options;
  options.profile = HandProfile::kBall;
  HandSetup hand;
  hand.hand = std::make_shared<const Hand>(build_hand(options).value());
  hand.servo_stiffness = 1.0;
  const hands::Posture wrap = hands::make_posture(*hand.hand, "wrap").value();
  ObjectSetup object;
  object.object = std::make_shared<const Object>(
      geometry::object_from_primitive("cylinder", ShapeKind::kCylinder,
                                      {wrap.held ? wrap.held->radius : 0.025, 0.1, 0.0}, 0.2)
          .value());
  Held held;
  held.world = World::build(std::span(&hand, 1), std::span(&object, 1)).value();
  held.state = std::make_unique<State>(held.world);
  State& state = *held.state;
  state.set_hand_pose(0, wrap.pose);
  if (wrap.held) {
    const Vec3 axis = (wrap.held->b - wrap.held->a).normalized();
    // The stretch of the long capsule that lies in the palm.
    const Vec3 middle = 0.5 * (wrap.held->a + wrap.held->b);
    state.set_object_pose(0, {Quat::FromTwoVectors(Vec3::UnitY(), axis), middle});
  }
  // Flexed a little further than the surface: the squeeze.
  Eigen::VectorXd q = coordinates(*hand.hand, wrap.pose);
  const std::vector<int> offsets = coordinate_offsets(*hand.hand);
  for (int s = 1; s < hand.hand->segment_count(); ++s) {
    if (hand.hand->segments[static_cast<size_t>(s)].phalanx >= 1) {
      q[offsets[static_cast<size_t>(s)]] -= 0.1;
    }
  }
  state.set_servo_target(0, pose_from_coordinates(*hand.hand, wrap.pose.root_world, q));
  state.step(250);
  held.start = state.snapshot();
  return held;
}

Held& held() {
  static Held instance = make_held();
  return instance;
}

// Both loops replay the same steps from the same start with the same forces, so that they do the
// same work: ours computes the forces, the engine's is given those that ours computed.
constexpr int kReplay = 200;

const Eigen::MatrixXd& recorded_forces() {
  static const Eigen::MatrixXd forces = [] {
    State& state = *held().state;
    state.restore(held().start);
    Eigen::MatrixXd all(held().world->dof(), kReplay);
    for (int i = 0; i < kReplay; ++i) {
      state.step();
      all.col(i) = Eigen::Map<const Eigen::VectorXd>(state.impl().data->qfrc_applied, all.rows());
    }
    return all;
  }();
  return forces;
}

void BM_StepOurs(benchmark::State& bench) {
  State& state = *held().state;
  recorded_forces();
  double contacts = 0.0;
  int i = 0;
  for (auto _ : bench) {
    if (i % kReplay == 0) state.restore(held().start);
    state.step();
    contacts += state.impl().data->ncon;
    ++i;
  }
  bench.counters["contacts"] = contacts / i;
}
BENCHMARK(BM_StepOurs)->Unit(benchmark::kMicrosecond)->Repetitions(5)->ReportAggregatesOnly();

void BM_StepEngine(benchmark::State& bench) {
  State& state = *held().state;
  const Eigen::MatrixXd& forces = recorded_forces();
  const mjModel* model = state.impl().model;
  mjData* data = state.impl().data.get();
  double contacts = 0.0;
  int i = 0;
  for (auto _ : bench) {
    if (i % kReplay == 0) state.restore(held().start);
    Eigen::Map<Eigen::VectorXd>(data->qfrc_applied, model->nv) = forces.col(i % kReplay);
    mj_step(model, data);
    contacts += data->ncon;
    ++i;
  }
  bench.counters["contacts"] = contacts / i;
}
BENCHMARK(BM_StepEngine)->Unit(benchmark::kMicrosecond)->Repetitions(5)->ReportAggregatesOnly();

// All pairs of the held state through the collision phase: ours, then the engine's own functions
// for the same capsules and cylinder.
void collision(benchmark::State& bench, bool ours) {
  State& state = *held().state;
  state.restore(held().start);
  mjModel* model = mj_copyModel(nullptr, state.impl().model);
  if (!ours) {
    const int geom = held().world->impl().objects[0].geom;
    model->geom_user[kGeomUserSize * geom] = 0.0;
  }
  mjData* data = state.impl().data.get();
  mj_kinematics(model, data);
  mj_comPos(model, data);
  for (auto _ : bench) mj_collision(model, data);
  bench.counters["contacts"] = data->ncon;
  mj_deleteModel(model);
}
void BM_CollisionOurs(benchmark::State& bench) { collision(bench, true); }
void BM_CollisionEngine(benchmark::State& bench) { collision(bench, false); }
BENCHMARK(BM_CollisionOurs)->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_CollisionEngine)->Unit(benchmark::kMicrosecond);

template <typename Body>
void timed(benchmark::State& bench, Body body) {
  State& state = *held().state;
  state.restore(held().start);
  for (auto _ : bench) {
    state.impl().changed();
    body(state);
  }
}

void BM_Kinematics(benchmark::State& bench) {
  std::vector<Transform> frames(static_cast<size_t>(held().world->hand(0).segment_count()));
  timed(bench, [&](State& s) { segment_frames(s, 0, frames); });
}
BENCHMARK(BM_Kinematics)->Unit(benchmark::kMicrosecond);

void BM_PointJacobian(benchmark::State& bench) {
  PointJacobian jacobian;
  State& state = *held().state;
  const int last = held().world->hand(0).segment_count() - 1;
  segment_jacobian(state, 0, last, Vec3::Zero(), jacobian);
  for (auto _ : bench) segment_jacobian(state, 0, last, Vec3::Zero(), jacobian);
}
BENCHMARK(BM_PointJacobian)->Unit(benchmark::kMicrosecond);

void BM_KinematicsAndMassMatrix(benchmark::State& bench) {
  Eigen::MatrixXd mass;
  timed(bench, [&](State& s) { mass_matrix(s, mass); });
}
BENCHMARK(BM_KinematicsAndMassMatrix)->Unit(benchmark::kMicrosecond);

void BM_InverseDynamics(benchmark::State& bench) {
  const Eigen::VectorXd acceleration = Eigen::VectorXd::Ones(held().world->dof());
  Eigen::VectorXd force;
  timed(bench, [&](State& s) { inverse_dynamics(s, acceleration, force); });
}
BENCHMARK(BM_InverseDynamics)->Unit(benchmark::kMicrosecond);

void BM_Snapshot(benchmark::State& bench) {
  State& state = *held().state;
  for (auto _ : bench) state.restore(held().start);
}
BENCHMARK(BM_Snapshot)->Unit(benchmark::kMicrosecond);

}  // namespace
