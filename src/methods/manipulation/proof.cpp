// Beyond Liu 2008: a motion that was optimized with point contacts and 1/30 s is given to a
// simulator that knows neither its contacts nor its goals.
#include "prehend/methods/manipulation/proof.h"

#include <algorithm>
#include <cmath>

#include "methods/manipulation/clip_writer.h"
#include "prehend/physics/dynamics.h"
#include "prehend/physics/recorder.h"

namespace prehend::manipulation {
namespace {

// s: eight to a frame of the clip.
constexpr double kSimulationStep = 1.0 / (8.0 * kClipRate);

std::vector<double> stiffnesses(const Hand& hand, double share) {
  std::vector<double> result;
  for (const Segment& segment : hand.segments)
    for (const Joint& joint : segment.joints) result.push_back(share * joint.max_torque);
  return result;
}

Result<physics::WorldPtr> build_world(const Problem& problem, const ProofOptions& options) {
  std::vector<physics::HandSetup> hands;
  for (const Arm& arm : problem.arms) {
    physics::HandSetup setup;
    setup.hand = arm.hand;
    setup.root = physics::RootMotion::kFixed;
    setup.servo_stiffness_of_joints = stiffnesses(*arm.hand, options.stiffness_share);
    setup.servo_time = options.damping_time;
    // The step's torques are all that moves a joint: it has no springs of its own (eq. 3).
    setup.passive_joints = false;
    hands.push_back(std::move(setup));
  }
  std::vector<physics::ObjectSetup> objects;
  for (const Thing& thing : problem.things)
    objects.push_back({thing.object->shared_object(), thing.object->contact()});
  physics::WorldOptions world;
  world.timestep = kSimulationStep;
  return physics::World::build(hands, objects, world);
}

// The plan between its steps: the curve that the clip is written from.
struct Planned {
  int step = 0;
  std::vector<Eigen::VectorXd> coordinates, velocities;  // an arm each
};

void planned_at(const Report& report, double time, Planned& out) {
  const int last = static_cast<int>(report.plan.size()) - 1;
  const double at = time / report.timestep;
  const int k = std::clamp(static_cast<int>(std::floor(at + 0.5)), 0, std::max(0, last - 1));
  const double u = std::clamp(at - k, -0.5, 0.5);
  const PlannedStep& before = report.plan[std::max(0, k - 1)];
  const PlannedStep& middle = report.plan[k];
  const PlannedStep& after = report.plan[std::min(last, k + 1)];
  const SplineWeights w = spline_weights(u), slope = spline_slopes(u);
  out.step = k;
  out.coordinates.resize(middle.coordinates.size());
  out.velocities.resize(middle.coordinates.size());
  for (size_t a = 0; a < middle.coordinates.size(); ++a) {
    out.coordinates[a] = w.before * before.coordinates[a] + w.middle * middle.coordinates[a] +
                         w.after * after.coordinates[a];
    out.velocities[a] =
        (slope.before * before.coordinates[a] + slope.middle * middle.coordinates[a] +
         slope.after * after.coordinates[a]) /
        report.timestep;
  }
}

// Sums of squares of torques of one group of joints.
struct Effort {
  double feedback = 0.0, all = 0.0;
  double share() const { return all > 0.0 ? std::sqrt(feedback / all) : 0.0; }
};

class Replay {
 public:
  Replay(const Problem& problem, const Report& report, const ProofOptions& options,
         const physics::WorldPtr& world)
      : problem_(problem), report_(report), options_(options), state_(world) {
    const int joints = static_cast<int>(report.plan[0].torques.size());
    stiffness_.resize(joints);
    of_arm_.assign(static_cast<size_t>(joints), 0);
    int first = 0;
    for (const Arm& arm : problem.arms) {
      const std::vector<double> own = stiffnesses(*arm.hand, options.stiffness_share);
      const std::vector<int> offsets = coordinate_offsets(*arm.hand);
      const int of_arm = offsets[static_cast<size_t>(arm.hand->wrist()) + 1];
      for (size_t i = 0; i < own.size(); ++i) {
        stiffness_[first + static_cast<int>(i)] = own[i];
        of_arm_[static_cast<size_t>(first) + i] = static_cast<int>(i) < of_arm;
      }
      first += static_cast<int>(own.size());
    }
    // The spring acts at the end of a step, where the planned joint is by then.
    damping_ = (options.damping_time + kSimulationStep) * stiffness_;
  }

  Proof run(const Monitor& monitor);

 private:
  void begin();
  void drive();
  void measure_effort();
  void push();
  void compare(Proof& proof) const;

