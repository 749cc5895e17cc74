// The worst of each measure in one frame, with what is needed to name it later: small, since there
// is one for every frame.
#pragma once

#include <array>

#include "prehend/audit/finding.h"

namespace prehend::audit {

struct FrameFinding {
  double value = 0.0;
  ContactSide by, on;
  // Of penetration and slip: the contact's index among those found in the frame; of friction: among
  // those believed; of limits: the hand's coordinate.
  int detail = -1;

  void keep_worse(const FrameFinding& other) {
    if (other.value > value) *this = other;
  }
};

struct FrameFindings {
  std::array<FrameFinding, kMeasureCount> of;

  FrameFinding& operator[](Measure measure) { return of[static_cast<int>(measure)]; }
  const FrameFinding& operator[](Measure measure) const { return of[static_cast<int>(measure)]; }
};

}  // namespace prehend::audit
