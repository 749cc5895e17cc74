// Balls whose size or rotation a recording leaves out: markers on it are hidden by the hands, so
// that often only its center is known.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "prehend/core/clip.h"

namespace prehend::jobs {

// A ball that rests on the floor (y = 0) shows its radius by its height. Left as it is where that
// makes no ball to hold.
void size_ball_by_rest(ObjectTrack& ball, std::vector<std::string>& notes);

// Turns the ball with the hands that carry it: the skin near the ball and the ball's surface move
// alike, in the least-squares sense over the hands. On the floor it does not turn.
void turn_ball_with_hands(std::span<const HandTrack> hands, ObjectTrack& ball, double frame_rate,
                          std::vector<std::string>& notes);

}  // namespace prehend::jobs
