#include "prehend/core/clip.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "prehend/core/assert.h"
#include "prehend/core/limits.h"

namespace prehend {

namespace {

// Readers normalize; a file's rotation this far from unit length is not a rotation.
constexpr double kUnitTolerance = 1e-3;

bool is_rotation(const Quat& q) {
  return q.coeffs().allFinite() && std::abs(q.norm() - 1.0) < kUnitTolerance;
}

bool is_pose(const Transform& t) {
  return is_rotation(t.rotation) && t.position.cwiseAbs().maxCoeff() <= kFarthest &&
         t.position.allFinite();
}

Status validate_hand(const HandTrack& track, int frames) {
  if (!track.hand) return Error{"a hand track has no hand"};
  const Hand& hand = *track.hand;
  if (Status status = check_sizes(hand); !status) return status;
  if (static_cast<int>(track.poses.size()) != frames) {
    return Error{fmt::format("hand {} has {} frames where the clip has {}", hand.name,
                             track.poses.size(), frames)};
  }
  for (int f = 0; f < frames; ++f) {
    const HandPose& pose = track.poses[f];
    if (pose.rotations.size() != hand.segments.size()) {
      return Error{fmt::format("hand {}, frame {}: {} rotations for {} segments", hand.name, f,
                               pose.rotations.size(), hand.segments.size())};
    }
    if (!is_pose(pose.root_world)) {
      return Error{fmt::format("hand {}, frame {}: the root's pose is not finite or beyond {:g} m",
                               hand.name, f, kFarthest)};
    }
    for (size_t s = 0; s < pose.rotations.size(); ++s) {
      if (!is_rotation(pose.rotations[s])) {
        return Error{fmt::format("hand {}, frame {}: {} is not turned by a finite unit rotation",
                                 hand.name, f, hand.segments[s].name)};
      }
    }
  }
  return {};
}

Status validate_side(const Clip& clip, const ContactSide& side) {
  switch (side.kind) {
    case ContactSide::Kind::kSurroundings:
      return {};
    case ContactSide::Kind::kObject:
      if (side.index < 0 || side.index >= std::ssize(clip.objects))
        return Error{"names a missing object"};
      return {};
    case ContactSide::Kind::kHand:
      if (side.index < 0 || side.index >= std::ssize(clip.hands))
        return Error{"names a missing hand"};
      if (side.segment < 0 || side.segment >= clip.hands[side.index].hand->segment_count())
        return Error{"names a missing segment"};
      return {};
  }
  return Error{"names a side of no known kind"};
}

Status validate_contact(const Clip& clip, const Contact& contact) {
  if (Status status = validate_side(clip, contact.by); !status) return status;
  if (Status status = validate_side(clip, contact.on); !status) return status;
  if (contact.by == contact.on) return Error{"is of one thing with itself"};
  if (!contact.point_on.allFinite() || !contact.normal_world.allFinite() ||
      !contact.force_world.allFinite() || !std::isfinite(contact.torque_normal) ||
      !std::isfinite(contact.gap)) {
    return Error{"is not finite"};
  }
  return {};
}

}  // namespace

int Clip::frame_count() const {
  if (!hands.empty()) return static_cast<int>(hands[0].poses.size());
  if (!objects.empty()) return static_cast<int>(objects[0].poses_world.size());
  return 0;
}

double Clip::duration() const { return std::max(0, frame_count() - 1) / frame_rate; }

bool ClipMoment::has(const ContactSide& side) const {
  if (side.is_object()) return side.index >= 0 && side.index < std::ssize(objects_world);
  if (!side.is_hand()) return true;
  return side.index >= 0 && side.index < std::ssize(segments_world) && side.segment >= 0 &&
         side.segment < std::ssize(segments_world[side.index]);
}

Transform ClipMoment::frame_of(const ContactSide& side) const {
  if (side.is_hand()) return segments_world[side.index][side.segment];
  return side.is_object() ? objects_world[side.index] : Transform::Identity();
}

ClipMoment moment_of(const Clip& clip, int frame) {
  ClipMoment moment;
  for (const HandTrack& track : clip.hands)
    moment.segments_world.push_back(segment_frames(*track.hand, track.poses[frame]));
  for (const ObjectTrack& track : clip.objects)
    moment.objects_world.push_back(track.poses_world[frame]);
  return moment;
}

Status validate(const Clip& clip) {
  const int frames = clip.frame_count();
  if (frames == 0) return Error{"the clip has no frames"};
  if (!(clip.frame_rate > 0.0) || !std::isfinite(clip.frame_rate)) {
    return Error{fmt::format("the frame rate is {}, not a positive number", clip.frame_rate)};
  }
  for (const HandTrack& track : clip.hands) {
    if (Status status = validate_hand(track, frames); !status) return status;
  }
  for (const ObjectTrack& track : clip.objects) {
    if (!track.object || !track.object->shape.mesh) return Error{"an object track has no object"};
    if (Status status = check_sizes(*track.object); !status) return status;
    if (static_cast<int>(track.poses_world.size()) != frames) {
      return Error{fmt::format("object {} has {} frames where the clip has {}", track.object->name,
                               track.poses_world.size(), frames)};
    }
    for (int f = 0; f < frames; ++f) {
      if (!is_pose(track.poses_world[f])) {
        return Error{fmt::format("object {}, frame {}: the pose is not finite or beyond {:g} m",
                                 track.object->name, f, kFarthest)};
      }
    }
  }
  if (clip.floor_height && !(std::abs(*clip.floor_height) <= kFarthest)) {
    return Error{
        fmt::format("the floor's height is {}, not within {:g} m", *clip.floor_height, kFarthest)};
  }
  if (clip.has_contacts() && static_cast<int>(clip.contacts.size()) != frames) {
    return Error{
        fmt::format("contacts are given for {} of {} frames", clip.contacts.size(), frames)};
  }
  for (size_t f = 0; f < clip.contacts.size(); ++f) {
    for (const Contact& contact : clip.contacts[f]) {
      if (Status status = validate_contact(clip, contact); !status) {
        return Error{fmt::format("frame {}: a contact {}", f, status.message())};
      }
    }
  }
  return {};
}

Clip resample(const Clip& clip, double frame_rate) {
  PREHEND_ASSERT(frame_rate > 0.0);
  Clip result;
  result.name = clip.name;
  result.frame_rate = frame_rate;
  result.forces_recorded = clip.forces_recorded;
  result.floor_height = clip.floor_height;
  const int source_last = clip.frame_count() - 1;
  // A hair of slack keeps the last frame when duration * rate is whole up to rounding.
  const int frames = static_cast<int>(std::floor(clip.duration() * frame_rate + 1e-9)) + 1;
  const auto place = [&](int frame, int& before, double& fraction) {
    const double at = std::min<double>(frame / frame_rate * clip.frame_rate, source_last);
    before = std::min(static_cast<int>(at), std::max(0, source_last - 1));
    fraction = at - before;
  };
  for (const HandTrack& track : clip.hands) {
    HandTrack& out = result.hands.emplace_back(HandTrack{track.hand, {}});
    for (int f = 0; f < frames; ++f) {
      int before;
      double fraction;
      place(f, before, fraction);
      out.poses.push_back(interpolate(track.poses[before],
                                      track.poses[std::min(before + 1, source_last)], fraction));
    }
  }
  for (const ObjectTrack& track : clip.objects) {
    ObjectTrack& out = result.objects.emplace_back(ObjectTrack{track.object, {}});
    for (int f = 0; f < frames; ++f) {
      int before;
      double fraction;
      place(f, before, fraction);
      out.poses_world.push_back(interpolate(track.poses_world[before],
                                            track.poses_world[std::min(before + 1, source_last)],
                                            fraction));
    }
  }
  for (int f = 0; clip.has_contacts() && f < frames; ++f) {
    const int nearest = static_cast<int>(std::lround(f / frame_rate * clip.frame_rate));
    result.contacts.push_back(clip.contacts[std::min(nearest, source_last)]);
  }
  return result;
}

Clip cut(const Clip& clip, int first, int last) {
  PREHEND_ASSERT(0 <= first && first <= last && last < clip.frame_count());
  Clip result = clip;
  const auto keep = [&](auto& frames) {
    frames = std::remove_reference_t<decltype(frames)>(frames.begin() + first,
                                                       frames.begin() + last + 1);
  };
  for (HandTrack& track : result.hands) keep(track.poses);
  for (ObjectTrack& track : result.objects) keep(track.poses_world);
  if (result.has_contacts()) keep(result.contacts);
  return result;
}

}  // namespace prehend
