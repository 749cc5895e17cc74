#include "audit/hand_touch.h"

#include <algorithm>

namespace prehend::audit {

namespace {

// Adds a contact, or keeps the deeper of it and the last one if both are of the same two sides:
// a segment may have several capsules.
void keep_deepest(const Contact& contact, size_t from, std::vector<Contact>& contacts) {
  const auto same =
      std::find_if(contacts.begin() + static_cast<std::ptrdiff_t>(from), contacts.end(),
                   [&](const Contact& known) { return known.between(contact.by, contact.on); });
  if (same == contacts.end()) {
    contacts.push_back(contact);
  } else if (contact.gap < same->gap) {
    *same = contact;
  }
}

}  // namespace

PlacedHand place_hand(const Hand& hand, const std::vector<Transform>& segments_world) {
  PlacedHand placed;
  Vec3 lower = Vec3::Constant(INFINITY), upper = -lower;
  for (int s = 0; s < hand.segment_count(); ++s) {
    for (const Capsule& capsule : hand.segments[s].capsules) {
      const Capsule here = segments_world[s] * capsule;
      placed.parts.push_back({here, s});
      for (const Vec3& end : {here.a, here.b}) {
        lower = lower.cwiseMin(end - Vec3::Constant(here.radius));
        upper = upper.cwiseMax(end + Vec3::Constant(here.radius));
      }
    }
  }
  if (placed.parts.empty()) return placed;
  placed.center_world = 0.5 * (lower + upper);
  placed.radius = 0.5 * (upper - lower).norm();
  return placed;
}

void hand_contacts(const PlacedHand& first, int first_index, const PlacedHand& second,
                   int second_index, const ClipMoment& moment, double reach,
                   std::vector<Contact>& contacts) {
  const double apart = (first.center_world - second.center_world).norm();
  if (!(apart <= first.radius + second.radius + reach)) return;
  const size_t from = contacts.size();
  for (const PlacedHand::Part& mine : first.parts) {
    const Capsule& a = mine.capsule_world;
    // Nothing of the other hand can be nearer to this capsule than its ball is.
    const Capsule ball{second.center_world, second.center_world, second.radius};
    if (distance(a, ball) > reach) continue;
    for (const PlacedHand::Part& theirs : second.parts) {
      const Capsule& b = theirs.capsule_world;
      const LinePair nearest = closest_on_lines(a.a, a.b, b.a, b.b);
      const double gap = nearest.distance - a.radius - b.radius;
      if (!(gap <= reach)) continue;
      const Vec3 on_a = a.a + nearest.first * (a.b - a.a);
      const Vec3 on_b = b.a + nearest.second * (b.b - b.a);
      // Axes that cross have no direction between them: any normal to the first is as good.
      const Vec3 out = nearest.distance > 1e-9 ? Vec3((on_b - on_a) / nearest.distance)
                                               : any_orthogonal(a.b - a.a);
      Contact contact;
      contact.by = ContactSide::hand(second_index, theirs.segment);
      contact.on = ContactSide::hand(first_index, mine.segment);
      contact.point_on = moment.frame_of(contact.on).inverse() * (on_a + a.radius * out);
      contact.normal_world = out;
      contact.gap = gap;
      keep_deepest(contact, from, contacts);
    }
  }
}

void hand_floor_contacts(const PlacedHand& hand, int index, const ClipMoment& moment, double height,
                         double reach, std::vector<Contact>& contacts) {
  if (hand.center_world.y() - hand.radius > height + reach) return;
  const size_t from = contacts.size();
  for (const PlacedHand::Part& part : hand.parts) {
    const Capsule& capsule = part.capsule_world;
    const Vec3& low = capsule.a.y() < capsule.b.y() ? capsule.a : capsule.b;
    const double gap = low.y() - capsule.radius - height;
    if (!(gap <= reach)) continue;
    Contact contact;
    contact.by = ContactSide::surroundings();
    contact.on = ContactSide::hand(index, part.segment);
    contact.normal_world = -Vec3::UnitY();
    contact.point_on =
        moment.frame_of(contact.on).inverse() * (low + capsule.radius * contact.normal_world);
    contact.gap = gap;
    keep_deepest(contact, from, contacts);
  }
}

}  // namespace prehend::audit
