// A hand under a fitted controller that carries an object about: how much faster than real time, at
// our step and at the paper's, and what the controller costs on top of the engine's bare step.
#include <benchmark/benchmark.h>
#include <mujoco/mujoco.h>

#include <algorithm>
#include <ctime>
#include <map>

#include "physics/world_impl.h"
#include "prehend/core/hand_builder.h"
#include "prehend/geometry/builtin.h"
#include "prehend/methods/example_control/examples.h"
#include "prehend/methods/example_control/fit.h"
#include "prehend/methods/example_control/simulation.h"
#include "prehend/methods/example_control/stage_grasp.h"

namespace prehend::example_control {
namespace {

constexpr double kOurStep = 0.002, kPaperStep = 0.0002;  // s
constexpr int kStretch = 10;  // steps that controller and bare engine take in turn

double cpu_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// From the program's own clips, with the distances of table 1.
std::shared_ptr<const Controller> controller() {
  static const auto fitted = [] {
    FitProblem problem;
    problem.example = cylinder_grasp();
    problem.library = {range_of_motion()};
    FitOptions options;
    options.distances = Distances{};
    return std::make_shared<const Controller>(fit(problem, options).value().controller);
  }();
  return fitted;
}

struct Scene {
  SimulationProblem problem;
  TaskPlan plan;
};

// One for all benchmarks of an object: the field keeps what was sampled of its mesh.
const Scene* scene_of(const std::string& name) {
  static std::map<std::string, Scene> made;
  if (const auto found = made.find(name); found != made.end()) return &found->second;
  auto object = geometry::builtin_object(name);
  if (!object) return nullptr;
  const double mass = std::clamp(object->mass, 0.05, 0.3);
  *object = with_mass(std::move(*object), mass);
  HandOptions build;
  build.profile = HandProfile::kBall;
  ControlledHand hand;
  hand.hand = std::make_shared<const Hand>(build_hand(build).value());
  hand.controller = controller();
  hand.open_while_closing = true;
  SimulationProblem problem;
  problem.floor_height = 0.0;
  problem.hands = {std::move(hand)};
  problem.objects = {{std::make_shared<const Object>(std::move(*object)), Transform()}};
  auto staged = stage_grasp(problem, {.presentation = Presentation::kSearched});
  if (!staged) return nullptr;
  return &(made[name] = {std::move(staged->run.simulation), std::move(staged->plan)});
}

// Gripped and settled, about to be lifted.
Simulation gripping(const Scene& scene, double timestep) {
  SimulationOptions options;
  options.timestep = timestep;
  Simulation simulation = Simulation::build(scene.problem, options).value();
  while (simulation.time() < scene.plan.lift) {
    Cue cue;
    cue.grip = simulation.time() >= scene.plan.grip && simulation.phase(0) < Phase::kGripping;
    simulation.step(std::span(&cue, 1));
  }
  return simulation;
}

// Whether the object came along, so that no figure is of an empty hand.
bool carries(const Scene& scene, const Simulation& simulation) {
  const double rise = simulation.state().object_pose(0).position.y() -
                      scene.problem.objects[0].pose_world.position.y();
  return rise > 0.1 && simulation.contact_force(0) > 0.0;
}

// Lifting, shaking and coming down to where setting down begins, an iteration each.
void real_time(benchmark::State& bench, const std::string& name, double timestep) {
  const Scene* scene = scene_of(name);
  if (!scene) return bench.SkipWithError("no assets; run script/bootstrap");
  double contacts = 0.0, simulated = 0.0;
  long steps = 0;
  bool held = true;
  for (auto _ : bench) {
    bench.PauseTiming();
    Simulation simulation = gripping(*scene, timestep);
    const double start = simulation.time();
    bench.ResumeTiming();
    while (simulation.time() < scene->plan.set_down) {
      simulation.step();
      contacts += simulation.state().impl().data->ncon;
      ++steps;
    }
    bench.PauseTiming();
    simulated = simulation.time() - start;
    held = held && carries(*scene, simulation);
    bench.ResumeTiming();
  }
  if (!held) bench.SkipWithError("the object was lost");
  bench.counters["contacts"] = contacts / static_cast<double>(steps);
  bench.counters["simulated_s"] = simulated;
}

// What each of a stretch's steps was given.
struct Given {
  Eigen::VectorXd force, root_position, root_rotation;
};

// Both take the same steps: those that the controller took are taken again by the engine alone,
// from the same start, given the same forces and the same targets of the wrist.
void overhead(benchmark::State& bench, const std::string& name) {
  using Map = Eigen::Map<Eigen::VectorXd>;
  const Scene* scene = scene_of(name);
  if (!scene) return bench.SkipWithError("no assets; run script/bootstrap");
  double controlled = 0.0, bare = 0.0, contacts = 0.0, apart = 0.0;
  long steps = 0;
  std::vector<Given> given(kStretch);
  for (auto _ : bench) {
    Simulation simulation = gripping(*scene, kOurStep);
    physics::State& state = simulation.state();
    const mjModel* model = state.impl().model;
    mjData* data = state.impl().data.get();
    while (simulation.time() < scene->plan.set_down) {
      const physics::Snapshot start = state.snapshot();
      for (Given& step : given) {
        const double before = cpu_seconds();
        simulation.step();
        controlled += cpu_seconds() - before;
        step = {Map(data->qfrc_applied, model->nv), Map(data->mocap_pos, 3 * model->nmocap),
                Map(data->mocap_quat, 4 * model->nmocap)};
      }
      const physics::Snapshot end = state.snapshot();
      state.restore(start);
      for (const Given& step : given) {
        Map(data->qfrc_applied, model->nv) = step.force;
        Map(data->mocap_pos, 3 * model->nmocap) = step.root_position;
        Map(data->mocap_quat, 4 * model->nmocap) = step.root_rotation;
        const double before = cpu_seconds();
        mj_step1(model, data);
        state.impl().advance();
        bare += cpu_seconds() - before;
        contacts += data->ncon;
        ++steps;
      }
      apart = std::max(apart, (Map(data->qpos, model->nq) - end.position).cwiseAbs().maxCoeff());
      state.restore(end);
    }
    if (!carries(*scene, simulation)) bench.SkipWithError("the object was lost");
  }
  bench.counters["controlled_us"] = 1e6 * controlled / static_cast<double>(steps);
  bench.counters["bare_us"] = 1e6 * bare / static_cast<double>(steps);
  bench.counters["ratio"] = controlled / bare;
  bench.counters["contacts"] = contacts / static_cast<double>(steps);
  bench.counters["apart"] = apart;
}

// The contacts of every step solved by the engine's own solver and by ours.
void solvers(benchmark::State& bench, const std::string& name) {
  const Scene* scene = scene_of(name);
  if (!scene) return bench.SkipWithError("no assets; run script/bootstrap");
  double engines = 0.0, ours = 0.0;
  long steps = 0;
  for (auto _ : bench) {
    Simulation simulation = gripping(*scene, kOurStep);
    const physics::State& state = simulation.state();
    const mjModel* model = state.impl().model;
    const physics::DataPtr data(mj_makeData(model));
    physics::ConstraintSolver solver;
    while (simulation.time() < scene->plan.set_down) {
      simulation.step();
      mj_copyData(data.get(), model, state.impl().data.get());
      mj_forward(model, data.get());
      const auto time_one = [&](auto solve) {
        std::copy_n(state.impl().data->qacc_warmstart, model->nv, data->qacc_warmstart);
        const double before = cpu_seconds();
        solve();
        return cpu_seconds() - before;
      };
      engines += time_one([&] { mj_fwdConstraint(model, data.get()); });
      ours +=
          time_one([&] { solver.solve(model, data.get(), state.world().impl().solver_structure); });
      ++steps;
    }
  }
  bench.counters["engines_us"] = 1e6 * engines / static_cast<double>(steps);
  bench.counters["ours_us"] = 1e6 * ours / static_cast<double>(steps);
  bench.counters["ratio"] = engines / ours;
}

const bool kRegistered = [] {
  const auto add = [](const std::string& name, auto body) {
    benchmark::RegisterBenchmark(name.c_str(), body)
        ->Iterations(1)
        ->Repetitions(5)
        ->ReportAggregatesOnly()
        ->Unit(benchmark::kMillisecond);
  };
  for (const std::string name : {"cylinder", "bottle"}) {
    add("BM_ControlOurStep/" + name, [=](auto& bench) { real_time(bench, name, kOurStep); });
    add("BM_ControlPaperStep/" + name, [=](auto& bench) { real_time(bench, name, kPaperStep); });
    add("BM_ControlOverhead/" + name, [=](auto& bench) { overhead(bench, name); });
    add("BM_ControlSolver/" + name, [=](auto& bench) { solvers(bench, name); });
  }
  return true;
}();

}  // namespace
}  // namespace prehend::example_control
