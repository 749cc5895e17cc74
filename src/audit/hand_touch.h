// Where hands touch or enter each other and the floor.
#pragma once

#include <vector>

#include "prehend/core/clip.h"

namespace prehend::audit {

// A hand's capsules where it stands, and a ball around them all for a broad test.
struct PlacedHand {
  struct Part {
    Capsule capsule_world;
    int segment = 0;
  };
  std::vector<Part> parts;
  Vec3 center_world = Vec3::Zero();
  double radius = 0.0;
};
PlacedHand place_hand(const Hand& hand, const std::vector<Transform>& segments_world);

// Contacts of two hands, on the first: one for each pair of segments that come within `reach`,
// where they are nearest.
void hand_contacts(const PlacedHand& first, int first_index, const PlacedHand& second,
                   int second_index, const ClipMoment& moment, double reach,
                   std::vector<Contact>& contacts);

// Contacts of a hand with a level floor: one for each segment within `reach`, at its lowest point.
void hand_floor_contacts(const PlacedHand& hand, int index, const ClipMoment& moment, double height,
                         double reach, std::vector<Contact>& contacts);

}  // namespace prehend::audit
