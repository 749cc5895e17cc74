// Pollard and Zordan, "Physically Based Grasping Control from Example", SCA 2005, sections 4 and 5.
// Implements: neutral pose and joint limits from the library, setpoints from one example, D1 and D2
//             by search, which the paper wishes for in section 7.
// Departs:    "distance from hand to object" is how far the palm still has to go to where it is
//             while it grips, so that D0 = 0 is the grip of a pinch as well as of a fist.
#include "prehend/methods/example_control/fit.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "methods/example_control/example_data.h"
#include "methods/example_control/setpoints.h"
#include "methods/example_control/touching_grip.h"
#include "prehend/methods/example_control/blend.h"
#include "prehend/methods/example_control/simulation.h"

namespace prehend::example_control {
namespace {

constexpr double kMoving = radians(2.0);  // what turns by less does not count
// A grip whose joints stray farther than this from their mean, root mean square, is no grip but
// handling. Half of it is the closing's end, which the springs follow: fits of recorded grips that
// strayed by 3 to 9 degrees were 4 to 8 degrees off, by 12 and 15 degrees 10 and 9.
constexpr double kUnsteady = radians(12.0);

// The frames of one grasp, and what does not depend on D1 and D2.
struct Take {
  const ExampleData& data;
  GraspSpan span;
  std::vector<double> distances;  // what the palm has still to go
  Eigen::MatrixXd demand;         // right-hand side of eq. 14

