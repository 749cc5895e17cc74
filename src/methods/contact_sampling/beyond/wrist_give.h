// Beyond the paper: captured wrists are off by a centimeter or two. Within a bound the wrist moves
// to where the hand can hold the object, and keeps still against it while it does.
#pragma once

#include <vector>

#include "methods/contact_sampling/scene.h"

namespace prehend::contact_sampling {

// The wrist against the object during a hold.
struct CalmWrist {
  WristGive give;                       // the bounds; none of a rigid wrist
  std::vector<Transform> wrist_object;  // one a frame of the hold
  bool still = false;                   // all alike
  // What of the bounds is left for a grasp's own offset.
  double shift_left = 0.0;
  double turn_left = 0.0;
};

// Still against the object if the bounds allow it; else the way within the bounds that moves least
// against the object, as a string drawn tight through a tube around the captured one,
// which is lifted off the object first where its palm is inside. held_wrist keeps offsets from it
// within the bounds too.
CalmWrist calm_wrist(const Scene& scene, const Hold& hold, int hand, const WristGive& give);

// Where the wrist stands at a frame of the hold, given its offset in its own frame.
Transform held_wrist(const Scene& scene, const Hold& hold, int hand, const CalmWrist& calm,
                     const Transform& offset, int frame);

// The wrist of the whole clip: as held in holds, faded to the captured one around them.
struct HeldWrist {
  FrameRange frames;
  std::vector<Transform> wrist_world;  // one a frame of `frames`
  double most_shift = 0.0;             // m that the wrist may be away from the captured one
};
std::vector<Transform> faded_wrist(const Scene& scene, int hand,
                                   const std::vector<HeldWrist>& held);

}  // namespace prehend::contact_sampling
