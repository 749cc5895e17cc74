// Kry and Pai 2006, sections 3.2 and 6.1: motion and force brought together.
// Implements: eq. 2 and 4 (torques of the joints from contact forces).
// Beyond:     clocks that do not agree; clips with forces as captures.
#include "prehend/methods/interaction/capture.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "prehend/core/hand_kinematics.h"
#include "prehend/core/smooth.h"

namespace prehend::interaction {
namespace {

// The channel's force and point at a time, between samples; zero outside.
struct ForceNow {
  Vec3 force_world = Vec3::Zero(), point_segment = Vec3::Zero();
};
ForceNow force_at(const ForceChannel& channel, double time) {
  const double at = (time - channel.start) * channel.rate;
  const int last = static_cast<int>(channel.forces_world.size()) - 1;
  if (at < 0.0 || at > last) return {};
  const int before = std::min(static_cast<int>(at), last), after = std::min(before + 1, last);
  const double share = at - before;
  const Vec3 &f0 = channel.forces_world[before], &f1 = channel.forces_world[after];
  // A sample without force has no place of its own.
  const Vec3 p0 = channel.points_segment[f0.isZero() ? after : before];
  const Vec3 p1 = channel.points_segment[f1.isZero() ? before : after];
  return {(1.0 - share) * f0 + share * f1, (1.0 - share) * p0 + share * p1};
}

// How fast each frame's joint velocities change, summed over the joints that bear forces.
Eigen::VectorXd joint_jerks(const Capture& capture) {
  const int frames = capture.frame_count();
  Eigen::MatrixXd angles(frames, capture.hand->dof());
  for (int f = 0; f < frames; ++f) angles.row(f) = capture.coordinates[f].transpose();
  const Smoothed smoothed = smooth(angles, capture.frame_rate, 0.01);
  return smoothed.second.rowwise().norm();
}

Eigen::VectorXd force_changes(const Capture& capture) {
  const int frames = capture.frame_count();
  Eigen::MatrixXd forces = Eigen::MatrixXd::Zero(frames, 1);
  for (int f = 0; f < frames; ++f)
    for (const ForceChannel& channel : capture.channels)
      forces(f, 0) += force_at(channel, f / capture.frame_rate).force_world.norm();
  return smooth(forces, capture.frame_rate, 0.01).first.cwiseAbs();
}

}  // namespace

Status validate(const Capture& capture) {
  if (!capture.hand || capture.coordinates.empty())
    return Error{"the capture has forces and no motion; give joint angles (BVH, CSV or GLB)"};
  if (capture.channels.empty())
    return Error{
        "the capture has motion and no forces; give a CSV of forces, or --estimate-forces"};
  if (capture.roots_world.size() != capture.coordinates.size())
    return Error{"the capture needs one root a frame"};
  bool overlap = false;
  for (const ForceChannel& channel : capture.channels) {
    if (channel.segment < 0 || channel.segment >= capture.hand->segment_count() ||
        channel.forces_world.size() != channel.points_segment.size() ||
        channel.forces_world.empty() || !(channel.rate > 0.0))
      return Error{"a force channel of the capture is not whole"};
    for (const Vec3& force : channel.forces_world)
      if (!force.allFinite()) return Error{"a force of the capture is not a number"};
    overlap |= channel.start < capture.duration() && channel.end() > 0.0;
  }
  if (!overlap)
    return Error{
        fmt::format("motion (0 to {:.2f} s) and forces ({:.2f} to {:.2f} s) do not overlap",
                    capture.duration(), capture.channels[0].start, capture.channels[0].end())};
  return {};
}

std::optional<double> clock_offset(const Capture& capture, double most) {
  if (capture.frame_count() < 10) return {};
  Eigen::VectorXd jerks = joint_jerks(capture), changes = force_changes(capture);
  jerks.array() -= jerks.mean();
  changes.array() -= changes.mean();
  if (jerks.norm() < 1e-9 || changes.norm() < 1e-9) return {};
  const int frames = capture.frame_count();
  const int reach = std::min(frames / 2, static_cast<int>(std::lround(most * capture.frame_rate)));
  int best = 0;
  double highest = -HUGE_VAL;
  for (int shift = -reach; shift <= reach; ++shift) {
    const int from = std::max(0, -shift), count = frames - std::abs(shift);
    const double product = jerks.segment(from + shift, count).dot(changes.segment(from, count));
    if (product > highest) {
      highest = product;
      best = shift;
    }
  }
  return best / capture.frame_rate;
}

void shift_forces(Capture& capture, double seconds) {
  for (ForceChannel& channel : capture.channels) channel.start += seconds;
}

Eigen::MatrixXd contact_torques(const Capture& capture) {
  const Hand& hand = *capture.hand;
  HandKinematics kinematics(hand);
  Eigen::MatrixXd torques = Eigen::MatrixXd::Zero(6 + hand.dof(), capture.frame_count());
  Eigen::Matrix<double, 3, Eigen::Dynamic> jacobian(3, 6 + hand.dof());
  for (int f = 0; f < capture.frame_count(); ++f) {
    kinematics.update(capture.roots_world[f], capture.coordinates[f]);
    for (const ForceChannel& channel : capture.channels) {
      const ForceNow now = force_at(channel, f / capture.frame_rate);
      if (now.force_world.isZero()) continue;
      kinematics.point_jacobian(channel.segment,
                                kinematics.frames_world()[channel.segment] * now.point_segment,
                                jacobian);
      torques.col(f) += jacobian.transpose() * now.force_world;
    }
    const Quat back = capture.roots_world[f].rotation.conjugate();
    torques.col(f).head<3>() = (back * torques.col(f).head<3>()).eval();
    torques.col(f).segment<3>(3) = (back * torques.col(f).segment<3>(3)).eval();
  }
  return torques;
}

Result<Capture> capture_of(const Clip& clip, int hand) {
  if (hand < 0 || hand >= static_cast<int>(clip.hands.size()))
    return Error{"the clip has no such hand"};
  Capture capture;
  capture.name = clip.name;
  capture.hand = clip.hands[hand].hand;
  capture.frame_rate = clip.frame_rate;
  for (const HandPose& pose : clip.hands[hand].poses) {
    capture.roots_world.push_back(pose.root_world);
    capture.coordinates.push_back(coordinates(*capture.hand, pose));
  }
  for (const ObjectTrack& track : clip.objects)
    capture.objects.push_back({track.object, track.poses_world[0]});
  if (!clip.forces_recorded) return capture;
  std::vector<int> channel_of(capture.hand->segment_count(), -1);
  std::vector<Transform> frames(capture.hand->segment_count());
  for (int f = 0; f < clip.frame_count(); ++f) {
    segment_frames(*capture.hand, clip.hands[hand].poses[f], frames);
    std::vector<double> weights(capture.channels.size(), 0.0);
    for (const Contact& contact : clip.contacts[f]) {
      if (!contact.by.is_hand(hand) || !contact.on.is_object() || contact.force_world.norm() < 1e-9)
        continue;
      const int segment = contact.by.segment;
      if (channel_of[segment] < 0) {
        channel_of[segment] = static_cast<int>(capture.channels.size());
        ForceChannel& made = capture.channels.emplace_back();
        made.segment = segment;
        made.rate = clip.frame_rate;
        made.points_segment.assign(clip.frame_count(), Vec3::Zero());
        made.forces_world.assign(clip.frame_count(), Vec3::Zero());
        weights.push_back(0.0);
      }
      const int c = channel_of[segment];
      const Vec3 point = frames[segment].inverse() *
                         (clip.objects[contact.on.index].poses_world[f] * contact.point_on);
      const double weight = contact.force_world.norm();
      ForceChannel& channel = capture.channels[c];
      channel.forces_world[f] -= contact.force_world;
      channel.points_segment[f] =
          (weights[c] * channel.points_segment[f] + weight * point) / (weights[c] + weight);
      weights[c] += weight;
    }
  }
  return capture;
}

}  // namespace prehend::interaction
