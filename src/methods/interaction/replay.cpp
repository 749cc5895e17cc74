// Kry and Pai, "Interaction Capture and Synthesis", SIGGRAPH 2006, sections 7.1 and 8.1.
// Implements: one step of the synthesis (the state of 7.1, the equilibrium of the end of 7.1.3,
//             contacts updated each step) and the two grip adjustments of 8.1.
// Departs:    tightening reduces compliances at a rate a second, not by a factor a step, so that
//             the timestep does not change it, and stops where a digit pushes as hard as people do.
#include "prehend/methods/interaction/replay.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>

#include <fmt/format.h>

#include "methods/interaction/contact_problem.h"
#include "prehend/core/physical_constants.h"

namespace prehend::interaction {
namespace {

// m: deeper than this at the start, an object stands inside the hand. Flesh gives by a few
// millimeters.
constexpr double kInside = 0.005;
// m: the same for a hand that holds the object from the start, whose grip another size may press
// deeper before the first steps push it open.
constexpr double kInsideGrip = 0.012;
// m a step: less is creep and rolling, not a slip. 5 mm a second at 500 Hz.
constexpr double kSlipping = 1e-5;

Status check(const ReplayOptions& options) {
  if (!(options.timestep >= 1e-5 && options.timestep <= 0.02))
    return Error{
        fmt::format("a timestep of {:g} s should be from 0.00001 to 0.02", options.timestep)};
  if (options.pyramid_edges < 4 || options.pyramid_edges > 64 || options.pyramid_edges % 2 != 0)
    return Error{fmt::format("{} edges of a friction pyramid should be even, from 4 to 64",
                             options.pyramid_edges)};
  if (!(options.frame_rate >= 1.0 && options.frame_rate <= 1.0 / options.timestep + 1e-6))
    return Error{fmt::format("a frame rate of {:g} Hz should be from 1 to {:g}, one frame a step",
                             options.frame_rate, 1.0 / options.timestep)};
  return {};
}

}  // namespace

struct Replay::Impl {
  ReplayOptions options;
  InteractionTrajectory trajectory;
  Vec3 gravity, up;
  std::vector<ReplayBody> bodies;  // the objects, then the floor if there is one
  int object_count = 0;
  HandKinematics kinematics;
  CoordinateLimits limits;
  ContactFinder finder;
  ContactProblem problem;
  HandCompliance compliance;  // as tightened

  double time = 0.0;
  Transform root_world;
  Eigen::VectorXd coordinates, free_step;
  ReferencePose next;
  std::vector<LiveContact> live;
  std::vector<ReplayContact> contacts;
  std::vector<Vec3> impulses, turnings;
  std::deque<double> slips;  // times of steps in which a grip slid, not yet answered
  double share = 1.0;
  StepReport report;

  Impl(const ReplayProblem& p, const ReplayOptions& o)
      : options(o),
        trajectory(p.trajectory),
        gravity(p.gravity),
        up(p.gravity.norm() > 1e-9 ? Vec3(-p.gravity.normalized()) : Vec3(Vec3::UnitY())),
        kinematics(*trajectory.hand),
        limits(coordinate_limits(*trajectory.hand)),
        finder(*trajectory.hand, o.contact_margin),
        problem(*trajectory.hand, o.pyramid_edges),
        compliance(p.trajectory.compliance) {
    for (const ReplayObject& object : p.objects) bodies.push_back(make_body(object));
    object_count = static_cast<int>(bodies.size());
    if (p.floor_height) bodies.push_back(make_floor(*p.floor_height, p.floor_friction));
    reference_at(trajectory, 0.0, next);
    const ReferencePose& start = trajectory.start ? *trajectory.start : next;
    root_world = start.root_world;
    coordinates = start.coordinates;
    free_step.setZero(6 + coordinates.size());
    kinematics.update(root_world, coordinates);
    impulses.resize(bodies.size());
    turnings.resize(bodies.size());
  }

  Status check_clear() {
    finder.find(kinematics, bodies, options.timestep, up, live);
    for (const LiveContact& contact : live) {
      if (contact.report.segment < 0 ||
          contact.report.gap > -(trajectory.start ? kInsideGrip : kInside))
        continue;
      const int second = contact.report.second;
      return Error{fmt::format(
          "{} begins {:.1f} mm inside {}; move one of them",
          trajectory.hand->segments[contact.report.segment].name, -1e3 * contact.report.gap,
          second < object_count ? "object " + bodies[second].object->object().name
                                : std::string("the floor"))};
    }
    return {};
  }

  void step() {
    reference_at(trajectory, time + options.timestep, next);
    free_step.head<3>() = next.root_world.position - root_world.position;
    free_step.segment<3>(3) = log_map(next.root_world.rotation * root_world.rotation.conjugate());
    free_step.tail(coordinates.size()) = next.coordinates - coordinates;
    finder.find(kinematics, bodies, options.timestep, up, live);
    problem.solve({kinematics, root_world, free_step, compliance, limits, coordinates}, bodies,
                  {options.timestep, options.overlap_per_step, gravity}, live);
    const optimize::LcpResult& result = problem.result();
    report = {result.outcome == optimize::LcpOutcome::kSolved,
              result.residual,
              problem.equilibrium_error(),
              result.guessed,
              result.pivots,
              result.factorizations,
              static_cast<int>(result.z.size())};
    move_hand();
    move_bodies();
    contacts.clear();
    for (const LiveContact& contact : live) contacts.push_back(contact.report);
    time += options.timestep;
    adjust_grip();
  }

