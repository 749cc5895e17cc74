#include "prehend/methods/example_control/run.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "methods/example_control/palm.h"
#include "prehend/physics/recorder.h"

namespace prehend::example_control {
namespace {

constexpr double kLost = 0.05;        // m of slip: it fell, or as good as
constexpr double kLifted = 0.8;       // of the lift asked for
constexpr double kSettle = 0.5;       // s after the grip, unless the problem says
constexpr double kReportEvery = 0.1;  // s

// What the first hand carries, seen from it: the object's centre, or the other's wrist.
class Carried {
 public:
  explicit Carried(const SimulationProblem& problem) : problem_(problem) {}

  Vec3 in_hand(const physics::State& state) const {
    return state.hand_pose(0).root_world.inverse() * in_world(state);
  }
  Vec3 in_world(const physics::State& state) const {
    const int target = problem_.hands[0].target_object;
    if (target < 0) return state.hand_pose(1).root_world.position;
    return state.object_pose(target) * problem_.objects[target].object->center_of_mass;
  }

 private:
  const SimulationProblem& problem_;
};

struct Watch {
  const RunProblem& problem;
  RunReport& report;
  Carried carried{problem.simulation};
  std::optional<double> gripped, released;  // s, the first hand's
  std::optional<Vec3> place;                // of what is carried, when carrying began
  double height = 0.0, force_sum = 0.0;
  int force_steps = 0;
  bool touched_always = true, carrying_ended = false;

  void phases(const Simulation& simulation) {
    for (int h = 0; h < static_cast<int>(problem.simulation.hands.size()); ++h) {
      const auto last = std::find_if(report.phases.rbegin(), report.phases.rend(),
                                     [&](const PhaseSpan& span) { return span.hand == h; });
      if (last != report.phases.rend() && last->phase == simulation.phase(h)) {
        last->end = simulation.time();
        continue;
      }
      report.phases.push_back({h, simulation.phase(h), simulation.time(), simulation.time()});
      if (h > 0) continue;
      if (simulation.phase(0) == Phase::kGripping && !gripped) gripped = simulation.time();
      if (simulation.phase(0) == Phase::kReleasing && !released) released = simulation.time();
    }
  }

  void slip(const Simulation& simulation) {
    const double time = simulation.time();
    const double force = simulation.contact_force(0);
    report.max_contact_force = std::max(report.max_contact_force, force);
    // A hand with an example's distances has nothing that it could carry.
    if (!gripped || !problem.simulation.hands[0].distances.empty()) return;
    const double from = problem.carry_from.value_or(*gripped + kSettle);
    const double to = problem.carry_to.value_or(INFINITY);
    if (time < from || time > to || released) {
      carrying_ended = carrying_ended || time > to || released;
      return;
    }
    const physics::State& state = simulation.state();
    if (!place) {
      place = carried.in_hand(state);
      height = carried.in_world(state).y();
    }
    report.slip = std::max(report.slip, (carried.in_hand(state) - *place).norm());
    report.lifted = std::max(report.lifted, carried.in_world(state).y() - height);
    touched_always = touched_always && force > 0.0;
    force_sum += force;
    ++force_steps;
  }

  void limits(const Simulation& simulation) {
    for (int h = 0; h < static_cast<int>(problem.simulation.hands.size()); ++h) {
      const Controller& controller = *problem.simulation.hands[h].controller;
      const Eigen::VectorXd& angles = simulation.angles(h);
      const double out =
          std::max((controller.lower - angles).maxCoeff(), (angles - controller.upper).maxCoeff());
      report.max_limit_violation = std::max(report.max_limit_violation, out);
    }
  }

  void finish(const Simulation& simulation) {
    report.mean_contact_force = force_steps > 0 ? force_sum / force_steps : 0.0;
    const bool lifted = report.lifted >= kLifted * problem.lift;
    report.held = place && touched_always && lifted && report.slip < kLost;
    report.released = released && simulation.contact_force(0) == 0.0;
  }
};

}  // namespace

Result<RunReport> run(const RunProblem& problem, const SimulationOptions& options,
                      const Monitor& monitor) {
  auto built = Simulation::build(problem.simulation, options);
  if (!built) return built.error();
  Simulation& simulation = *built;
  const size_t hands = problem.simulation.hands.size();
  RunReport report;
  Watch watch{problem, report};
  std::vector<std::vector<Eigen::VectorXd>> angles(hands);
  std::vector<Cue> cues(hands);
  physics::Recorder recorder(simulation.state(), options.frame_rate);
  auto next = problem.cues.begin();
  double next_report = 0.0;
  std::chrono::duration<double> spent{};
  // The last frame's forces need half a frame more.
  const double end = problem.seconds + 1.0 / options.frame_rate;
  while (simulation.time() < end && !monitor.stop.stop_requested()) {
    for (Cue& cue : cues) cue.grip = cue.release = false;
    for (; next != problem.cues.end() && next->time <= simulation.time() + 1e-9; ++next)
      cues.at(next->hand) = next->cue;
    recorder.before_step(simulation.state());
    const auto before = std::chrono::steady_clock::now();
    simulation.step(cues);
    spent += std::chrono::steady_clock::now() - before;
    recorder.after_step(simulation.state());
    watch.phases(simulation);
    watch.slip(simulation);
    watch.limits(simulation);
    for (size_t h = 0; h < hands; ++h) {
      if (static_cast<int>(angles[h].size()) < recorder.frames() + 1)
        angles[h].push_back(simulation.angles(static_cast<int>(h)));
    }
    if (!simulation.state().healthy())
      return Error{fmt::format("the simulation came apart after {:.2f} s", simulation.time())};
    if (simulation.time() >= next_report) {
      monitor.report(simulation.time() / end, "simulated");
      next_report += kReportEvery;
    }
  }
  watch.finish(simulation);
  report.realtime_factor = spent.count() > 0.0 ? simulation.time() / spent.count() : 0.0;
  report.clip = recorder.finish("simulation");
  for (const auto& rows : angles) {
    Eigen::MatrixXd matrix(report.clip.frame_count(), rows.empty() ? 0 : rows[0].size());
    for (int f = 0; f < matrix.rows(); ++f) matrix.row(f) = rows[f].transpose();
    report.angles.push_back(std::move(matrix));
  }
  report.summary.termination =
      monitor.stop.stop_requested() ? Termination::kInterrupted : Termination::kConverged;
  report.summary.iterations = static_cast<int>(simulation.time() / options.timestep + 0.5);
  report.summary.residual = report.slip;
  return report;
}

}  // namespace prehend::example_control
