#include "prehend/hands/palm.h"

#include <algorithm>
#include <array>
#include <limits>

#include "prehend/geometry/capsule_contacts.h"

namespace prehend::hands {
namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();

}  // namespace

std::vector<int> palm_segments(const Hand& hand) {
  std::vector<int> segments;
  for (int s = 0; s < hand.segment_count(); ++s) {
    const Segment& segment = hand.segments[s];
    const bool metacarpal = segment.phalanx == 0 && segment.digit != Digit::kThumb;
    if (s == hand.wrist() || metacarpal) segments.push_back(s);
  }
  return segments;
}

Transform palm_in_wrist(const Hand& hand) {
  HandPose rest = rest_pose(hand);
  place_wrist(hand, Transform::Identity(), rest);
  const auto xr = xr_frames(hand, rest);
  const Vec3 knuckle = xr[xr_joint_of(Digit::kMiddle, 1)].position;
  // Half as thick as the hand's capsules are there.
  const double thickness = 0.075 * hand.length;
  return {Quat::Identity(), 0.72 * knuckle - thickness * Vec3::UnitY()};
}

double gap_to_object(const Hand& hand, std::span<const int> segments,
                     std::span<const Transform> frames_world, const Transform& object_world,
                     const geometry::SignedDistance& distance) {
  double least = kFar;
  const Transform object_from_world = object_world.inverse();
  std::array<geometry::FieldContact, geometry::kMaxFieldContacts> places;
  for (int s : segments) {
    const Transform frame = object_from_world * frames_world[s];
    for (const Capsule& own : hand.segments[s].capsules) {
      const Capsule capsule = frame * own;
      // No point of it is nearer than its middle by more than half its length.
      const double half = 0.5 * (capsule.b - capsule.a).norm() + capsule.radius;
      if (distance.sample(0.5 * (capsule.a + capsule.b)).distance - half > least) continue;
      const int found = geometry::capsule_field_contacts(distance, capsule, kFar, places);
      for (int i = 0; i < found; ++i) least = std::min(least, places[i].gap);
    }
  }
  return least;
}

double far_gap_to_object(const Hand& hand, std::span<const int> segments,
                         std::span<const Transform> frames_world, const Transform& object_world,
                         const geometry::ExactDistance& distance) {
  double least = kFar;
  const Transform object_from_world = object_world.inverse();
  for (int s : segments) {
    const Transform frame = object_from_world * frames_world[s];
    for (const Capsule& own : hand.segments[s].capsules) {
      const Capsule capsule = frame * own;
      const Vec3 middle = 0.5 * (capsule.a + capsule.b);
      const geometry::DistanceSample known = distance.sample(middle);
      least = std::min(least, known.distance - own.radius);
      if (known.distance - own.radius - 0.5 * (capsule.b - capsule.a).norm() > least) continue;
      for (const Vec3& end : {capsule.a, capsule.b})
        least = std::min(least, distance.sample_beside(end, middle, known).distance - own.radius);
    }
  }
  return least;
}

double gap_to_hand(const Hand& hand, std::span<const int> segments,
                   std::span<const Transform> frames_world, const Hand& other,
                   std::span<const int> other_segments,
                   std::span<const Transform> other_frames_world) {
  double least = kFar;
  for (int s : segments) {
    for (const Capsule& capsule : hand.segments[s].capsules) {
      const Capsule mine = frames_world[s] * capsule;
      for (int o : other_segments) {
        for (const Capsule& theirs : other.segments[o].capsules)
          least = std::min(least, prehend::distance(mine, other_frames_world[o] * theirs));
      }
    }
  }
  return least;
}

}  // namespace prehend::hands
