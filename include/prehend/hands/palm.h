// The palm of a hand: where it is, and how far it is from what it reaches for.
#pragma once

#include <span>
#include <vector>

#include "prehend/core/hand_pose.h"
#include "prehend/geometry/signed_distance.h"

namespace prehend::hands {

// Segments of the palm: the wrist's and the fingers' metacarpals.
std::vector<int> palm_segments(const Hand& hand);

// Where the palm is: its frame is the wrist's, moved to the middle of the palm's skin, so that -Y
// points away from it, towards what is grasped, and -Z along the fingers.
Transform palm_in_wrist(const Hand& hand);

// Gap between the nearest of these segments and an object; negative by the overlap.
double gap_to_object(const Hand& hand, std::span<const int> segments,
                     std::span<const Transform> frames_world, const Transform& object_world,
                     const geometry::SignedDistance& distance);
// Nearly the same, for segments centimeters away: of each capsule only the ends and the middle are
// looked at, one of which is then all but the nearest.
double far_gap_to_object(const Hand& hand, std::span<const int> segments,
                         std::span<const Transform> frames_world, const Transform& object_world,
                         const geometry::ExactDistance& distance);
// And between two hands' segments.
double gap_to_hand(const Hand& hand, std::span<const int> segments,
                   std::span<const Transform> frames_world, const Hand& other,
                   std::span<const int> other_segments,
                   std::span<const Transform> other_frames_world);

}  // namespace prehend::hands
