#include "audit/slip.h"

#include <algorithm>
#include <map>

namespace prehend::audit {

namespace {

using Pair = std::pair<ContactSide, ContactSide>;  // by, on

// The tangential motion of `by` over `on` from one moment to the next, in the frame of `on`. Both
// material points start at the contact; rolling moves neither over the other.
Vec3 slide(const ClipMoment& before, const ClipMoment& after, const Contact& contact) {
  const Vec3 point_world = before.point_world(contact);
  const Vec3 skin_after =
      after.frame_of(contact.by) * (before.frame_of(contact.by).inverse() * point_world);
  const Vec3 moved_on = after.frame_of(contact.on).inverse() * skin_after - contact.point_on;
  const Vec3 normal_on = before.frame_of(contact.on).rotation.conjugate() * contact.normal_world;
  return moved_on - moved_on.dot(normal_on) * normal_on;
}

}  // namespace

void add_slips(const Clip& clip, const std::vector<std::vector<Contact>>& contacts,
               std::vector<FrameFindings>& findings) {
  std::map<Pair, Vec3> running;
  ClipMoment before, after;
  if (!contacts.empty()) after = moment_of(clip, 0);
  for (size_t f = 0; f < contacts.size(); ++f) {
    std::map<Pair, const Contact*> touching;
    for (const Contact& contact : contacts[f]) {
      if (!contact.involves_hand()) continue;
      const Contact*& kept = touching[{contact.by, contact.on}];
      if (!kept || contact.gap < kept->gap) kept = &contact;
    }
    std::erase_if(running, [&](const auto& entry) { return !touching.contains(entry.first); });
    if (f + 1 >= contacts.size()) break;
    before = std::move(after);
    after = moment_of(clip, static_cast<int>(f) + 1);
    for (const auto& [pair, contact] : touching) {
      Vec3& way = running.try_emplace(pair, Vec3::Zero()).first->second;
      way += slide(before, after, *contact);
      findings[f][Measure::kSlip].keep_worse(
          {way.norm(), pair.first, pair.second, static_cast<int>(contact - contacts[f].data())});
    }
  }
}

}  // namespace prehend::audit
