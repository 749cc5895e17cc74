// Beyond the paper: captured hands of other joints, made into the ball-jointed one that controllers
// move.
#include <algorithm>

#include <fmt/format.h>

#include "prehend/core/hand_builder.h"
#include "prehend/methods/example_control/fit.h"

namespace prehend::example_control {
namespace {

constexpr double kShortestBone = 0.005;  // m: less is a joint that the rig lacks

// Whether every segment but the wrist turns as a ball, and none is missing: the hand of a rig is.
bool is_ball_hand(const Hand& hand) {
  const auto moves = [](const Segment& segment) {
    return segment.joints.size() == 1 && segment.joints[0].type == JointType::kBall;
  };
  if (hand.wrist() != 0) return false;
  for (int j = 1; j < kXrJointCount; ++j)
    if (hand.xr_segments[j] <= 0 || !moves(hand.segments[hand.xr_segments[j]])) return false;
  return std::all_of(hand.segments.begin() + 1, hand.segments.end(), moves);
}

// Bones as long as the hand's own, at rest.
HandSize size_of(const Hand& hand) {
  HandSize size;
  size.length = hand.length;
  size.breadth = hand.breadth;
  const auto joints = xr_frames(hand, rest_pose(hand));
  for (const Digit digit : kDigits) {
    for (int phalanx = 1; phalanx <= 3; ++phalanx) {
      if (digit == Digit::kThumb && phalanx == 2) continue;
      const int from = xr_joint_of(digit, phalanx);
      const int to = digit == Digit::kThumb && phalanx == 1 ? xr_joint_of(digit, 3)
                                                            : xr_joint_of(digit, phalanx + 1);
      const double length = (joints[to].position - joints[from].position).norm();
      if (length > kShortestBone)
        size.segment_lengths[static_cast<std::size_t>(digit)][phalanx] = length;
    }
  }
  return size;
}

}  // namespace

Result<HandTrack> as_ball_hand(const HandTrack& track) {
  const Hand& hand = *track.hand;
  for (int j = 0; j < kXrJointCount; ++j) {
    const std::string_view name = xr_joint_names()[j];
    // Rigs often lack the fingers' metacarpals, which hardly move.
    const bool spare = name.ends_with("-metacarpal") && !name.starts_with("thumb");
    if (hand.xr_segments[j] < 0 && !spare)
      return Error{fmt::format("hand '{}' lacks the joint {}: a controller needs all five digits",
                               hand.name, name)};
  }
  if (is_ball_hand(hand)) return track;
  HandOptions options;
  options.profile = HandProfile::kBall;
  options.side = hand.side;
  options.size.length = hand.length;
  if (hand.profile == "custom") options.size = size_of(hand);
  options.name = hand.name;
  auto ball = build_hand(options);
  if (!ball) return ball.error();
  HandTrack made{std::make_shared<const Hand>(std::move(*ball)), {}};
  made.poses.reserve(track.poses.size());
  for (const HandPose& pose : track.poses) made.poses.push_back(retarget(hand, pose, *made.hand));
  return made;
}

}  // namespace prehend::example_control
