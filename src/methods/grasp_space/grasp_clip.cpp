// Beyond the paper: a grasp that was found, shown as a motion that was simulated.
#include "prehend/methods/grasp_space/grasp_clip.h"

#include <algorithm>
#include <cmath>

#include "methods/grasp_space/approach.h"
#include "methods/grasp_space/stand.h"
#include "prehend/geometry/primitive.h"
#include "prehend/hands/timeline.h"
#include "prehend/methods/grasp_space/sensors.h"
#include "prehend/physics/recorder.h"

namespace prehend::grasp_space {
namespace {

using hands::Pace;
using hands::stretch;
using hands::Timeline;
using physics::GraspPlan;

// Ends of the phases, seconds from the beginning of the approach. Chosen by eye: a reach of about a
// second, a squeeze that a viewer sees, and a lift slow enough to add little to the weight.
constexpr double kArrived = 0.9, kTouching = 1.7, kSqueezed = 2.1, kLetGo = 2.5, kLifted = 3.5,
                 kEnd = 4.1;
// The digits begin to move shortly before the hand has arrived, s.
constexpr double kShapes = 0.95 * kArrived;
// This first share of the way from open to touching leads to the pre-grasp, the rest from there to
// the touch. Chosen by eye.
constexpr double kShaping = 0.55;
// A table, m: its top reaches this far beyond the object, so that a hand is above it too.
constexpr double kTableRim = 0.15, kTableThickness = 0.02;
// An object that rose by this share of the wrist's lift was carried. Chosen by eye: what is lost
// rises by little, what is held by nearly all of it.
constexpr double kCarried = 0.8;

struct PlacedTable {
  ObjectPtr object;
  Transform pose_world;
};

// A board under the object, level where the object stands upright.
Result<PlacedTable> place_table(const Object& object, const Table& table,
                                const Transform& object_world) {
  const Vec3 up = table.up, side = any_orthogonal(up), front = side.cross(up);
  Vec3 low = Vec3::Constant(INFINITY), high = -low;
  for (const Vec3& v : object.shape.mesh->vertices) {
    const Vec3 at(side.dot(v), up.dot(v), front.dot(v));
    low = low.cwiseMin(at);
    high = high.cwiseMax(at);
  }
  const Vec3 half(0.5 * (high.x() - low.x()) + kTableRim, 0.5 * kTableThickness,
                  0.5 * (high.z() - low.z()) + kTableRim);
  auto board = geometry::object_from_primitive("table", ShapeKind::kBox, half, 1.0);
  if (!board) return board.error();
  board->friction = object.friction;
  board->fixed = true;
  Mat3 axes;
  axes << side, up, front;
  const Vec3 middle(0.5 * (low.x() + high.x()), table.height - half.y(),
                    0.5 * (low.z() + high.z()));
  return PlacedTable{std::make_shared<const Object>(std::move(*board)),
                     object_world * Transform{Quat(axes).normalized(), axes * middle}};
}

// What hand and stand do over time. A clip without an approach begins when the hand would have
// arrived, at the pre-grasp.
struct Choreography {
  Choreography(const GraspPlan& p, const GraspClipOptions& o,
               const std::optional<Approach>& approach)
      : plan(p),
        options(o),
        retreat_object(approach ? approach->retreat_object : Vec3(Vec3::Zero())),
        open(approach ? approach->open : p.pregrasp),
        approaches(approach.has_value()),
        start(approaches ? 0.0 : kArrived),
        closing(stretch(approaches ? kShapes : kArrived, kTouching)) {}

  Transform root_world(double time) const {
    Transform root = interpolate(plan.pregrasp_root, plan.root_object, close_fraction(time));
    root.position += (1.0 - reach.at(time)) * options.reach * retreat_object;
    root = options.object_world * root;
    root.position.y() += options.lift * lift.at(time);
    return root;
  }

  Eigen::VectorXd coordinates(double time) const {
    const double closed = closing.at(time);
    if (closed < kShaping && approaches) return open + closed / kShaping * (plan.pregrasp - open);
    return plan.pregrasp + close_fraction(time) * (plan.grasp - plan.pregrasp) +
           squeeze.at(time) * (plan.squeeze - plan.grasp);
  }

  // From pre-grasp to grasp.
  double close_fraction(double time) const {
    if (!approaches) return closing.at(time);
    return std::max(0.0, (closing.at(time) - kShaping) / (1.0 - kShaping));
  }

  // How much of the stand is still there.
  double stand_share(double time) const { return 1.0 - let_go.at(time); }

  const GraspPlan& plan;
  const GraspClipOptions& options;
  const Vec3 retreat_object;
  const Eigen::VectorXd open;
  const bool approaches;
  const double start;  // s
  std::optional<Transform> table_world;

