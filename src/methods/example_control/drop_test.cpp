// Pollard and Zordan, "Physically Based Grasping Control from Example", SCA 2005, section 4.
// Implements: the drop test of figure 2, by which the paper's authors chose k_S, k_D and k_JL.
// Departs:    the paper does not say how far and onto what its hand falls: here a forearm drops by
//             0.25 m onto a cushion.
// Symbols:    g gravity [m/s^2]; v speed at the catch [m/s]; s part of the catch gone by.
#include "prehend/methods/example_control/drop_test.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "prehend/physics/recorder.h"

namespace prehend::example_control {
namespace {

constexpr double kStill = 0.2;      // s before the fall
constexpr double kLetGo = 0.02;     // s in which what held the arm lets go of it
constexpr double kCatchPose = 0.1;  // m, of the wrist above the ground when it is caught
constexpr double kBand = 0.05;      // of the swing: what counts as settled

// Hangs still when no component moves faster than this, rad/s.
constexpr double kAtRest = 1e-4;
constexpr double kLongestHang = 20.0;  // s

SimulationProblem with_wrist(const HandPtr& hand, const Controller& controller,
                             const RigidCurve& wrist) {
  SimulationProblem problem;
  ControlledHand& made = problem.hands.emplace_back();
  made.hand = hand;
  made.controller = std::make_shared<const Controller>(controller);
  made.wrist_world = wrist;
  made.distances = {2.0 * controller.distances.far};  // nothing to grasp is near
  made.distance_rate = 1.0;
  return problem;
}

SimulationOptions simulation_options(const DropTestOptions& options) {
  SimulationOptions simulation;
  simulation.timestep = options.timestep;
  simulation.frame_rate = options.frame_rate;
  simulation.grip = Grip::kPaper;
  simulation.terms = options.terms;
  simulation.gains = options.gains;
  return simulation;
}

// Where the hand hangs at rest. It does not depend on the damping, so that which gets there soonest
// is taken.
Result<Eigen::VectorXd> hanging(const HandPtr& hand, const Controller& controller,
                                const Transform& wrist, const DropTestOptions& options) {
  SimulationProblem problem = with_wrist(hand, controller, RigidCurve::still(wrist));
  problem.hands[0].start_angles = controller.neutral;
  SimulationOptions simulation = simulation_options(options);
  simulation.gains->damping = 2.0 * std::sqrt(options.gains.stiffness);
  auto built = Simulation::build(problem, simulation);
  if (!built) return built.error();
  Eigen::VectorXd before = controller.neutral;
  while (built->time() < kLongestHang) {
    built->step();
    built->step();
    if (!built->state().healthy()) return Error{"the hanging hand came apart"};
    const Eigen::VectorXd& now = built->angles(0);
    const double speed = (now - before).cwiseAbs().maxCoeff() / (2.0 * options.timestep);
    before = now;
    if (built->time() > 0.1 && speed < kAtRest) break;
  }
  return before;
}

// Angles, a row a step, and what is to be seen in them.
struct Response {
  const Controller& controller;
  const Eigen::VectorXd& rest;
  std::vector<double> times;
  std::vector<Eigen::VectorXd> deviations;

  void see(const Simulation& simulation, double time) {
    times.push_back(time);
    deviations.push_back(simulation.angles(0) - rest);
  }

  void limits(DropTest& test) const {
    for (const Eigen::VectorXd& deviation : deviations) {
      const Eigen::VectorXd angles = rest + deviation;
      Eigen::Index at = 0;
      const double out =
          (controller.lower - angles).cwiseMax(angles - controller.upper).maxCoeff(&at);
      if (out <= test.max_limit_violation) continue;
      test.max_limit_violation = out;
      test.worst_joint = controller.joints[at / 3];
    }
  }

