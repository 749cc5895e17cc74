#include "audit/slip.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace prehend::audit {

namespace {

using Pair = std::tuple<int, int, int>;  // hand, segment, object

// The skin's tangential motion over the object from one frame to the next, in the object's frame.
// Both material points start at the contact; rolling moves neither over the other.
Vec3 slide(const Transform& segment_before, const Transform& segment_after,
           const Transform& object_before, const Transform& object_after, const Contact& contact) {
  const Vec3 point_world = object_before * contact.point_on;
  const Vec3 skin_after = segment_after * (segment_before.inverse() * point_world);
  const Vec3 moved_object = object_after.inverse() * skin_after - contact.point_on;
  const Vec3 normal_object = object_before.rotation.conjugate() * contact.normal_world;
  return moved_object - moved_object.dot(normal_object) * normal_object;
}

}  // namespace

double largest_slip(const Clip& clip, const std::vector<std::vector<Contact>>& contacts) {
  double largest = 0.0;
  std::map<Pair, Vec3> running;
  std::vector<std::vector<Transform>> before(clip.hands.size()), after(clip.hands.size());
  for (size_t f = 0; f < contacts.size(); ++f) {
    std::map<Pair, const Contact*> touching;
    for (const Contact& contact : contacts[f]) {
      if (!contact.by.is_hand() || !contact.on.is_object()) continue;
      const Contact*& kept = touching[{contact.by.index, contact.by.segment, contact.on.index}];
      if (!kept || contact.gap < kept->gap) kept = &contact;
    }
    std::erase_if(running, [&](const auto& entry) { return !touching.contains(entry.first); });
    if (f + 1 >= contacts.size()) break;
    for (size_t h = 0; h < clip.hands.size(); ++h) {
      before[h] = segment_frames(*clip.hands[h].hand, clip.hands[h].poses[f]);
      after[h] = segment_frames(*clip.hands[h].hand, clip.hands[h].poses[f + 1]);
    }
    for (const auto& [pair, contact] : touching) {
      const auto [hand, segment, object] = pair;
      const auto& poses = clip.objects[object].poses_world;
      Vec3& way = running.try_emplace(pair, Vec3::Zero()).first->second;
      way += slide(before[hand][segment], after[hand][segment], poses[f], poses[f + 1], *contact);
      largest = std::max(largest, way.norm());
    }
  }
  return largest;
}

}  // namespace prehend::audit
