#include "prehend/hands/sample_grip.h"

#include <algorithm>
#include <cmath>

#include "prehend/geometry/primitive.h"
#include "prehend/hands/digits.h"
#include "prehend/hands/posture.h"
#include "prehend/hands/timeline.h"
#include "prehend/physics/recorder.h"
#include "prehend/physics/state.h"

namespace prehend::hands {

namespace {

constexpr double kRadius = 0.025, kHalfLength = 0.075;  // m: the cylinder of "wrap", 15 cm long
const Vec3 kTableHalf(0.16, 0.015, 0.16);               // m
constexpr double kTimestep = 0.002;                     // s
constexpr double kRetreat = 0.12;                       // m that the hand comes from
constexpr double kShort = 0.004;                        // m that it stops short

// Ends of the phases, seconds.
constexpr double kArrived = 0.8, kClosed = 1.4, kLifted = 2.4, kTurned = 3.2, kEnd = 3.6;

// The wrapped hand brought to an upright cylinder, and what it does over time.
struct Choreography {
  const Hand& hand;
  const SampleGripOptions& options;
  HandPose wrapped;
  Eigen::VectorXd open, closed, squeezed;
  Vec3 retreat_world = Vec3::Zero();  // the way by which the open hand leaves the cylinder

  Choreography(const Hand& h, const SampleGripOptions& o, const Posture& wrap)
      : hand(h), options(o), wrapped(wrap.pose) {
    const Capsule& held = *wrap.held;
    const Vec3 axis = (held.b - held.a).normalized();
    // The thumb's side up: of the two ways to stand the cylinder upright.
    const auto frames = xr_frames(hand, wrapped);
    const Vec3 towards_thumb = frames[xr_joint_of(Digit::kIndex, 1)].position -
                               frames[xr_joint_of(Digit::kLittle, 1)].position;
    const Vec3 up = axis.dot(towards_thumb) > 0.0 ? axis : Vec3(-axis);
    const Quat turn = Quat::FromTwoVectors(up, Vec3::UnitY());
    // Where the axis passes nearest the middle knuckle becomes the cylinder's middle, a little up.
    const Vec3 knuckle = frames[xr_joint_of(Digit::kMiddle, 1)].position;
    const Vec3 nearest = held.a + axis * axis.dot(knuckle - held.a);
    wrapped.root_world = Transform{turn, Vec3(0.0, kHalfLength + 0.01, 0.0) - turn * nearest};
    closed = coordinates(hand, wrapped);
    const CoordinateLimits limits = coordinate_limits(hand);
    open = Eigen::VectorXd::Zero(hand.dof());
    squeezed = closed;
    Eigen::VectorXd more = Eigen::VectorXd::Zero(hand.dof());
    for (int s = 0; s < hand.segment_count(); ++s) {
      const Segment& segment = hand.segments[s];
      if (segment.phalanx > 0 || segment.digit == Digit::kThumb) {
        set_angles(hand, s, options.squeeze, 0.0, more);
      }
      // A reaching hand opens wider than what it will hold, its fingers a little bent.
      if (segment.phalanx > 0) set_angles(hand, s, radians(10), 0.0, open);
      if (segment.phalanx == 0 && segment.digit == Digit::kThumb) {
        set_angles(hand, s, radians(-30), radians(30), open);
      }
    }
    squeezed = (squeezed + more).cwiseMax(limits.lower).cwiseMin(limits.upper);
    choose_retreat();
  }

  // Of all level directions, the one along which the open hand keeps clearest of the cylinder.
  void choose_retreat() {
    const Capsule held{{0.0, -1.0, 0.0}, {0.0, 1.0, 0.0}, kRadius};
    std::vector<PlacedCapsule> placed;
    placed_capsules(
        hand, segment_frames(hand, pose_from_coordinates(hand, wrapped.root_world, open)), placed);
    double best = -INFINITY;
    for (int i = 0; i < 72; ++i) {
      const double angle = 2.0 * kPi * i / 72;
      const Vec3 direction(std::cos(angle), 0.0, std::sin(angle));
      double clearance = INFINITY;
      for (int step = 1; step <= 12; ++step) {
        const Transform move = Transform::from_position(step / 12.0 * kRetreat * direction);
        for (const auto& [segment, capsule] : placed)
          clearance = std::min(clearance, distance(move * capsule, held));
      }
      if (clearance > best) {
        best = clearance;
        retreat_world = direction;
      }
    }
  }