  void swing(DropTest& test) const {
    for (const Eigen::VectorXd& deviation : deviations)
      test.swing = std::max(test.swing, deviation.cwiseAbs().maxCoeff());
    if (test.swing == 0.0) return;
    double settled = test.catch_end, after = 0.0;
    Eigen::VectorXd turned = Eigen::VectorXd::Zero(rest.size()), beyond = turned;
    for (std::size_t i = 1; i + 1 < times.size(); ++i) {
      if (times[i] < test.catch_end) continue;
      const Eigen::VectorXd &last = deviations[i - 1], &now = deviations[i];
      const double most = now.cwiseAbs().maxCoeff();
      after = std::max(after, most);
      if (most > kBand * test.swing) settled = times[i];
      for (Eigen::Index k = 0; k < now.size(); ++k) {
        const bool turns = (now[k] - last[k]) * (deviations[i + 1][k] - now[k]) < 0.0;
        if (turns && std::abs(now[k]) > std::abs(turned[k])) {
          turned[k] = now[k];
          beyond[k] = 0.0;
        } else if (now[k] * turned[k] < 0.0) {
          beyond[k] = std::max(beyond[k], std::abs(now[k]));
        }
      }
    }
    if (after > 0.0) test.overshoot = beyond.maxCoeff() / after;
    test.settle_seconds = settled - test.catch_end;
  }
};

double rms_angle(const Eigen::VectorXd& bend) {
  return std::sqrt(bend.squaredNorm() / (double(bend.size()) / 3.0));
}

}  // namespace

DropMotion drop_motion(double drop, double catch_seconds, const Quat& wrist_world) {
  const double g = gravity_world().norm(), T = catch_seconds;
  // The acceleration goes evenly from 0 to -g, stays, and is then -g (1-s) + peak s (1-s), which
  // takes all speed: polynomials that the curve's quintics meet exactly.
  const double let_go = std::min(kLetGo, std::sqrt(6.0 * drop / g));
  const double first = g * let_go * let_go / 6.0, first_speed = 0.5 * g * let_go;
  const double v = std::sqrt(first_speed * first_speed + 2.0 * g * (drop - first));
  const double peak = 6.0 * (v / T + 0.5 * g);
  const double give = v * T + T * T * (g / 3.0 - peak / 12.0);
  DropMotion motion;
  motion.fall_start = kStill;
  motion.catch_start = kStill + let_go + (v - first_speed) / g;
  motion.catch_end = motion.catch_start + T;
  const auto at = [&](double height, double speed, double acceleration) {
    RigidCurve::Motion made;
    made.pose = {wrist_world, {0.0, kCatchPose + height, 0.0}};
    made.velocity.y() = -speed;
    made.acceleration.y() = acceleration;
    return made;
  };
  const std::vector<double> times = {0.0, kStill, kStill + let_go, motion.catch_start,
                                     motion.catch_end};
  const std::vector<RigidCurve::Motion> motions = {at(drop, 0.0, 0.0), at(drop, 0.0, 0.0),
                                                   at(drop - first, first_speed, -g),
                                                   at(0.0, v, -g), at(-give, 0.0, 0.0)};
  motion.wrist_world = RigidCurve::through_motions(times, motions);
  return motion;
}

Result<DropTest> drop_test(const HandPtr& hand, const Controller& controller,
                           const DropTestOptions& options, const Monitor& monitor) {
  if (!(options.drop > 0.0 && options.catch_seconds > 0.0 && options.watch_seconds > 0.0))
    return Error{"a drop test needs a fall, a catch and time to watch, each above zero"};
  const DropMotion motion = drop_motion(options.drop, options.catch_seconds, options.wrist_world);
  if (Status ok = validate(controller); !ok) return ok.error();
  const auto rest = hanging(hand, controller, motion.wrist_world.at(0.0).pose, options);
  if (!rest) return rest.error();
  SimulationProblem problem = with_wrist(hand, controller, motion.wrist_world);
  problem.hands[0].start_angles = *rest;
  auto simulation = Simulation::build(problem, simulation_options(options));
  if (!simulation) return simulation.error();
  DropTest test;
  test.fall_start = motion.fall_start;
  test.catch_start = motion.catch_start;
  test.catch_end = motion.catch_end;
  test.sag = rms_angle(*rest - controller.neutral);
  Response response{controller, *rest, {}, {}};
  physics::Recorder recorder(simulation->state(), options.frame_rate);
  const double end = motion.catch_end + options.watch_seconds;
  const auto began = std::chrono::steady_clock::now();
  while (simulation->time() < end + 1.0 / options.frame_rate && !monitor.stop.stop_requested()) {
    recorder.before_step(simulation->state());
    const double time = simulation->time();
    simulation->step();
    recorder.after_step(simulation->state());
    if (!simulation->state().healthy())
      return Error{fmt::format("the simulation came apart after {:.2f} s", time)};
    if (time <= end) response.see(*simulation, time);
  }
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - began;
  test.realtime_factor = simulation->time() / spent.count();
  response.limits(test);
  response.swing(test);
  test.clip = recorder.finish("drop test");
  test.physics = physics::physics_in_force(simulation->state().world());
  test.summary.termination =
      monitor.stop.stop_requested() ? Termination::kInterrupted : Termination::kConverged;
  test.summary.iterations = static_cast<int>(response.times.size());
  return test;
}

}  // namespace prehend::example_control