  // theta(k+1) = theta_r(k+1) + C J^T f(k+1)
  void move_hand() {
    const Eigen::VectorXd& yielding = problem.yielding();
    coordinates = next.coordinates + yielding.tail(coordinates.size());
    root_world.position = next.root_world.position + yielding.head<3>();
    root_world.rotation = (exp_map(yielding.segment<3>(3)) * next.root_world.rotation).normalized();
    kinematics.update(root_world, coordinates);
  }

  void move_bodies() {
    const double h = options.timestep;
    for (std::size_t b = 0; b < bodies.size(); ++b) {
      impulses[b] = h * (bodies[b].mass * gravity + bodies[b].applied);
      turnings[b].setZero();
    }
    const auto push = [&](int body, const Vec3& point, const Vec3& force) {
      impulses[body] += h * force;
      turnings[body] += h * (point - bodies[body].center_world()).cross(force);
    };
    for (const LiveContact& contact : live) {
      const ReplayContact& c = contact.report;
      push(c.second, c.point_world, -c.force_world);
      if (c.segment < 0) push(c.first, c.point_world, c.force_world);
    }
    for (std::size_t b = 0; b < bodies.size(); ++b)
      if (bodies[b].movable) bodies[b].advance(impulses[b], turnings[b], h);
  }

  bool slipping(const LiveContact& contact) const {
    const double normal = contact.local_force.x();
    if (contact.report.segment < 0 || !bodies[contact.report.second].movable ||
        normal < options.least_force)
      return false;
    if (options.grip == GripAdjustment::kAfterSlip) return contact.report.slip > kSlipping;
    return contact.local_force.tail<2>().norm() >
           options.slip_threshold * contact.report.friction * normal;
  }

  // N: normal forces of a digit on what can move.
  double strongest_digit() const {
    std::array<double, kDigitCount + 1> sums{};
    for (const LiveContact& contact : live)
      if (contact.report.segment >= 0 && bodies[contact.report.second].movable)
        sums[int(trajectory.hand->segments[contact.report.segment].digit)] +=
            contact.local_force.x();
    return *std::max_element(sums.begin(), sums.end());
  }

  void adjust_grip() {
    if (options.grip == GripAdjustment::kNone) return;
    if (std::any_of(live.begin(), live.end(), [&](const LiveContact& c) { return slipping(c); }))
      slips.push_back(time);
    const double delay = options.grip == GripAdjustment::kAfterSlip ? options.reaction_time : 0.0;
    bool tighten = false;
    while (!slips.empty() && slips.front() <= time - delay + 0.5 * options.timestep) {
      slips.pop_front();
      tighten = true;
    }
    if (!tighten || strongest_digit() >= kFingertipForce) return;
    share = std::max(options.least_share,
                     share * std::exp(-options.tightening_rate * options.timestep));
    compliance.joints = share * trajectory.compliance.joints;
  }
};

Replay::Replay(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Replay::~Replay() = default;
Replay::Replay(Replay&&) noexcept = default;
Replay& Replay::operator=(Replay&&) noexcept = default;

Result<Replay> Replay::create(const ReplayProblem& problem, const ReplayOptions& options) {
  if (const Status good = validate(problem.trajectory); !good) return good.error();
  if (const Status good = check(options); !good) return good.error();
  auto impl = std::make_unique<Impl>(problem, options);
  if (const Status clear = impl->check_clear(); !clear) return clear.error();
  return Replay(std::move(impl));
}

double Replay::time() const { return impl_->time; }
double Replay::duration() const { return impl_->trajectory.duration(); }
const StepReport& Replay::step() {
  impl_->step();
  return impl_->report;
}
const Hand& Replay::hand() const { return *impl_->trajectory.hand; }
HandPose Replay::hand_pose() const {
  return pose_from_coordinates(hand(), impl_->root_world, impl_->coordinates);
}
const Eigen::VectorXd& Replay::coordinates() const { return impl_->coordinates; }
Transform Replay::object_pose(int object) const { return impl_->bodies[object].pose_world; }
Vec3 Replay::linear_momentum(int object) const { return impl_->bodies[object].linear; }
Vec3 Replay::angular_momentum(int object) const { return impl_->bodies[object].angular; }
const std::vector<ReplayContact>& Replay::contacts() const { return impl_->contacts; }
double Replay::compliance_share() const { return impl_->share; }

void Replay::set_compliance(const HandCompliance& compliance) {
  PREHEND_ASSERT(compliance.joints.size() == impl_->coordinates.size());
  impl_->trajectory.compliance = impl_->compliance = compliance;
  impl_->compliance.joints *= impl_->share;
}
void Replay::set_grip(GripAdjustment grip) {
  impl_->options.grip = grip;
  impl_->slips.clear();
}
void Replay::set_friction(int object, double friction) {
  impl_->bodies[object].friction = friction;
}
void Replay::set_mass(int object, double mass) {
  PREHEND_ASSERT(mass > 0.0);
  impl_->bodies[object].set_mass(mass);
}
void Replay::set_force(int object, const Vec3& force_world) {
  impl_->bodies[object].applied = force_world;
}

}  // namespace prehend::interaction