  const Problem& problem_;
  const Report& report_;
  const ProofOptions& options_;
  physics::State state_;
  Eigen::VectorXd stiffness_, damping_, applied_, planned_velocity_, velocity_;
  std::vector<char> of_arm_;
  physics::PointJacobian jacobian_;
  Planned planned_;
  Effort arms_, fingers_;
};

void Replay::begin() {
  applied_.setZero(state_.world().dof());
  planned_velocity_.setZero(stiffness_.size());
  planned_at(report_, 0.0, planned_);
  for (size_t a = 0; a < problem_.arms.size(); ++a)
    state_.set_hand(static_cast<int>(a), problem_.arms[a].shoulder_world, planned_.coordinates[a]);
  for (size_t t = 0; t < problem_.things.size(); ++t)
    state_.set_object_pose(static_cast<int>(t), problem_.things[t].pose_world);
}

void Replay::push() {
  const PlannedStep& step = report_.plan[planned_.step];
  for (size_t t = 0; t < problem_.things.size(); ++t) {
    if (problem_.things[t].object->object().fixed || step.pushes.empty()) continue;
    state_.set_object_wrench(static_cast<int>(t), {step.pushes[t], Vec3::Zero()});
  }
  for (size_t a = 0; a < step.wrist_pushes.size(); ++a) {
    if (step.wrist_pushes[a].isZero()) continue;
    const int wrist = problem_.arms[a].hand->wrist();
    std::vector<Transform> frames(static_cast<size_t>(problem_.arms[a].hand->segment_count()));
    physics::segment_frames(state_, static_cast<int>(a), frames);
    physics::segment_jacobian(state_, static_cast<int>(a), wrist, frames[wrist].position,
                              jacobian_);
    applied_ += jacobian_.topRows<3>().transpose() * step.wrist_pushes[a];
  }
}

// The step's torques, held for a timestep around it, and the feedback.
void Replay::drive() {
  planned_at(report_, state_.time(), planned_);
  int first = 0;
  for (size_t a = 0; a < problem_.arms.size(); ++a) {
    const int count = static_cast<int>(planned_.coordinates[a].size());
    planned_velocity_.segment(first, count) = planned_.velocities[a];
    state_.set_servo_target(static_cast<int>(a), planned_.coordinates[a]);
    first += count;
  }
  // The engine damps absolute velocities; the plan's own is given back.
  applied_.setZero();
  applied_.head(first) =
      report_.plan[planned_.step].torques + damping_.cwiseProduct(planned_velocity_);
  push();
  state_.set_applied(applied_);
  if (state_.time() >= report_.task_start) measure_effort();
}

void Replay::measure_effort() {
  const int joints = static_cast<int>(stiffness_.size());
  state_.velocity(velocity_);
  const Eigen::VectorXd feedback =
      state_.servo_torques().head(joints) +
      damping_.cwiseProduct(planned_velocity_ - velocity_.head(joints));
  const Eigen::VectorXd all = report_.plan[planned_.step].torques + feedback;
  for (int i = 0; i < joints; ++i) {
    Effort& effort = of_arm_[static_cast<size_t>(i)] ? arms_ : fingers_;
    effort.feedback += feedback[i] * feedback[i];
    effort.all += all[i] * all[i];
  }
}

void Replay::compare(Proof& proof) const {
  for (size_t t = 0; t < problem_.things.size(); ++t) {
    const Object& object = problem_.things[t].object->object();
    if (object.fixed) continue;
    Stray stray;
    stray.object = object.name;
    const auto& planned = report_.clip.objects[t].poses_world;
    const auto& simulated = proof.clip.objects[t].poses_world;
    for (size_t f = 0; f < std::min(planned.size(), simulated.size()); ++f) {
      stray.end_m =
          (planned[f] * object.center_of_mass - simulated[f] * object.center_of_mass).norm();
      stray.end_rad = planned[f].rotation.angularDistance(simulated[f].rotation);
      stray.max_rad = std::max(stray.max_rad, stray.end_rad);
      if (stray.end_m > options_.tolerance && !stray.left_at)
        stray.left_at = double(f) / report_.clip.frame_rate;
      if (stray.end_m <= stray.max_m) continue;
      stray.max_m = stray.end_m;
      stray.max_at = double(f) / report_.clip.frame_rate;
    }
    proof.strays.push_back(stray);
  }
}

Proof Replay::run(const Monitor& monitor) {
  begin();
  physics::Recorder recorder(state_, kClipRate);
  const int frames = report_.clip.frame_count();
  Proof proof;
  proof.physics = physics::physics_in_force(state_.world());
  while (recorder.frames() < frames && state_.healthy()) {
    if (monitor.stop.stop_requested()) {
      proof.summary = {Termination::kInterrupted, recorder.frames(), 0.0, "stopped before the end"};
      break;
    }
    recorder.before_step(state_);
    drive();
    state_.step();
    recorder.after_step(state_);
    monitor.report(std::min(1.0, double(recorder.frames()) / frames), "proof");
  }
  if (!state_.healthy())
    proof.summary = {Termination::kFailed, recorder.frames(), 0.0, "the simulation diverged"};
  proof.clip = recorder.finish(report_.clip.name);
  compare(proof);
  proof.arm_feedback = arms_.share();
  proof.finger_feedback = fingers_.share();
  proof.within = proof.summary.termination == Termination::kConverged && !proof.strays.empty() &&
                 proof.worst().max_m <= options_.tolerance;
  if (proof.summary.message.empty()) proof.summary.message = "done";
  return proof;
}

}  // namespace

const Stray& Proof::worst() const {
  PREHEND_ASSERT(!strays.empty());
  return *std::max_element(strays.begin(), strays.end(),
                           [](const Stray& a, const Stray& b) { return a.max_m < b.max_m; });
}

Result<Proof> prove(const Problem& problem, const Report& report, const ProofOptions& options,
                    const Monitor& monitor) {
  if (report.plan.size() < 2) return Error{"nothing to prove: no step was solved"};
  const auto world = build_world(problem, options);
  if (!world) return world.error();
  return Replay(problem, report, options, *world).run(monitor);
}

}  // namespace prehend::manipulation
