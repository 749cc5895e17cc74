// Beyond the paper: a simulation is recorded, and what it did to the object is measured.
#include "prehend/methods/example_control/run.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "methods/example_control/example_data.h"
#include "methods/example_control/skin_slip.h"
#include "prehend/physics/recorder.h"

namespace prehend::example_control {
namespace {

constexpr double kLost = 0.05;            // m of slip: it fell, or as good as
constexpr double kLifted = 0.8;           // of the lift asked for
constexpr double kSettle = 0.5;           // s after the grip, unless the problem says
constexpr double kReportEvery = 0.1;      // s
constexpr double kForceSmoothing = 0.05;  // s
constexpr double kLeastGripForce = 0.01;  // N, smoothed: less is no grip
// Of two hands that shake: the share of the time in which each palm must feel the other hand.
constexpr double kPalmsTouched = 0.9;

// What the first hand carries: the object at its center of mass, or the other's wrist.
Transform carried_world(const SimulationProblem& problem, const physics::State& state) {
  const int target = problem.hands[0].target_object;
  if (target < 0) return state.hand_pose(1).root_world;
  return state.object_pose(target) *
         Transform::from_position(problem.objects[target].object->center_of_mass);
}

// Root mean square of the joint angles of all hands about their means between two times.
double waving(const RunReport& report, double from, double to) {
  const double rate = report.clip.frame_rate;
  double sum = 0.0;
  int count = 0;
  for (const Eigen::MatrixXd& angles : report.angles) {
    const int first = std::clamp(static_cast<int>(from * rate), 0, static_cast<int>(angles.rows()));
    const int last =
        std::clamp(static_cast<int>(to * rate), first, static_cast<int>(angles.rows()));
    if (last == first) continue;
    const auto part = angles.middleRows(first, last - first);
    sum += (part.rowwise() - part.colwise().mean()).squaredNorm();
    count += static_cast<int>(part.size());
  }
  return count > 0 ? std::sqrt(sum / count) : 0.0;
}

struct Watch {
  const RunProblem& problem;
  RunReport& report;
  std::optional<double> gripped, released;  // s, the first hand's
  std::optional<Transform> place;           // of what is carried in the hand, when that began
  double height = 0.0, force = 0.0, force_sum = 0.0;
  bool touched_always = true;
  int steps = 0;
  std::optional<double> carried_from;
  double carried_to = 0.0;

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
      // A palm that gripped from farther away than the example's passes the releasing state at
      // once.
      if (gripped && simulation.phase(0) > Phase::kGripping && !released)
        released = simulation.time();
    }
  }

  void slip(const Simulation& simulation, double dt) {
    const double time = simulation.time();
    force += (1.0 - std::exp(-dt / kForceSmoothing)) * (simulation.contact_force(0) - force);
    report.max_contact_force = std::max(report.max_contact_force, force);
    // A hand with an example's distances has nothing that it could carry.
    if (!gripped || released || !problem.simulation.hands[0].distances.empty()) return;
    if (time < problem.carry_from.value_or(*gripped + kSettle)) return;
    if (time > problem.carry_to.value_or(INFINITY)) return;
    const physics::State& state = simulation.state();
    const Transform there = carried_world(problem.simulation, state);
    const Transform in_hand = state.hand_pose(0).root_world.inverse() * there;
    if (!place) {
      place = in_hand;
      height = there.position.y();
      report.grip_force = force;
    }
    // Two wrists are moved along their paths: what slips between them is their skins, see finish.
    if (problem.simulation.hands[0].target_object >= 0)
      report.slip = std::max(report.slip, (in_hand.position - place->position).norm());
    report.turned = std::max(report.turned, angle_between(in_hand.rotation, place->rotation));
    report.lifted = std::max(report.lifted, there.position.y() - height);
    touched_always = touched_always && force > kLeastGripForce;
    force_sum += force;
    ++steps;
    carried_to = time;
    if (!carried_from) carried_from = time;
  }

  // Of an object that is not held, nothing that comes later changes it.
  bool lost() const { return !touched_always || report.slip >= kLost; }

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
    if (steps > 0) {
      report.mean_contact_force = force_sum / steps;
      const double length = carried_to - *carried_from;
      report.finger_deviation =
          waving(report, *carried_from + 0.4 * length, *carried_from + 0.8 * length);
      if (problem.simulation.hands[0].target_object < 0) {
        const SkinContact skins = skin_contact(report.clip, *carried_from, carried_to);
        report.slip = skins.slip;
        report.palms_touched = skins.palms_touched;
        report.palm_on_palm = skins.palm_on_palm;
      }
    }
    const bool lifted = report.lifted >= kLifted * problem.lift;
    const bool palms = !report.palms_touched || *report.palms_touched >= kPalmsTouched;
    report.held = place && touched_always && lifted && palms && report.slip < kLost;
    report.released = released && simulation.contact_force(0) == 0.0;
  }
};

}  // namespace

Result<RunReport> run(const RunProblem& problem, const SimulationOptions& options,
                      const Monitor& monitor) {
  auto built = Simulation::build(problem.simulation, options);
  if (!built) return built.error();
  Simulation& simulation = *built;
  RunReport report;
  Watch watch{problem, report};
  std::vector<Cue> cues(problem.simulation.hands.size());
  physics::Recorder recorder(simulation.state(), options.frame_rate);
  auto next = problem.cues.begin();
  double next_report = 0.0;
  std::chrono::duration<double> spent{};
  // The last frame's forces need half a frame more.
  const double end = problem.seconds + 1.0 / options.frame_rate;
  while (simulation.time() < end && !monitor.stop.stop_requested()) {
    for (Cue& cue : cues) cue.grip = cue.release = false;
    for (; next != problem.cues.end() && next->time <= simulation.time() + 1e-9; ++next) {
      Cue& cue = cues.at(next->hand);
      const bool grip = cue.grip || next->cue.grip, release = cue.release || next->cue.release;
      cue = next->cue;
      cue.grip = grip;
      cue.release = release;
    }
    recorder.before_step(simulation.state());
    const double time = simulation.time();  // the engine's starts anew when it comes apart
    const auto before = std::chrono::steady_clock::now();
    simulation.step(cues);
    spent += std::chrono::steady_clock::now() - before;
    recorder.after_step(simulation.state());
    watch.phases(simulation);
    watch.slip(simulation, options.timestep);
    watch.limits(simulation);
    if (!simulation.state().healthy())
      return Error{fmt::format("the simulation came apart after {:.2f} s", time)};
    if (problem.give_up && watch.lost()) break;
    if (simulation.time() >= next_report) {
      monitor.report(simulation.time() / end, "simulated");
      next_report += kReportEvery;
    }
  }
  report.realtime_factor = spent.count() > 0.0 ? simulation.time() / spent.count() : 0.0;
  report.clip = recorder.finish("simulation");
  for (const HandTrack& track : report.clip.hands) report.angles.push_back(joint_angles(track));
  watch.finish(simulation);
  report.summary.termination =
      monitor.stop.stop_requested() ? Termination::kInterrupted : Termination::kConverged;
  report.summary.iterations = static_cast<int>(simulation.time() / options.timestep + 0.5);
  report.summary.residual = report.slip;
  report.physics = physics::physics_in_force(simulation.state().world());
  return report;
}

}  // namespace prehend::example_control