  int frames() const { return span.last - span.first + 1; }
  bool learned(int f) const {
    return span.first + f < span.settled || span.first + f >= span.release;
  }
  // Rows of frames that are learned from; zero the others.
  Eigen::VectorXd weights() const {
    Eigen::VectorXd weights(frames());
    for (int f = 0; f < frames(); ++f) weights[f] = learned(f) ? 1.0 : 0.0;
    return weights;
  }
};

std::vector<Phase> phases_of(const Take& take, const Distances& distances) {
  PhaseMachine machine(distances);
  std::vector<Phase> phases;
  for (int f = 0; f < take.frames(); ++f) {
    PhaseMachine::Cue cue;
    cue.grip = take.span.first + f == take.span.grip;
    cue.release = take.span.first + f == take.span.release;
    phases.push_back(machine.advance(take.distances[f], 1.0 / take.data.frame_rate, cue));
  }
  return phases;
}

Eigen::MatrixXd blends_of(const Take& take, const std::vector<Phase>& phases,
                          const Distances& distances) {
  Eigen::MatrixXd blends(take.frames(), kSetpointCount);
  for (int f = 0; f < take.frames(); ++f)
    blends.row(f) = blend(phases[f], take.distances[f], distances).transpose();
  return blends;
}

// Root of the mean square by which two motions are apart over frames, of all joints that move and
// of the worst, and of the axis-angle components that move.
struct Apart {
  double components = 0.0, joints = 0.0, worst = 0.0;
};
Apart compare(const Eigen::MatrixXd& one, const Eigen::MatrixXd& other,
              const std::vector<char>& counts) {
  const double frames = std::max(1.0, double(std::count(counts.begin(), counts.end(), 1)));
  const Eigen::RowVectorXd range = one.colwise().maxCoeff() - one.colwise().minCoeff();
  Apart apart;
  int moving_components = 0, moving_joints = 0;
  for (int k = 0; k < one.cols(); ++k) {
    if (range[k] < kMoving) continue;
    for (int f = 0; f < one.rows(); ++f)
      if (counts[f]) apart.components += std::pow(one(f, k) - other(f, k), 2) / frames;
    ++moving_components;
  }
  for (int k = 0; k < one.cols(); k += 3) {
    if (range.segment<3>(k).maxCoeff() < kMoving) continue;
    double square = 0.0;
    for (int f = 0; f < one.rows(); ++f) {
      if (!counts[f]) continue;
      const double angle = angle_between(exp_map(one.row(f).segment<3>(k).transpose()),
                                         exp_map(other.row(f).segment<3>(k).transpose()));
      square += angle * angle / frames;
    }
    apart.joints += square;
    apart.worst = std::max(apart.worst, square);
    ++moving_joints;
  }
  return {std::sqrt(apart.components / std::max(1, moving_components)),
          std::sqrt(apart.joints / std::max(1, moving_joints)), std::sqrt(apart.worst)};
}

void compare(FitResult& result) {
  std::vector<char> handling;
  for (const char learned : result.learned) handling.push_back(!learned);
  const Apart apart = compare(result.example_angles, result.free_angles, result.learned);
  result.free_rms = apart.components;
  result.free_joint_rms = apart.joints;
  result.worst_joint_rms = apart.worst;
  result.handling_joint_rms = compare(result.example_angles, result.free_angles, handling).joints;
}

// Fits the setpoints for these distances and says how far the fitted model strays from the example.
double fit_distances(const Take& take, const Distances& distances, Controller& controller) {
  controller.distances = distances;
  const Eigen::MatrixXd blends = blends_of(take, phases_of(take, distances), distances);
  const Eigen::VectorXd weights = take.weights();
  solve_setpoints(weights.asDiagonal() * blends, weights.asDiagonal() * take.demand, controller);
  const auto angles = take.data.angles.value.middleRows(take.span.first, take.frames());
  const Eigen::MatrixXd response =
      linear_response(blends, take.data.frame_rate, angles.row(0).transpose(),
                      take.data.angles.first.row(take.span.first).transpose(), controller);
  return (weights.asDiagonal() * (response - angles)).norm();
}

// Over a grid that the example's reach spans, then finer around its best.
Distances search_distances(const Take& take, Controller& controller, const Monitor& monitor) {
  const double reach = *std::max_element(take.distances.begin(), take.distances.end());
  Distances best{0.25 * reach, 0.9 * reach};
  double least = fit_distances(take, best, controller);
  double width = 0.5 * reach;
  constexpr int kRounds = 4, kSteps = 6;
  for (int round = 0; round < kRounds && !monitor.stop.stop_requested(); ++round) {
    const Distances center = round == 0 ? Distances{0.5 * reach, 0.5 * reach} : best;
    for (int i = 0; i <= kSteps; ++i) {
      for (int j = 0; j <= kSteps; ++j) {
        const Distances tried{center.near + width * (2.0 * i / kSteps - 1.0),
                              center.far + width * (2.0 * j / kSteps - 1.0)};
        // The blends need room between them.
        if (tried.near < 0.02 * reach || tried.far < tried.near + 0.05 * reach || tried.far > reach)
          continue;
        const double error = fit_distances(take, tried, controller);
        if (error < least) {
          least = error;
          best = tried;
        }
      }
    }
    width *= 2.0 / kSteps;
    monitor.report((round + 1.0) / kRounds, "distances tried");
  }
  return best;
}

// Mean and extremes over everything that was captured.
Status read_library(const FitProblem& problem, const ExampleData& data, Controller& controller) {
  Eigen::VectorXd sum = data.angles.value.colwise().sum().transpose();
  double count = data.frames();
  controller.lower = data.angles.value.colwise().minCoeff().transpose();
  controller.upper = data.angles.value.colwise().maxCoeff().transpose();
  for (const Clip& clip : problem.library) {
    if (clip.hands.empty()) return Error{fmt::format("'{}' has no hand", clip.name)};
    const int last = static_cast<int>(clip.hands.size()) - 1;
    const auto track = as_ball_hand(clip.hands[std::min(problem.library_hand, last)]);
    if (!track) return track.error();
    if (track->hand->side != data.hand->side)
      return Error{fmt::format("'{}' shows a {} hand, the example a {} one", clip.name,
                               to_string(track->hand->side), to_string(data.hand->side))};
    const Eigen::MatrixXd angles = joint_angles(*track);
    sum += angles.colwise().sum().transpose();
    count += static_cast<double>(angles.rows());
    controller.lower = controller.lower.cwiseMin(angles.colwise().minCoeff().transpose());
    controller.upper = controller.upper.cwiseMax(angles.colwise().maxCoeff().transpose());
  }
  controller.neutral = sum / count;
  return {};
}

Result<GraspSpan> choose_grasp(const std::vector<GraspSpan>& grasps, const FitOptions& options,
                               const std::string& clip, int& index) {
  if (grasps.empty())
    return Error{
        fmt::format("'{}' shows no contact: the hand never touches what it reaches for", clip)};
  index = options.grasp < 0 ? best_grasp(grasps) : options.grasp;
  if (index >= static_cast<int>(grasps.size()))
    return Error{fmt::format("'{}' has {} grasp{}, from 0 on: there is no {}", clip, grasps.size(),
                             grasps.size() == 1 ? "" : "s", index)};
  if (!grasps[index].comes)
    return Error{
        fmt::format("'{}' shows no approach: the palm is never 5 cm or more away before it "
                    "grips",
                    clip)};
  return grasps[index];
}

std::vector<JointResidual> residuals_of(const Take& take, const std::vector<Phase>& phases,
                                        const Controller& controller) {
  const Gains& gains = controller.gains;
  const Eigen::MatrixXd blends = blends_of(take, phases, controller.distances);
  const Eigen::MatrixXd left =
      (blends * (gains.stiffness * controller.positions + gains.damping * controller.velocities) -
       take.demand) /
      (2.0 * gains.stiffness);
  std::vector<JointResidual> residuals;
  for (size_t j = 0; j < controller.joints.size(); ++j) {
    JointResidual& residual = residuals.emplace_back();
    residual.joint = controller.joints[j];
    std::array<int, kPhaseCount> counts{};
    for (int f = 0; f < take.frames(); ++f) {
      const double square = left.row(f).segment<3>(3 * static_cast<int>(j)).squaredNorm();
      residual.rms[static_cast<size_t>(phases[f])] += square;
      ++counts[static_cast<size_t>(phases[f])];
      residual.all += square / take.frames();
    }
    for (int p = 0; p < kPhaseCount; ++p)
      residual.rms[p] = counts[p] > 0 ? std::sqrt(residual.rms[p] / counts[p]) : 0.0;
    residual.all = std::sqrt(residual.all);
  }
  return residuals;
}

// The controller on its own, along the example's wrist, with nothing to touch.
Result<Eigen::MatrixXd> free_motion(const Take& take, const Controller& controller,
                                    physics::PhysicsInForce& in_force) {
  const ExampleData& data = take.data;
  ControlledHand hand;
  hand.hand = data.hand;
  hand.controller = std::make_shared<const Controller>(controller);
  hand.wrist_world =
      RigidCurve::through_samples(controller.path.wrist_world, controller.path.frame_rate, 0.05);
  hand.distances = take.distances;
  hand.distance_rate = data.frame_rate;
  hand.start_angles = data.angles.value.row(take.span.first).transpose();
  SimulationProblem problem;
  problem.hands = {hand};
  SimulationOptions options;
  options.grip = Grip::kPaper;
  auto simulation = Simulation::build(problem, options);
  if (!simulation) return simulation.error();
  in_force = physics::physics_in_force(simulation->state().world());
  Eigen::MatrixXd angles(take.frames(), data.hand->dof());
  Eigen::VectorXd now;
  for (int f = 0; f < take.frames(); ++f) {
    Cue cue;
    cue.grip = take.span.first + f == take.span.grip;
    cue.release = take.span.first + f == take.span.release;
    simulation->state().joint_coordinates(0, now);
    angles.row(f) = now.transpose();
    while (simulation->time() < (f + 1) / data.frame_rate - 1e-9) {
      simulation->step({&cue, 1});
      cue = {};
    }
  }
  return angles;
}

void write_path(const Take& take, Controller& controller) {
  ExamplePath& path = controller.path;
  path.frame_rate = take.data.frame_rate;
  const auto first = take.span.first, last = take.span.last + 1;
  path.wrist_world.assign(take.data.wrist_world.begin() + first,
                          take.data.wrist_world.begin() + last);
  path.target_world.assign(take.data.target_world.begin() + first,
                           take.data.target_world.begin() + last);
  path.target_center = take.data.target_center;
  path.distances = take.distances;
  path.grip_frame = take.span.grip - first;
  path.carry_frame = take.span.carry - first;
  path.release_frame = std::min(take.span.release, take.span.last) - first;
  controller.grip_seconds = (take.span.release - take.span.grip) / take.data.frame_rate;
}

// The frame in which the recorded hand, settled, is nearest to a pose.
int frame_of_grip(const Take& take, const Eigen::VectorXd& pose) {
  int nearest = take.span.carry;
  for (int f = take.span.carry; f < take.span.settled; ++f) {
    const auto apart = [&](int g) {
      return (take.data.angles.value.row(g).transpose() - pose).squaredNorm();
    };
    if (apart(f) < apart(nearest)) nearest = f;
  }
  return nearest;
}

void bring_to_touch(const FitProblem& problem, const Take& take, Controller& controller) {
  if (problem.object < 0) return;
  const HandTrack& track = problem.example.hands[problem.hand];
  const ObjectTrack& object = problem.example.objects[problem.object];
  const int frame = frame_of_grip(take, controller.rest_pose(Setpoint::kGrip));
  bring_grip_to_touch({*track.hand, track.poses[frame], object.object, object.poses_world[frame]},
                      *take.data.hand, controller);
}

// Root mean square by which joints leave their mean while the grip is learned, of those that move
// in the grasp at all, rad.
double unsteady(const ExampleData& data, const GraspSpan& span) {
  const int frames = std::max(1, span.settled - span.carry);
  const auto all = data.angles.value.middleRows(span.first, span.last - span.first + 1);
  const auto grip = data.angles.value.middleRows(span.carry, frames);
  const Eigen::RowVectorXd range = all.colwise().maxCoeff() - all.colwise().minCoeff();
  const Eigen::RowVectorXd mean = grip.colwise().mean();
  double sum = 0.0;
  int moving = 0;
  for (int k = 0; k < range.size(); k += 3) {
    if (range.segment<3>(k).maxCoeff() < kMoving) continue;
    sum += (grip.middleCols(k, 3).rowwise() - mean.segment<3>(k)).squaredNorm() / frames;
    ++moving;
  }
  return std::sqrt(sum / std::max(1, moving));
}

std::vector<GraspSpan> grasps_of(const ExampleData& data, const FitOptions& options) {
  auto grasps = find_pick_ups(data.object, options.contact_tolerance);
  if (grasps.empty()) {
    grasps = find_grasp_spans(data.palm, data.touch, data.frame_rate, options.contact_tolerance,
                              data.object.speed);
    for (GraspSpan& span : grasps)
      if (data.object.frames() > 0) span.why.push_back(Unsuitable::kNeverCloses);
  }
  for (GraspSpan& span : grasps) {
    const bool all = span.settled == span.release;
    span.release =
        std::max(span.carry + 1, opening_begins(data.angles.first, span, data.frame_rate));
    span.settled = all ? span.release : std::min(span.settled, span.release);
    if (data.object.frames() > 0 && unsteady(data, span) > kUnsteady)
      span.why.push_back(Unsuitable::kHandled);
  }
  return grasps;
}

}  // namespace

Result<std::vector<GraspSpan>> list_grasps(const FitProblem& problem, const FitOptions& options) {
  const auto data = read_example(problem, options);
  if (!data) return data.error();
  return grasps_of(*data, options);
}

Result<FitResult> fit(const FitProblem& problem, const FitOptions& options,
                      const Monitor& monitor) {
  if (options.distances && !(options.distances->near < options.distances->far))
    return Error{fmt::format("D1 = {:.3g} m must be less than D2 = {:.3g} m",
                             options.distances->near, options.distances->far)};
  if (Status ok = stable_at(options.gains, SimulationOptions{}.timestep); !ok) return ok.error();
  const auto data = read_example(problem, options);
  if (!data) return data.error();
  FitResult result;
  result.grasps = grasps_of(*data, options);
  const auto span = choose_grasp(result.grasps, options, problem.example.name, result.grasp);
  if (!span) return span.error();

  Controller& controller = result.controller;
  controller.name = options.name;
  controller.side = data->hand->side;
  controller.hand_length = data->hand->length;
  controller.hand = data->hand;
  if (problem.object >= 0) controller.object = problem.example.objects[problem.object].object;
  controller.gains = options.gains;
  controller.grip_distance = span->level;
  for (const Segment& segment : data->hand->segments)
    if (segment.dof() == 3) controller.joints.push_back(segment.name);
  if (Status ok = read_library(problem, *data, controller); !ok) return ok.error();

  Take take{*data, *span, {}, {}};
  for (int f = span->first; f <= span->last; ++f)
    take.distances.push_back(std::max(0.0, data->palm[f] - span->level));
  take.demand = setpoint_demand(*data, span->first, span->last,
                                own_accelerations(*data, span->first, span->last), controller);
  write_path(take, controller);
  const Distances distances =
      options.distances ? *options.distances : search_distances(take, controller, monitor);
  fit_distances(take, distances, controller);
  bring_to_touch(problem, take, controller);
  if (Status ok = validate(controller); !ok) return ok.error();

  result.hand = data->hand;
  result.frame_rate = data->frame_rate;
  result.phases = phases_of(take, distances);
  result.distances = take.distances;
  result.example_angles = data->angles.value.middleRows(span->first, take.frames());
  result.residuals = residuals_of(take, result.phases, controller);
  auto free = free_motion(take, controller, result.physics);
  if (!free) return free.error();
  result.free_angles = std::move(*free);
  for (int f = 0; f < take.frames(); ++f) result.learned.push_back(take.learned(f));
  compare(result);
  result.summary.residual = result.free_rms;
  result.summary.message = fmt::format("{} in free motion within {:.1f} degrees of the example",
                                       controller.name, degrees(result.free_rms));
  if (monitor.stop.stop_requested()) result.summary.termination = Termination::kInterrupted;
  return result;
}

}  // namespace prehend::example_control
