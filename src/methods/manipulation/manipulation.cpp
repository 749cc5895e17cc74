// Liu 2008, section 3 and figure 2: reach, then manipulate, a step at a time.
// Implements: the two stages, contact force correction with roll-back (section 4.2), anticipation
//             and muscle responsiveness (section 5.2).
#include "prehend/methods/manipulation/manipulation.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <map>

#include <fmt/format.h>
#include <Eigen/Eigenvalues>

#include "methods/manipulation/clip_writer.h"
#include "methods/manipulation/grip.h"
#include "methods/manipulation/step_solver.h"

namespace prehend::manipulation {
namespace {

// Times the paper's weight a squared N. A goal of 10 a squared millimeter moves 0.3 kg against a
// force with 140 a squared N, and up to a hundred times that once it is adapted. With these, a
// wrong mass shows in the first steps, and a push moves what is held before the hand answers. At
// 200 a hand that expects half as much again throws the box.
constexpr double kExpectScale = 5.0, kPushScale = 200.0;
constexpr int kMostRollbacks = 6;  // of one step
constexpr double kSinks = 2e-5;    // m: a corner without force that sinks in deeper has one
// m in a step: a thing that leaves its support, or slides on it, by less does neither.
constexpr double kLeaves = 1e-4, kSlides = 1e-4;
constexpr double kMeets = 5e-4;      // m: farther apart after a step, two things did not collide
constexpr double kForceLeft = 1e-4;  // of m g: less counts as none
constexpr double kConeLeft = 1e-3;   // of the normal force: nearer to the boundary counts as on it
constexpr double kOver = 0.05;       // m, that no step may overlap

// Processor time of this thread alone.
double thread_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

// m from the shoulder to the tip of the middle finger of the stretched arm.
double arm_length(const Hand& hand) {
  HandKinematics kinematics(hand);
  kinematics.update({}, Eigen::VectorXd::Zero(hand.dof()));
  const FingerPad& pad = hand.pads[static_cast<int>(Digit::kMiddle)];
  return (kinematics.frames_world()[pad.segment] * pad.tip).norm();
}

// A goal that is farther away, along the axes that count, than any arm that grips its thing
// reaches.
Status within_reach(const Problem& problem) {
  for (const Goal& goal : problem.goals) {
    if (goal.kind != GoalKind::kPosition) continue;
    const Object& object = problem.things[goal.object].object->object();
    const double offset = (goal.point_object - object.center_of_mass).norm();
    for (const GripStyle& grip : problem.grips) {
      if (grip.object != goal.object) continue;
      const Arm& arm = problem.arms[grip.arm];
      const Vec3 way = goal.target - arm.shoulder_world.position;
      const double far = Vec3((goal.weights.array() > 0.0).select(way, 0.0)).norm() - offset;
      const double length = arm_length(*arm.hand);
      if (far > length)
        return Error{fmt::format("goal {}: {:.2f} m from the shoulder; the arm is {:.2f} m long",
                                 goal.name, far, length)};
    }
  }
  return {};
}

}  // namespace

struct Manipulation::Impl {
  Problem problem;
  Options options;
  System system;
  StepProblem step_problem;
  StepSolver solver;
  ContactSet contacts;
  std::vector<GoalTracker> goals;
  std::vector<std::optional<double>> goal_errors, passing_errors;
  std::vector<Reach> reaches;  // one a grip
  double task_start = 0.0;
  Moment before, now;
  std::vector<Done> done;
  std::vector<PlannedStep> plan;
  std::vector<StepRecord> records;
  std::vector<LiftTerm> lifts;  // one a thing
  std::vector<Vec3> last_pushes;
  Eigen::VectorXd torque_before;
  double seconds = 0.0;
  long resting = 0, slipping = 0;
  Summary summary;
  StepObserver observer;
  bool over = false;

  Impl(Problem given, const Options& chosen)
      : problem(std::move(given)),
        options(chosen),
        system(problem, options),
        step_problem(system, options) {}

