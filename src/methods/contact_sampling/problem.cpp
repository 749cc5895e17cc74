// Ye and Liu 2012, section 3: the input, and what of it cannot be worked with.
#include "prehend/methods/contact_sampling/problem.h"

#include <cmath>

#include <fmt/format.h>

#include "prehend/core/limits.h"

namespace prehend::contact_sampling {
namespace {

// The parabola that differentiates motion needs as many frames.
constexpr int kLeastFrames = 5;
// What is left of a unit quaternion's length after writing it with four digits.
constexpr double kUnitTolerance = 1e-3;

bool is_pose(const Transform& pose) {
  return all_finite(pose) && pose.position.norm() < kFarthest &&
         std::abs(pose.rotation.norm() - 1.0) < kUnitTolerance;
}

Status check_hand(const CapturedHand& captured, int index, int frames) {
  if (!captured.hand) return Error{fmt::format("hand {}: there is none", index + 1)};
  const Hand& hand = *captured.hand;
  if (static_cast<int>(captured.poses.size()) != frames)
    return Error{fmt::format("hand {}: {} frames, where the first hand has {}", hand.name,
                             captured.poses.size(), frames)};
  bool digits = false;
  for (const FingerPad& pad : hand.pads) digits = digits || pad.segment >= 0;
  if (!digits) return Error{fmt::format("hand {}: it has no digits", hand.name)};
  if (captured.rest.size() != 0 && captured.rest.size() != hand.dof())
    return Error{fmt::format("hand {}: the pose at rest has {} coordinates, the hand {}", hand.name,
                             captured.rest.size(), hand.dof())};
  for (int f = 0; f < frames; ++f) {
    const HandPose& pose = captured.poses[f];
    bool fine =
        is_pose(pose.root_world) && static_cast<int>(pose.rotations.size()) == hand.segment_count();
    for (const Quat& rotation : pose.rotations) {
      fine = fine && std::abs(rotation.norm() - 1.0) < kUnitTolerance;
    }
    if (!fine) return Error{fmt::format("hand {}: frame {} is not a pose", hand.name, f)};
  }
  return check_sizes(hand);
}

Status check_object(const Object& object) {
  if (!object.fixed && !(object.mass > 0.0))
    return Error{fmt::format("object {}: a mass above zero is needed", object.name)};
  if (!(object.friction >= 0.0))
    return Error{fmt::format("object {}: friction cannot be negative", object.name)};
  return check_sizes(object);
}

Status check_captured_object(const CapturedObject& captured, int index, int frames) {
  if (!captured.object) return Error{fmt::format("object {}: there is none", index + 1)};
  const Object& object = captured.object->object();
  if (static_cast<int>(captured.poses_world.size()) != frames)
    return Error{fmt::format("object {}: {} frames, where the hand has {}", object.name,
                             captured.poses_world.size(), frames)};
  for (int f = 0; f < frames; ++f) {
    if (!is_pose(captured.poses_world[f]))
      return Error{fmt::format("object {}: frame {} is not a pose", object.name, f)};
  }
  return check_object(object);
}

}  // namespace

int SamplingProblem::frame_count() const {
  return hands.empty() ? 0 : static_cast<int>(hands[0].poses.size());
}

Status validate(const SamplingProblem& problem) {
  if (problem.hands.empty()) return Error{"there is no hand to give fingers to"};
  if (problem.objects.empty()) return Error{"there is no object for the fingers to hold"};
  if (!(problem.frame_rate > 0.0) || !std::isfinite(problem.frame_rate))
    return Error{"the frame rate must be above zero"};
  const int frames = problem.frame_count();
  if (frames < kLeastFrames)
    return Error{
        fmt::format("{} frames are too few: motion needs at least {}", frames, kLeastFrames)};
  for (size_t h = 0; h < problem.hands.size(); ++h) {
    if (Status s = check_hand(problem.hands[h], static_cast<int>(h), frames); !s) return s;
  }
  for (size_t o = 0; o < problem.objects.size(); ++o) {
    if (Status s = check_captured_object(problem.objects[o], static_cast<int>(o), frames); !s)
      return s;
  }
  for (const FixedObject& fixed : problem.surroundings) {
    if (!fixed.object || !is_pose(fixed.pose_world))
      return Error{"one of the surroundings has no shape or no pose"};
  }
  return {};
}

}  // namespace prehend::contact_sampling
