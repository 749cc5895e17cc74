#include "audit/belief.h"

#include <algorithm>
#include <cmath>

namespace prehend::audit {

namespace {

// Gap between a point and a side's surface; infinite where the side has none.
double gap_to(const Presence& presence, const ClipMoment& moment, const ContactSide& side,
              const Vec3& point_world) {
  if (side.is_object()) {
    const Vec3 point_object = moment.objects_world[side.index].inverse() * point_world;
    return presence.probes[side.index].distance->closest(point_object).distance;
  }
  if (side.is_hand()) {
    double nearest = INFINITY;
    const Vec3 point_segment = moment.frame_of(side).inverse() * point_world;
    const Hand& hand = *presence.clip.hands[side.index].hand;
    for (const Capsule& capsule : hand.segments[side.segment].capsules)
      nearest = std::min(nearest, distance(capsule, Capsule{point_segment, point_segment, 0.0}));
    return nearest;
  }
  return presence.floor_height ? point_world.y() - *presence.floor_height : INFINITY;
}

// The weight that a remainder is compared with: an object's own, a hand's; none of what is fixed.
double weight_of(const Clip& clip, const ContactSide& side) {
  if (side.is_hand()) {
    double mass = 0.0;
    for (const Segment& segment : clip.hands[side.index].hand->segments) mass += segment.mass;
    return mass * kStandardGravity;
  }
  if (!side.is_object() || clip.objects[side.index].object->fixed) return INFINITY;
  return clip.objects[side.index].object->mass * kStandardGravity;
}

// Whose a side is: a hand is one body here, whatever its segment.
ContactSide whole(ContactSide side) {
  side.segment = -1;
  return side;
}

bool is_pair(const Contact& contact, const ContactSide& by, const ContactSide& on) {
  return whole(contact.by) == by && whole(contact.on) == on;
}

}  // namespace

Belief judge_contact(const Presence& presence, const ClipMoment& moment, const Contact& contact) {
  const Vec3 point_world = moment.point_world(contact);
  const double most = presence.floating_distance;
  if (!contact.on.is_surroundings() &&
      std::abs(gap_to(presence, moment, contact.on, point_world)) > most)
    return Belief::kFloating;
  const ContactSide& other = contact.on.is_surroundings() ? contact.on : contact.by;
  if (!other.is_surroundings()) {
    // A soft finger may be entered by more than it may float.
    return gap_to(presence, moment, contact.by, point_world) <= most ? Belief::kBelieved
                                                                     : Belief::kFloating;
  }
  if (contact.on.is_surroundings() && gap_to(presence, moment, contact.by, point_world) > most)
    return Belief::kFloating;
  // The floor, or an object that whoever wrote the clip did not name as the one that pushes.
  if (gap_to(presence, moment, other, point_world) <= most) return Belief::kBelieved;
  for (int o = 0; o < std::ssize(presence.clip.objects); ++o) {
    const ContactSide object = ContactSide::object(o);
    if (object == contact.on || object == contact.by) continue;
    if (gap_to(presence, moment, object, point_world) <= most) return Belief::kBelieved;
  }
  return Belief::kUnseen;
}

Contact opposite(const Contact& contact, const ClipMoment& moment) {
  Contact other = contact;
  std::swap(other.by, other.on);
  const Vec3 point_world = moment.point_world(contact) + contact.gap * contact.normal_world;
  other.point_on = moment.frame_of(other.on).inverse() * point_world;
  other.normal_world = -contact.normal_world;
  other.force_world = -contact.force_world;
  // About the inward normal, which turns round with the torque.
  other.torque_normal = contact.torque_normal;
  return other;
}

FrameFinding third_law_violation(const Clip& clip, const std::vector<Contact>& contacts) {
  FrameFinding worst;
  for (size_t i = 0; i < contacts.size(); ++i) {
    const ContactSide by = whole(contacts[i].by), on = whole(contacts[i].on);
    if (by.is_surroundings() || on.is_surroundings() || on < by) continue;
    Vec3 there = Vec3::Zero(), back = Vec3::Zero();
    bool answered = false;
    for (const Contact& contact : contacts) {
      if (is_pair(contact, by, on)) there += contact.force_world;
      if (!is_pair(contact, on, by)) continue;
      back += contact.force_world;
      answered = true;
    }
    if (!answered) continue;
    const double weight = std::min(weight_of(clip, by), weight_of(clip, on));
    worst.keep_worse({(there + back).norm() / weight, by, on, -1});
  }
  return worst;
}

void add_reactions(const ClipMoment& moment, std::vector<Contact>& contacts) {
  const size_t given = contacts.size();
  for (size_t i = 0; i < given; ++i) {
    const ContactSide by = contacts[i].by, on = contacts[i].on;
    if (!by.is_object() || on.is_surroundings()) continue;
    const bool answered =
        std::any_of(contacts.begin(), contacts.begin() + static_cast<std::ptrdiff_t>(given),
                    [&](const Contact& c) { return is_pair(c, whole(on), whole(by)); });
    if (!answered) contacts.push_back(opposite(contacts[i], moment));
  }
}

}  // namespace prehend::audit
