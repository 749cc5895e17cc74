// The hand of ball joints that tests of hands and of controllers share.
#pragma once

#include "prehend/core/hand_builder.h"

namespace prehend {

inline Hand ball_hand(double length = 0.19) {
  HandOptions options;
  options.profile = HandProfile::kBall;
  options.size.length = length;
  return *build_hand(options);
}

}  // namespace prehend
