#include "io/rig_hand.h"

#include <algorithm>
#include <cmath>

#include "io/rig_hand_builder.h"

namespace prehend::io {
namespace {

constexpr double kAdultLength = 0.185;  // m from wrist to middle fingertip

}  // namespace

double guess_unit(double length) {
  struct Candidate {
    double meters;
    double doubt;
  };
  // Inches are rare, so they must fit clearly better.
  constexpr Candidate kCandidates[] = {
      {1.0, 0.0}, {0.1, 0.0}, {0.01, 0.0}, {0.001, 0.0}, {0.0254, 0.35}};
  double best = 0.0, best_misfit = std::log(0.30 / kAdultLength);
  for (const Candidate& candidate : kCandidates) {
    const double misfit =
        std::abs(std::log(length * candidate.meters / kAdultLength)) + candidate.doubt;
    // A child's hand of 0.09 m is farther off on this scale than any adult's.
    const double allowed = length * candidate.meters < kAdultLength ? misfit * 0.66 : misfit;
    if (allowed < best_misfit) {
      best_misfit = allowed;
      best = candidate.meters;
    }
  }
  return best;
}

Result<RigHandModel> RigHandModel::build(const RigMotion& motion, RigHand mapped,
                                         double meters_per_unit, UpAxis up,
                                         const std::string& name) {
  return RigHandBuilder(motion, std::move(mapped), meters_per_unit, up, name).build();
}

Transform RigHandModel::to_world(const Transform& frame_rig) const {
  return {up_ * frame_rig.rotation, up_ * frame_rig.position * meters_per_unit_};
}

Transform RigHandModel::in_rig(const Transform& segment_world) const {
  const Quat down = up_.conjugate();
  return {down * segment_world.rotation, down * segment_world.position / meters_per_unit_};
}

HandPose RigHandModel::pose(std::span<const Transform> frames_rig) const {
  HandPose pose = rest_pose(*hand_);
  std::vector<Transform> frames(hand_->segments.size());
  for (std::size_t s = 0; s < frames.size(); ++s) {
    const Segment& segment = hand_->segments[s];
    const Link& link = links_[s];
    Quat rotation = Quat::Identity();
    if (link.rig_joint >= 0) {
      const Transform carrier = to_world(frames_rig[link.rig_joint]);
      rotation = carrier.rotation * link.segment_rotation_rig;
      if (segment.parent < 0) frames[s].position = carrier.position;
    }
    if (segment.parent >= 0) {
      const Transform& parent = frames[segment.parent];
      frames[s].position = parent * segment.rest_parent.position;
      if (link.rig_joint < 0) rotation = parent.rotation * segment.rest_parent.rotation;
    }
    if (link.aim_rig_joint >= 0) {
      const Vec3 target = to_world(frames_rig[link.aim_rig_joint]).position;
      rotation =
          Quat::FromTwoVectors(rotation * -Vec3::UnitZ(), target - frames[s].position) * rotation;
    }
    frames[s].rotation = rotation.normalized();
    if (segment.parent < 0) {
      pose.root_world = frames[s];
      pose.rotations[s] = Quat::Identity();
    } else {
      pose.rotations[s] = (frames[segment.parent].rotation.conjugate() * rotation).normalized();
    }
  }
  return pose;
}

double RigHandModel::residual(std::span<const Transform> frames_rig) const {
  const auto frames = segment_frames(*hand_, pose(frames_rig));
  double worst = 0.0;
  for (std::size_t s = 0; s < frames.size(); ++s) {
    const Link& link = links_[s];
    if (link.rig_joint < 0 || link.aim_rig_joint >= 0) continue;
    worst = std::max(worst,
                     (frames[s].position - to_world(frames_rig[link.rig_joint]).position).norm());
  }
  return worst;
}

}  // namespace prehend::io