  // Fractions of the reach, the lift, the tilt and the closing that are done.
  Timeline<double> reach = stretch(0.0, kArrived), lift = stretch(kClosed, kLifted),
                   tilt = stretch(kLifted, kTurned),
                   closing = stretch(0.9 * kArrived, kClosed - 0.1);

  Transform root(double time) const {
    Transform root = wrapped.root_world;
    // It stops short of touching: closing brings the cylinder into the palm.
    root.position += (kShort + (1.0 - reach.at(time)) * kRetreat) * retreat_world;
    root.position.y() += options.lift * lift.at(time);
    const Vec3 pivot(0.0, kHalfLength + options.lift, 0.0);
    const Quat turn = exp_map(options.tilt * tilt.at(time) * retreat_world);
    return {turn * root.rotation, pivot + turn * (root.position - pivot)};
  }

  HandPose target(double time) const {
    return pose_from_coordinates(hand, root(time), interpolate(open, squeezed, closing.at(time)));
  }
};

}  // namespace

Result<Clip> sample_grip(const HandPtr& hand, const SampleGripOptions& options,
                         const Monitor& monitor, physics::PhysicsInForce* in_force) {
  const auto wrap = make_posture(*hand, "wrap");
  if (!wrap) return wrap.error();
  const Choreography choreography(*hand, options, *wrap);
  auto cylinder = geometry::object_from_primitive("cylinder", ShapeKind::kCylinder,
                                                  {kRadius, kHalfLength, 0.0}, options.mass);
  if (!cylinder) return cylinder.error();
  auto table = geometry::object_from_primitive("table", ShapeKind::kBox, kTableHalf, 1.0);
  if (!table) return table.error();
  table->fixed = true;

  physics::HandSetup hand_setup;
  hand_setup.hand = hand;
  hand_setup.servo_stiffness = 3.0;
  // The engine gives a cylinder on a box one point to stand on, and on a plane a ring: the table's
  // top is a plane here and a box in the clip.
  const physics::ObjectSetup object_setup{std::make_shared<const Object>(*cylinder), nullptr,
                                          false};
  physics::WorldOptions world_options;
  world_options.floor_height = 0.0;
  world_options.timestep = kTimestep;
  world_options.noslip_iterations = 5;
  const auto world = physics::World::build({&hand_setup, 1}, {&object_setup, 1}, world_options);
  if (!world) return world.error();
  if (in_force) *in_force = physics::physics_in_force(**world);
  physics::State state(*world);
  state.set_object_pose(0, Transform::from_position({0.0, kHalfLength, 0.0}));
  state.set_hand_pose(0, choreography.target(0.0));

  physics::Recorder recorder(state, options.frame_rate);
  while (state.time() < kEnd && !monitor.stop.stop_requested()) {
    const HandPose target = choreography.target(state.time());
    state.set_root_target(0, target.root_world);
    state.set_servo_target(0, target);
    recorder.before_step(state);
    state.step();
    recorder.after_step(state);
    monitor.report(state.time() / kEnd, "simulated");
  }
  if (!state.healthy()) return Error{"the simulation of the sample grip came apart"};
  Clip clip = recorder.finish("grip");
  const Transform table_world = Transform::from_position({0.0, -kTableHalf.y(), 0.0});
  clip.objects.push_back({std::make_shared<const Object>(*table),
                          std::vector<Transform>(clip.frame_count(), table_world)});
  clip.floor_height.reset();
  for (auto& contacts : clip.contacts) {
    for (Contact& contact : contacts)
      if (contact.by.is_surroundings()) contact.by = ContactSide::object(1);
  }
  return clip;
}

}  // namespace prehend::hands
