#include "prehend/audit/tissue.h"

#include <algorithm>

namespace prehend::audit {

namespace {

// Palmar tissue of living people was pressed to half of its thickness without harm (Shojaeizadeh,
// Spartacus & Sparrey, "A Constitutive Model to Characterize In Vivo Human Palmar Tissue", J.
// Biomech. Eng. 2022): so far a firm grip may go, and no grip goes deeper. The thicknesses:
// Between the metacarpals 7.3 to 9.0 mm of muscle lie on the palmar side (sonography of 80 hands,
// "grip strength ... interosseous muscles", bmj 2011(2)): half of 8 mm.
constexpr double kPalm = 0.004;
// At the thumb's metacarpal there are 20.7 mm (the same). The muscle is that thick beside the bone
// and thinner over it: a third, not a half.
constexpr double kThumbBall = 0.007;
// A finger of 8 mm radius around a bone of 3 mm: half of 5 mm.
constexpr double kFinger = 0.0025;
// The back of hand and fingers: skin of about 2 mm right over bone and tendons; half of it.
constexpr double kBack = 0.001;

double palmar_give(const Segment& segment) {
  if (segment.phalanx > 0) return kFinger;
  return segment.digit == Digit::kThumb ? kThumbBall : kPalm;
}

}  // namespace

double tissue_give(const Segment& segment, const Vec3& out_segment) {
  // +Y is out of the back of the hand in every segment.
  const double palmar_share = std::clamp(0.5 * (1.0 - out_segment.y()), 0.0, 1.0);
  return kBack + palmar_share * (palmar_give(segment) - kBack);
}

double tissue_give(const Clip& clip, const ClipMoment& moment, const Contact& contact) {
  const auto give = [&](const ContactSide& side, const Vec3& out_world) {
    if (!side.is_hand()) return 0.0;
    const Segment& segment = clip.hands[side.index].hand->segments[side.segment];
    return tissue_give(segment, moment.frame_of(side).rotation.conjugate() * out_world);
  };
  // The normal is out of `on`, so the side `by` is pressed from the other way.
  return give(contact.on, contact.normal_world) + give(contact.by, -contact.normal_world);
}

}  // namespace prehend::audit
