#include <fmt/format.h>

#include "prehend/core/hand_builder.h"
#include "prehend/methods/example_control/fit.h"

namespace prehend::example_control {

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
  HandOptions options;
  options.profile = HandProfile::kBall;
  options.side = hand.side;
  options.size.length = hand.length;
  options.name = hand.name;
  auto ball = build_hand(options);
  if (!ball) return ball.error();
  HandTrack made{std::make_shared<const Hand>(std::move(*ball)), {}};
  made.poses.reserve(track.poses.size());
  for (const HandPose& pose : track.poses) made.poses.push_back(retarget(hand, pose, *made.hand));
  return made;
}

}  // namespace prehend::example_control
