#include "prehend/physics/grasp_proof.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace prehend::physics {
namespace {

constexpr int kHand = 0, kObject = 0;
constexpr double kTurnRadius = 0.05;  // m, that makes a speed of a turn

const std::array<Vec3, 6>& push_directions() {
  static const std::array<Vec3, 6> kDirections = {Vec3::UnitX(),  -Vec3::UnitX(), Vec3::UnitY(),
                                                  -Vec3::UnitY(), Vec3::UnitZ(),  -Vec3::UnitZ()};
  return kDirections;
}

}  // namespace

Hand with_strength(const Hand& hand, double fingertip_force) {
  Hand strong = hand;
  const std::vector<Transform> frames = segment_frames(hand, rest_pose(hand));
  for (int s = 0; s < strong.segment_count(); ++s) {
    Segment& segment = strong.segments[s];
    double reach = 0.0;
    for (int d = 0; d < kDigitCount; ++d) {
      const FingerPad& pad = hand.pads[d];
      if (pad.segment < 0 || (segment.digit != Digit::kNone && segment.digit != kDigits[d]))
        continue;
      reach = std::max(reach, (frames[pad.segment] * pad.tip - frames[s].position).norm());
    }
    for (Joint& joint : segment.joints) {
      if (joint.max_torque <= 0.0) joint.max_torque = fingertip_force * reach;
    }
  }
  return strong;
}

GraspServos grasp_servos(const Hand& hand, const GraspProofOptions& options) {
  GraspServos servos;
  servos.setup.hand = std::make_shared<const Hand>(with_strength(hand));
  servos.setup.root = RootMotion::kFixed;
  servos.setup.servo_time = 0.015;
  const int dof = hand.dof();
  for (Eigen::VectorXd* values : {&servos.stiffness, &servos.max_torque, &servos.overshoot}) {
    values->resize(dof);
  }
  int next = 0;
  for (const Segment& segment : servos.setup.hand->segments) {
    for (const Joint& joint : segment.joints) {
      const double stiffness = joint.max_torque / options.servo_range;
      servos.setup.servo_stiffness_of_joints.push_back(stiffness);
      servos.stiffness.segment(next, joint.dof()).setConstant(stiffness);
      servos.max_torque.segment(next, joint.dof()).setConstant(joint.max_torque);
      servos.overshoot.segment(next, joint.dof())
          .setConstant(1.0 + joint.passive_stiffness / stiffness);
      next += joint.dof();
    }
  }
  return servos;
}

Result<std::shared_ptr<const GraspProver>> GraspProver::build(
    HandPtr hand, ObjectPtr object, std::shared_ptr<const geometry::SignedDistance> distance,
    const GraspProofOptions& options) {
  auto prover = std::make_shared<GraspProver>();
  prover->options_ = options;
  prover->servos_ = grasp_servos(*hand, options);
  const ObjectSetup object_setup{std::move(object), std::move(distance), false};
  WorldOptions world_options;
  world_options.gravity = Vec3::Zero();
  world_options.timestep = options.timestep;
  world_options.max_contacts = 60;
  world_options.contact_solver = options.solver;
  auto world = World::build({&prover->servos_.setup, 1}, {&object_setup, 1}, world_options);
  if (!world) return world.error();
  prover->world_ = std::move(*world);
  return std::shared_ptr<const GraspProver>(std::move(prover));
}

// Pulls the servos from one pose to another over one phase.
bool GraspProver::follow(State& state, const GraspTargetPose& from, const GraspTargetPose& to,
                         bool smooth) const {
  Eigen::VectorXd target(from.coordinates.size());
  for (int i = 0; i < options_.phase_steps; ++i) {
    const double time = (i + 1.0) / options_.phase_steps;
    const double fraction = smooth ? minimum_jerk(time) : time;
    target = from.coordinates + fraction * (to.coordinates - from.coordinates);
    target.array() *= servos_.overshoot.array();
    state.set_root_target(kHand, interpolate(from.root, to.root, fraction));
    state.set_servo_target(kHand, target);
    state.step();
  }
  return state.healthy();
}