 private:
  const Timeline<double> closing;  // from open or the pre-grasp to touching
  const Timeline<double> reach = stretch(0.0, kArrived), lift = stretch(kLetGo, kLifted),
                         squeeze = stretch(kTouching, kSqueezed, Pace::kEven),
                         let_go = stretch(kSqueezed, kLetGo, Pace::kEven);
};

Transform object_in_hand(const physics::State& state) {
  return state.hand_pose(0).root_world.inverse() * state.object_pose(0);
}

// Object and hand where the clip begins, the hand as it comes to rest there: a shape that was
// learned from another hand may pass through itself.
void take_stand(const Choreography& plan, const Eigen::VectorXd& target, physics::State& state) {
  // Steps of the simulation until the servos have come to rest. Chosen by eye.
  constexpr int kRestSteps = 100;
  const Transform root = plan.root_world(plan.start);
  state.set_object_pose(0, plan.options.object_world);
  if (plan.table_world) state.set_object_pose(1, *plan.table_world);
  state.set_hand(0, root, plan.coordinates(plan.start));
  state.set_servo_target(0, target);
  state.step(kRestSteps);
  const Eigen::VectorXd rested = coordinates(state.world().hand(0), state.hand_pose(0));
  state.reset();
  state.set_object_pose(0, plan.options.object_world);
  if (plan.table_world) state.set_object_pose(1, *plan.table_world);
  state.set_hand(0, root, rested);
}

Status simulate(const Choreography& plan, const physics::GraspServos& servos,
                const geometry::PreparedObject& prepared, physics::State& state, GraspClip& made,
                const Monitor& monitor) {
  const Object& object = prepared.object();
  const Stand stand(prepared, plan.options.object_world);
  StandRecord stood;
  const auto target = [&](double time) -> Eigen::VectorXd {
    return plan.coordinates(time).cwiseProduct(servos.overshoot);
  };
  take_stand(plan, target(plan.start), state);
  physics::Recorder recorder(state, plan.options.frame_rate);
  const double before = state.object_pose(0).position.y();
  std::optional<Transform> held;
  // The last frame's forces need half a frame more.
  const double end = kEnd - plan.start + 1.0 / plan.options.frame_rate;
  while (state.time() < end && !monitor.stop.stop_requested()) {
    const double time = plan.start + state.time();
    state.set_root_target(0, plan.root_world(time));
    state.set_servo_target(0, target(time));
    if (made.support == Support::kStand) {
      Wrench push = stand.wrench(state.object_pose(0), state.object_twist(0));
      push = {plan.stand_share(time) * push.force, plan.stand_share(time) * push.torque};
      state.set_object_wrench(0, push);
      stood.add(static_cast<int>(std::lround(state.time() * plan.options.frame_rate)), push);
    }
    if (!held && time >= kSqueezed) held = object_in_hand(state);
    recorder.before_step(state);
    state.step();
    recorder.after_step(state);
    monitor.report(state.time() / end, "simulated");
  }
  if (!state.healthy()) return Error{object.name + ": the simulation of the grasp came apart"};
  if (held) {
    const Vec3& center = object.center_of_mass;
    made.slip = (object_in_hand(state) * center - *held * center).norm();
    made.carried = state.object_pose(0).position.y() - before > kCarried * plan.options.lift;
  }
  made.clip = recorder.finish(object.name);
  if (made.support == Support::kStand) stood.write(stand, made.clip);
  return {};
}

}  // namespace

Result<GraspClip> make_grasp_clip(const GraspProblem& problem, const Grasp& grasp,
                                  const GraspClipOptions& options, const Monitor& monitor) {
  const Hand& hand = *problem.hand;
  const auto prepared = problem.prepared ? problem.prepared : geometry::prepare(problem.object);
  const auto& distance = prepared->contact();
  HandPose open = ShapeKinematics(hand, *problem.space).pose(problem.space->open);
  const CoordinateLimits limits = coordinate_limits(hand);
  const Eigen::VectorXd open_q =
      coordinates(hand, open).cwiseMax(limits.lower).cwiseMin(limits.upper);

  GraspClip made;
  made.support = problem.table ? Support::kTable : Support::kStand;
  const auto approach =
      find_approach(hand, *distance, grasp.plan, open_q, options.reach, problem.table);
  made.approached = approach.has_value();
  Choreography plan(grasp.plan, options, approach);

  // As it was proven, on a wrist that is moved.
  physics::GraspServos servos = physics::grasp_servos(hand, options.proof);
  servos.setup.root = physics::RootMotion::kDriven;
  std::vector<physics::ObjectSetup> objects = {{problem.object, distance, false}};
  std::optional<PlacedTable> table;
  if (problem.table) {
    auto placed = place_table(*problem.object, *problem.table, options.object_world);
    if (!placed) return placed.error();
    table = std::move(*placed);
    objects.push_back({table->object, nullptr, true});
  }
  physics::WorldOptions world_options;
  world_options.timestep = options.timestep;
  const auto world = physics::World::build({&servos.setup, 1}, objects, world_options);
  if (!world) return world.error();
  if (table) plan.table_world = table->pose_world;
  physics::State state(*world);
  if (const Status done = simulate(plan, servos, *prepared, state, made, monitor); !done) {
    return done.error();
  }
  return made;
}

}  // namespace prehend::grasp_space