  double time() const { return options.timestep * double(done.size()); }
  double task_time() const { return time() - task_start; }
  bool gripped(int thing) const {
    return std::any_of(problem.grips.begin(), problem.grips.end(),
                       [&](const GripStyle& g) { return g.object == thing; });
  }
  void begin();
  void set_goal_ends();
  StepInput input(std::span<const Disturbance> now);
  void set_poses(StepInput& in);
  void set_pushes(std::span<const Disturbance> extra, StepInput& in);
  double sharing_contacts(int thing) const;
  void set_expectations(StepInput& in);
  bool slips_for_good(const StepInput& in, ContactPoint& contact, const Eigen::VectorXd& lambda);
  bool correct_forces(const StepInput& in, const StepSolution& solution);
  void commit(const StepInput& in, const StepSolution& solution, StepRecord& record);
  void judge_goals();
  bool step(std::span<const Disturbance> extra);
};

void Manipulation::Impl::set_goal_ends() {
  for (size_t i = 0; i < goals.size(); ++i) {
    for (const GoalTracker& other : goals) {
      const Goal &a = goals[i].goal(), &b = other.goal();
      const bool position_a = a.kind == GoalKind::kPosition || a.kind == GoalKind::kVelocity;
      const bool position_b = b.kind == GoalKind::kPosition || b.kind == GoalKind::kVelocity;
      const bool same = position_a == position_b && (position_a || a.kind == b.kind) &&
                        a.object == b.object && a.arm == b.arm && a.digit == b.digit;
      if (same && b.start > a.start) goals[i].set_end(std::min(goals[i].end(), b.start));
    }
  }
}

void Manipulation::Impl::begin() {
  before = now = system.start();
  for (const Goal& goal : problem.goals) goals.emplace_back(goal);
  goal_errors.resize(goals.size());
  passing_errors.resize(goals.size());
  set_goal_ends();
  for (const GripStyle& grip : problem.grips)
    task_start = std::max(task_start, grip.start + grip.duration);
  task_start = std::ceil(task_start / options.timestep - 1e-9) * options.timestep;
  for (int t = 0; t < system.things(); ++t) lifts.push_back({t, Vec3::Zero(), 0.0});
  last_pushes.assign(problem.things.size(), Vec3::Zero());
  Eigen::MatrixXd mass;
  system.place(now);
  system.dynamics(now, Eigen::VectorXd::Zero(system.layout().joints), mass, torque_before);
}

// The reach's poses; an arm that grips has none, and one that never does keeps still.
void Manipulation::Impl::set_poses(StepInput& in) {
  const double after = time() + options.timestep;
  in.poses.assign(problem.arms.size(), {});
  std::vector<char> has_grip(problem.arms.size(), 0);
  for (size_t g = 0; g < problem.grips.size(); ++g) {
    const GripStyle& grip = problem.grips[g];
    has_grip[grip.arm] = 1;
    const double share = (after - grip.start) / grip.duration;
    if (task_time() < -1e-9) in.poses[grip.arm] = reaches[g].pose(std::clamp(share, 0.0, 1.0));
  }
  for (size_t a = 0; a < problem.arms.size(); ++a)
    if (!has_grip[a]) in.poses[a] = problem.arms[a].start;
}

void Manipulation::Impl::set_pushes(std::span<const Disturbance> extra, StepInput& in) {
  in.pushes.assign(problem.things.size(), Vec3::Zero());
  in.wrist_pushes.assign(problem.arms.size(), Vec3::Zero());
  const auto add = [&](const Disturbance& push) {
    if (push.object >= 0 && !system.fixed(push.object)) in.pushes[push.object] += push.force_world;
    if (push.arm >= 0) in.wrist_pushes[push.arm] += push.force_world;
  };
  for (const Disturbance& push : problem.disturbances)
    if (task_time() >= push.start - 1e-9 && task_time() < push.end - 1e-9) add(push);
  for (const Disturbance& push : extra) add(push);
}

// How many contacts of hands share a grip (k of eq. 8): a force on one side needs its like on the
// other, so that a thumb against four fingers counts as two. Sides are told by the direction that
// most normals lie along.
double Manipulation::Impl::sharing_contacts(int thing) const {
  Mat3 spread = Mat3::Zero();
  for (const ContactPoint& c : contacts.points)
    if (c.of_hand() && c.thing == thing) spread += c.normal * c.normal.transpose();
  const Vec3 axis = Eigen::SelfAdjointEigenSolver<Mat3>(spread).eigenvectors().col(2);
  int one = 0, other = 0;
  for (const ContactPoint& c : contacts.points)
    if (c.of_hand() && c.thing == thing) ++(c.normal.dot(axis) > 0.0 ? one : other);
  return std::min(one, other) > 0 ? 2.0 * std::min(one, other) : one + other;
}

// Section 5.2: what hands expect to carry, and how hard they grip for it.
void Manipulation::Impl::set_expectations(StepInput& in) {
  const double left = 1.0 - options.attenuation;
  const bool begins = std::abs(task_time()) < 0.5 * options.timestep;
  in.grip_most.assign(problem.things.size(), 0.0);
  in.grip_wanted.assign(problem.things.size(), 0.0);
  for (int t = 0; t < system.things(); ++t) {
    if (system.fixed(t)) continue;
    const Thing& thing = problem.things[t];
    const Object& object = system.object(t);
    LiftTerm& lift = lifts[t];
    int touching = 0;
    Vec3 carried = Vec3::Zero();
    for (const ContactPoint& c : contacts.points) {
      if (!c.of_hand() || c.thing != t) continue;
      ++touching;
      carried += c.force();
    }
    lift.weight *= left;
    const double expected_mass = thing.expected_mass.value_or(object.mass);
    if (begins && gripped(t)) {
      lift.weight = options.lift_weight * (thing.expected_mass ? kExpectScale : 1.0);
      lift.force = -expected_mass * gravity_world();
    } else if (task_time() > 0.0 && gripped(t) && in.pushes[t] != last_pushes[t]) {
      lift.weight = options.lift_weight * kPushScale;
      lift.force = carried;
    }
    if (task_time() < -1e-9 || !gripped(t) || touching == 0) continue;
    // eq. 8: the grip that just holds, expected at first and then as it is.
    const double share = std::pow(left, std::max(0.0, task_time() / options.timestep));
    const double sharing = sharing_contacts(t);
    const auto just_holds = [&](double mass, double friction) {
      return options.grip_margin * mass * kStandardGravity / (sharing * friction);
    };
    const double expected = just_holds(
        expected_mass, std::max(1e-3, thing.expected_friction.value_or(object.friction)));
    const double actual = just_holds(object.mass, std::max(1e-3, object.friction));
    in.grip_wanted[t] = share * expected + (1.0 - share) * actual;
    if (share > 1e-3) in.grip_most[t] = expected / share;
  }
  in.lifts = lifts;
  last_pushes = in.pushes;
}

StepInput Manipulation::Impl::input(std::span<const Disturbance> extra) {
  StepInput in;
  in.before = &before;
  in.now = &now;
  in.contacts = contacts.points;
  in.torque_before = torque_before;
  in.goals = goals;
  set_poses(in);
  set_pushes(extra, in);
  set_expectations(in);
  for (GoalTracker& goal : goals) {
    const bool active = goal.active(task_time());
    in.goal_active.push_back(active);
    if (!active) continue;
    goal.aim(system, task_time(), options.timestep);
    // A hand that misjudges friction goes where the thing should, with or without it.
    if (goal.goal().kind != GoalKind::kPosition) continue;
    for (const GripStyle& grip : problem.grips)
      if (grip.object == goal.goal().object && problem.things[grip.object].expected_friction)
        in.intents.push_back(
            {grip.arm, goal.wanted() - goal.residual(system), goal.goal().weights});
  }
  return in;
}

// A hand that grips as hard as it expects to need, and drags as much as friction allows, slips
// (section 5.2). The direction is that of the friction.
bool Manipulation::Impl::slips_for_good(const StepInput& in, ContactPoint& contact,
                                        const Eigen::VectorXd& lambda) {
  const double most = in.grip_most[contact.thing];
  if (contact.kind != ContactKind::kResting || most <= 0.0 || in.poses[contact.arm].size() > 0 ||
      !problem.things[contact.thing].expected_friction)
    return false;
  const double normal = lambda.sum();
  const double up = std::abs(lambda[0] - lambda[1]), aside = std::abs(lambda[2] - lambda[3]);
  if (normal < (1.0 - kConeLeft) * most || up + aside < (1.0 - kConeLeft) * normal) return false;
  const Vec3 force = contact.edges * lambda;
  contact.velocity = 0.1 * (force + normal * contact.normal).normalized();
  contact.kind = ContactKind::kSlipping;
  set_edges(contact);
  return true;
}

// Section 4.2: forces of supports that would push a thing off, or hold back less than they could
// while it slides. True if one was changed and the step must be solved again.
bool Manipulation::Impl::correct_forces(const StepInput& in, const StepSolution& solution) {
  bool changed = false;
  Moment after;
  system.displaced(now, solution.x, after);
  for (size_t k = 0; k < contacts.points.size(); ++k) {
    ContactPoint& contact = contacts.points[k];
    if (contact.of_hand()) {
      changed |= slips_for_good(
          in, contact,
          solution.x.segment(step_problem.force_first(static_cast<int>(k)), contact.columns));
      continue;
    }
    if (!system.fixed(contact.other)) {
      // Two free things collide before they touch only if nothing else keeps them apart.
      if (contact.kind != ContactKind::kIdle ||
          solution.x[step_problem.slack(StepProblem::kThingSlack)] < kSinks)
        continue;
      contact.kind = ContactKind::kColliding;
      set_edges(contact);
      changed = true;
      continue;
    }
    const Vec3 moved = system.pose(after, contact.thing) * contact.point_thing -
                       system.pose(now, contact.thing) * contact.point_thing;
    const double leaves = -moved.dot(contact.normal);
    if (contact.kind == ContactKind::kIdle) {
      if (contact.gap + leaves > -kSinks) continue;
      contact.kind = ContactKind::kResting;
      contact.kept = changed = true;
      set_edges(contact);
      continue;
    }
    const auto lambda =
        solution.x.segment(step_problem.force_first(static_cast<int>(k)), contact.columns);
    const double normal = lambda.sum();
    if (normal < kForceLeft * system.weight(contact.thing)) continue;
    const bool leaves_rest = contact.kind == ContactKind::kResting && leaves > kLeaves;
    const bool never_meets =
        contact.kind == ContactKind::kColliding && contact.gap + leaves > kMeets;
    if ((leaves_rest || never_meets) && !contact.kept) {
      contact.kind = ContactKind::kIdle;  // correction 1
      changed = true;
    } else {
      const Vec3 along = moved - moved.dot(contact.normal) * contact.normal;
      const Vec3 force = contact.edges.leftCols(contact.columns) * lambda;
      const double tangential = (force + normal * contact.normal).norm();
      const bool on_boundary = tangential > (contact.friction - kConeLeft) * normal;
      if (contact.kind == ContactKind::kResting && along.norm() > kSlides && !on_boundary) {
        contact.kind = ContactKind::kSlipping;  // correction 2
        contact.velocity = -along / options.timestep;
        changed = true;
      } else if (contact.kind == ContactKind::kSlipping && along.dot(contact.velocity) > 0.0) {
        contact.kind = ContactKind::kResting;  // it would be pulled the other way
        changed = true;
      }
    }
    set_edges(contact);
  }
  return changed;
}

void Manipulation::Impl::commit(const StepInput& in, const StepSolution& solution,
                                StepRecord& record) {
  Moment after;
  system.displaced(now, solution.x, after);
  system.place(after);
  const double weight_left = 1e-6;
  for (size_t k = 0; k < contacts.points.size(); ++k) {
    ContactPoint& c = contacts.points[k];
    c.lambda.setZero();
    c.lambda.head(c.columns) =
        solution.x.segment(step_problem.force_first(static_cast<int>(k)), c.columns).cwiseMax(0.0);
    if (c.of_hand()) {
      const Vec3 apart = system.kinematics(c.arm).frames_world()[c.segment] * c.point_other -
                         system.thing_pose(c.thing) * c.point_thing;
      const Vec3 before_apart = c.gap * c.normal;
      const Vec3 along = apart - apart.dot(c.normal) * c.normal;
      const Vec3 moved = apart - before_apart;
      c.velocity = (moved - moved.dot(c.normal) * c.normal) / options.timestep;
      if (options.rolling) c.drift += along;
      ++record.contacts;
    }
    if (c.normal_force() > weight_left) ++(c.kind == ContactKind::kSlipping ? slipping : resting);
  }
  done.push_back({now, contacts.points, in.pushes});
  torque_before = step_problem.torques(solution.x);
  plan.push_back({now.coordinates, torque_before, in.pushes, in.wrist_pushes});
  before = std::move(now);
  now = std::move(after);
}

void Manipulation::Impl::judge_goals() {
  for (size_t g = 0; g < goals.size(); ++g) {
    const GoalTracker& goal = goals[g];
    const double at = task_time();
    if (at < goal.goal().start || at > goal.end() + 0.5 * options.timestep) continue;
    goal_errors[g] = goal.error(system, options.timestep);
    if (goal.goal().passing) passing_errors[g] = goal.passing_error(system, options.timestep);
  }
}

bool Manipulation::Impl::step(std::span<const Disturbance> extra) {
  if (over) return false;
  const double begin = thread_seconds();
  system.place(now);
  std::vector<Vec3> velocities(problem.things.size(), Vec3::Zero()), spins = velocities;
  for (int t = 0; t < system.things(); ++t) {
    if (system.fixed(t)) continue;
    velocities[t] = (now.centers[t] - before.centers[t]) / options.timestep;
    spins[t] = log_map(now.rotations[t] * before.rotations[t].conjugate()) / options.timestep;
  }
  contacts.update(system, velocities, spins, options.timestep, options.rolling);
  StepInput in = input(extra);
  StepRecord record;
  record.time = time();
  StepSolution solution;
  for (;; ++record.rollbacks) {
    in.contacts = contacts.points;
    step_problem.prepare(in);
    solver.solve(step_problem, step_problem.start(), solution);
    record.iterations += solution.iterations;
    if (!solution.solved || record.rollbacks >= kMostRollbacks || !correct_forces(in, solution))
      break;
  }
  record.overlap = std::max(solution.x[step_problem.slack(StepProblem::kHandSlack)],
                            solution.x[step_problem.slack(StepProblem::kThingSlack)]);
  if (!solution.solved || !solution.x.allFinite() || record.overlap > kOver) {
    over = true;
    summary = {Termination::kFailed, int(done.size()), 0.0,
               fmt::format("the step at {:.2f} s has no answer", time())};
    return false;
  }
  if (observer) observer(task_time(), step_problem, solution);
  record.residual = solution.residual;
  record.cone_excess = std::max(0.0, solution.cone_excess);
  record.objective = solution.objective;
  record.converged = solution.converged;
  commit(in, solution, record);
  for (size_t g = 0; g < goals.size(); ++g)
    if (in.goal_active[g]) goals[g].reweight(system);
  judge_goals();
  seconds += thread_seconds() - begin;
  records.push_back(record);
  over = task_time() >= problem.seconds - 1e-9;
  return !over;
}

Manipulation::Manipulation(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Manipulation::~Manipulation() = default;

Result<std::unique_ptr<Manipulation>> Manipulation::make(Problem problem, const Options& options,
                                                         const Monitor& monitor) {
  if (const Status near = within_reach(problem); !near) return near.error();
  auto impl = std::make_unique<Impl>(std::move(problem), options);
  for (size_t g = 0; g < impl->problem.grips.size(); ++g) {
    monitor.report(double(g) / double(impl->problem.grips.size()), "grips");
    auto reach = plan_reach(impl->problem, impl->problem.grips[g]);
    if (!reach) return reach.error();
    impl->reaches.push_back(std::move(*reach));
  }
  impl->begin();
  return std::unique_ptr<Manipulation>(new Manipulation(std::move(impl)));
}

bool Manipulation::step(std::span<const Disturbance> now) { return impl_->step(now); }
void Manipulation::observe(StepObserver observer) { impl_->observer = std::move(observer); }
double Manipulation::time() const { return impl_->time(); }
Transform Manipulation::object_pose(int thing) const {
  return impl_->system.pose(impl_->now, thing);
}
HandPose Manipulation::hand_pose(int arm) const {
  const Arm& a = impl_->problem.arms[arm];
  return pose_from_coordinates(*a.hand, a.shoulder_world, impl_->now.coordinates[arm]);
}

Report Manipulation::report() const {
  const Impl& m = *impl_;
  Report report;
  std::vector<Done> steps = m.done;
  steps.push_back({m.now, {}, {}});
  report.clip = write_clip(m.system, steps, m.options.timestep);
  report.steps = m.records;
  report.plan = m.plan;
  report.plan.push_back({m.now.coordinates, {}, {}, {}});
  report.timestep = m.options.timestep;
  report.task_start = m.task_start;
  report.frames = static_cast<int>(m.records.size());
  report.step_seconds = m.seconds;
  report.contacts = {m.resting, m.slipping, m.contacts.broken};
  for (const StepRecord& r : m.records) {
    report.rollbacks += r.rollbacks;
    report.step_residual = std::max(report.step_residual, r.residual);
    report.cone_excess = std::max(report.cone_excess, r.cone_excess);
  }
  for (size_t g = 0; g < m.goals.size(); ++g) {
    const Goal& goal = m.goals[g].goal();
    const double error = m.goal_errors[g].value_or(INFINITY);
    report.goals.push_back({goal.name, error, error <= goal.tolerance});
    if (!goal.passing) continue;
    const double speed = m.passing_errors[g].value_or(INFINITY);
    report.goals.push_back({goal.name + " velocity", speed, speed <= goal.passing_tolerance});
  }
  if (!m.goals.empty()) {
    double most = 0.0;
    for (const auto& p : m.goals[0].progress()) {
      if (p.speed <= most) continue;
      most = p.speed;
      report.peak_speed_fraction = p.completion - 0.5 * p.speed;
    }
  }
  report.summary = m.summary;
  report.summary.iterations = report.frames;
  report.summary.residual = report.step_residual;
  if (report.summary.message.empty()) report.summary.message = "done";
  return report;
}

Result<Report> run(const Problem& problem, const Options& options, const Monitor& monitor) {
  auto made = Manipulation::make(problem, options, monitor);
  if (!made) return made.error();
  Manipulation& manipulation = **made;
  const auto finish = [&](bool stopped) {
    Report report = manipulation.report();
    if (stopped)
      report.summary = {Termination::kInterrupted, report.frames, 0.0, "stopped before the end"};
    return report;
  };
  while (manipulation.step()) {
    if (monitor.stop.stop_requested()) return finish(true);
    monitor.report(std::min(1.0, manipulation.time() / (problem.seconds + 2.0)), "steps");
  }
  return finish(false);
}

}  // namespace prehend::manipulation
