#include "jobs/detail_contacts.h"

#include <algorithm>
#include <cmath>

#include "prehend/core/capsule.h"
#include "prehend/core/hand_pose.h"
#include "prehend/geometry/signed_distance.h"

namespace prehend::jobs {
namespace {

// Of a point to the nearest of a segment's capsules; inside or outside counts alike.
double off_skin(const Segment& segment, const Vec3& point_segment) {
  double nearest = INFINITY;
  for (const Capsule& capsule : segment.capsules)
    nearest = std::min(nearest, std::abs(distance(capsule, {point_segment, point_segment, 0.0})));
  return nearest;
}

}  // namespace

ContactPlaces contact_places(const Clip& clip, double least_force) {
  ContactPlaces places;
  std::vector<std::shared_ptr<const geometry::ExactDistance>> exact(clip.objects.size());
  double worst = -1.0;
  for (int f = 0; f < static_cast<int>(clip.contacts.size()); ++f) {
    std::vector<std::vector<Transform>> frames_world(clip.hands.size());
    for (const Contact& contact : clip.contacts[f]) {
      if (!contact.by.is_hand() || !contact.on.is_object()) continue;
      if (contact.force_world.norm() <= least_force) continue;
      const HandTrack& hand = clip.hands[contact.by.index];
      const ObjectTrack& object = clip.objects[contact.on.index];
      if (!exact[contact.on.index])
        exact[contact.on.index] = geometry::exact_distance(object.object->shape);
      auto& frames = frames_world[contact.by.index];
      if (frames.empty()) frames = segment_frames(*hand.hand, hand.poses[f]);
      const double surface = std::abs(exact[contact.on.index]->sample(contact.point_on).distance);
      const Vec3 point_world = object.poses_world[f] * contact.point_on;
      const double skin = off_skin(hand.hand->segments[contact.by.segment],
                                   frames[contact.by.segment].inverse() * point_world);
      ++places.pushing;
      places.off_object_m = std::max(places.off_object_m, surface);
      places.off_skin_m = std::max(places.off_skin_m, skin);
      if (std::max(surface, skin) <= worst) continue;
      worst = std::max(surface, skin);
      places.worst_frame = f;
    }
  }
  return places;
}

}  // namespace prehend::jobs
