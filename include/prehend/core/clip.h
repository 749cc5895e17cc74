// A clip: what everything reads and writes. Uniformly sampled motion of hands and objects, and the
// contacts of every frame.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "prehend/core/contact.h"
#include "prehend/core/hand_pose.h"
#include "prehend/core/object.h"
#include "prehend/core/result.h"

namespace prehend {

struct HandTrack {
  HandPtr hand;
  std::vector<HandPose> poses;  // one a frame
};

struct ObjectTrack {
  ObjectPtr object;
  std::vector<Transform> poses_world;  // one a frame
};

struct Clip {
  std::string name;
  double frame_rate = 60.0;  // frames a second; frame i is at i / frame_rate seconds
  std::vector<HandTrack> hands;
  std::vector<ObjectTrack> objects;
  // One list a frame, or none at all when nothing recorded contacts.
  std::vector<std::vector<Contact>> contacts;
  bool forces_recorded = false;
  // Height of a level floor that bears hands and objects, m; none: there is no floor.
  std::optional<double> floor_height;

  int frame_count() const;
  double duration() const;  // seconds from the first frame to the last
  bool has_contacts() const { return !contacts.empty(); }
};

// Where everything in a clip stands at one moment.
struct ClipMoment {
  std::vector<std::vector<Transform>> segments_world;  // by hand, then by segment
  std::vector<Transform> objects_world;

  bool has(const ContactSide& side) const;
  // The frame that a contact's point on this side is given in.
  Transform frame_of(const ContactSide& side) const;
  Vec3 point_world(const Contact& contact) const { return frame_of(contact.on) * contact.point_on; }
};
ClipMoment moment_of(const Clip& clip, int frame);

// Equal track lengths, unit quaternions, finite numbers, indices in range. Readers call it last.
Status validate(const Clip& clip);

// Interpolated at the new rate; contacts are taken from the nearest frame.
Clip resample(const Clip& clip, double frame_rate);
// Frames [first, last], both included.
Clip cut(const Clip& clip, int first, int last);

}  // namespace prehend