GraspProof GraspProver::prove(State& state, const GraspPlan& plan) const {
  GraspProof proof;
  state.reset();
  state.set_hand(kHand, plan.root_object, plan.grasp);
  state.evaluate();
  proof.penetration = state.max_penetration(kObject);
  if (proof.penetration > options_.max_penetration) {
    proof.reason = "the grasp lies inside the object";
    return proof;
  }
  proof.held = close(state, plan, proof) && push(state, proof);
  return proof;
}

bool GraspProver::close(State& state, const GraspPlan& plan, GraspProof& proof) const {
  state.reset();
  state.set_hand(kHand, plan.pregrasp_root, plan.pregrasp);
  const GraspTargetPose pregrasp{plan.pregrasp_root, plan.pregrasp};
  const GraspTargetPose grasp{plan.root_object, plan.grasp};
  const GraspTargetPose squeeze{plan.root_object, plan.squeeze};
  if (!follow(state, pregrasp, pregrasp, false) || !follow(state, pregrasp, grasp, true) ||
      !follow(state, grasp, squeeze, false)) {
    proof.reason = "the simulation came apart";
    return false;
  }
  state.contacts(proof.contacts);
  for (const Contact& contact : proof.contacts) {
    proof.grip_force -= contact.force_world.dot(contact.normal_world);
  }
  const bool lost = moved_too_far(state.object_pose(kObject), proof);
  proof.closing_displacement = proof.displacement;
  proof.closing_rotation = proof.rotation;
  if (lost) {
    proof.reason = "the object was lost while closing";
    return false;
  }
  return true;
}

bool GraspProver::push(State& state, GraspProof& proof) const {
  const double force = options_.push_per_mass * world_->object(kObject).mass;
  for (const Vec3& direction : push_directions()) {
    if (push_along(state, force * direction, proof)) continue;
    proof.reason =
        state.healthy() ? "the object was pushed out of the hand" : "the simulation came apart";
    return false;
  }
  return true;
}

bool GraspProver::push_along(State& state, const Vec3& force, GraspProof& proof) const {
  const int steps = static_cast<int>(std::lround(options_.push_seconds / options_.timestep));
  const int window =
      std::max(1, static_cast<int>(std::lround(options_.rest_seconds / options_.timestep)));
  state.set_object_wrench(kObject, {force, Vec3::Zero()});
  Transform before = state.object_pose(kObject);
  for (int i = 1; i <= steps; ++i) {
    state.step();
    const Transform pose = state.object_pose(kObject);
    if (moved_too_far(pose, proof)) return false;
    if (i % window != 0 || options_.rest_speed <= 0.0) continue;
    const double moved = (pose.position - before.position).norm() +
                         kTurnRadius * angle_between(pose.rotation, before.rotation);
    const double windows_left = static_cast<double>(steps - i) / window;
    if (moved < options_.rest_speed * options_.rest_seconds) {
      const Vec3 turn = log_map(pose.rotation * before.rotation.conjugate());
      const Transform later{exp_map(windows_left * turn) * pose.rotation,
                            pose.position + windows_left * (pose.position - before.position)};
      return !moved_too_far(later, proof) && state.healthy();
    }
    before = pose;
  }
  return state.healthy();
}

bool GraspProver::moved_too_far(const Transform& pose, GraspProof& proof) const {
  const Vec3& center = world_->object(kObject).center_of_mass;
  const double displacement = (pose * center - center).norm();
  const double rotation = angle_between(Quat::Identity(), pose.rotation);
  proof.displacement = std::max(proof.displacement, displacement);
  proof.rotation = std::max(proof.rotation, rotation);
  return !(displacement < options_.max_displacement && rotation < options_.max_rotation);
}

}  // namespace prehend::physics
