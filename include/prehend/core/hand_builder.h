// The parametric human hand: from length and breadth, or from every segment length.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "prehend/core/hand.h"
#include "prehend/core/result.h"

namespace prehend {

// Same skeleton, bodies and names; what differs is what may move.
enum class HandProfile {
  kBall,        // 19 ball joints: 57 degrees of freedom
  kAnatomical,  // 6 hinges a digit: 30, below a free wrist
  kArm,         // fixed shoulder, 8 arm and 27 hand hinges
};
const char* to_string(HandProfile profile);

struct HandSize {
  // Wrist crease to the tip of the middle finger. 0.19 m: an average man's.
  double length = 0.19;
  // Across the metacarpal heads; 0 means the average 0.44 of the length.
  double breadth = 0.0;
  // Metacarpal, proximal, intermediate, distal of each digit from the thumb on (a thumb's
  // intermediate is not read); entries left empty follow the length.
  std::array<std::array<std::optional<double>, 4>, kDigitCount> segment_lengths;
};

struct HandOptions {
  HandProfile profile = HandProfile::kAnatomical;
  Side side = Side::kRight;
  HandSize size;
  std::string name;  // empty: "right" or "left"
};

// Fails on sizes outside a living human's (length 0.05 to 0.30 m) or inconsistent segment lengths.
Result<Hand> build_hand(const HandOptions& options = {});

// The other hand, exactly.
Hand mirrored(const Hand& hand);

}  // namespace prehend
