// Beyond the paper: see the header.
#include "methods/example_control/skin_slip.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "prehend/hands/palm.h"

namespace prehend::example_control {
namespace {

// N, a frame's mean: two segments that press less do not hold each other.
constexpr double kPress = 0.01;

bool contains(const std::vector<int>& list, int value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

}  // namespace

SkinContact skin_contact(const Clip& clip, double from, double to) {
  const int first = std::max(0, static_cast<int>(std::ceil(from * clip.frame_rate)));
  const int last =
      std::min(clip.frame_count() - 1, static_cast<int>(std::floor(to * clip.frame_rate)));
  std::vector<std::vector<int>> palms;
  for (const HandTrack& track : clip.hands) palms.push_back(hands::palm_segments(*track.hand));
  SkinContact result;
  int touched_frames = 0, palm_frames = 0;
  // How far each pair of segments has slid since it began to touch, in the frame of the one pushed.
  std::map<std::pair<ContactSide, ContactSide>, Vec3> slid;
  for (int f = first; f <= last; ++f) {
    const ClipMoment now = moment_of(clip, f), next = moment_of(clip, std::min(f + 1, last));
    decltype(slid) still;
    bool palm_on_palm = false;
    std::vector<bool> touched(clip.hands.size());
    for (const Contact& contact : clip.contacts[f]) {
      if (!contact.by.is_hand() || !contact.on.is_hand()) continue;
      if (-contact.force_world.dot(contact.normal_world) < kPress) continue;
      bool both = true;
      for (const ContactSide& side : {contact.by, contact.on}) {
        const bool palm = contains(palms[side.index], side.segment);
        touched[side.index] = touched[side.index] || palm;
        both = both && palm;
      }
      palm_on_palm = palm_on_palm || both;
      // Two contacts of a pair move with the same two bodies: the first tells.
      const auto pair = std::pair(contact.by, contact.on);
      if (still.contains(pair)) continue;
      const Vec3 point_by = now.frame_of(contact.by).inverse() * now.point_world(contact);
      const Vec3 apart_world =
          next.frame_of(contact.by) * point_by - next.frame_of(contact.on) * contact.point_on;
      const Vec3 along_world =
          apart_world - apart_world.dot(contact.normal_world) * contact.normal_world;
      const auto before = slid.find(pair);
      const Vec3 sum = (before == slid.end() ? Vec3(Vec3::Zero()) : before->second) +
                       now.frame_of(contact.on).rotation.conjugate() * along_world;
      still[pair] = sum;
      result.slip = std::max(result.slip, sum.norm());
    }
    palm_frames += palm_on_palm;
    touched_frames += std::count(touched.begin(), touched.end(), true) >= 2;
    slid = std::move(still);
  }
  if (last < first) return result;
  const double frames = last - first + 1;
  result.palm_on_palm = palm_frames / frames;
  result.palms_touched = touched_frames / frames;
  return result;
}

}  // namespace prehend::example_control
