// Which recorded forces are believed: those at whose place both sides really are.
#pragma once

#include <optional>
#include <vector>

#include "audit/frame_finding.h"
#include "audit/touch.h"
#include "prehend/core/clip.h"

namespace prehend::audit {

// What is there to push, and how far from a surface a force may act and still be its.
struct Presence {
  const Clip& clip;
  const std::vector<Probe>& probes;  // of the clip's objects
  std::optional<double> floor_height;
  double floating_distance = 0.0;
};

// Why a recorded force is left out.
enum class Belief {
  kBelieved,
  kFloating,  // one of its two sides is not there
  kUnseen,    // it comes from surroundings of which the clip shows nothing there
};
Belief judge_contact(const Presence& presence, const ClipMoment& moment, const Contact& contact);

// The same contact as the other side feels it.
Contact opposite(const Contact& contact, const ClipMoment& moment);

// Newton's third law among recorded forces, in newtons: where a and b both are recorded as pushed
// by the other, the two sums must cancel; this is the largest remainder, over the weight of the
// lighter one. A pair recorded from one side only obeys it by definition.
FrameFinding third_law_violation(const Clip& clip, const std::vector<Contact>& contacts);

// Contacts between two objects that only one of them has, given to the other as well.
void add_reactions(const ClipMoment& moment, std::vector<Contact>& contacts);

}  // namespace prehend::audit
