// Pictures of clips: hands, objects, contacts and forces at a time, as a scene to render.
#pragma once

#include <optional>
#include <vector>

#include "prehend/core/clip.h"
#include "prehend/core/skin.h"
#include "prehend/picture/picture.h"

namespace prehend::picture {

// Each adds to a scene.
void add_hand_capsules(const Hand& hand, const HandPose& pose, const Material& material,
                       PictureScene& scene);
void add_hand_skin(const Skin& skin, const Hand& hand, const HandPose& pose,
                   const Material& material, PictureScene& scene);
void add_object(const Object& object, const Transform& pose_world, const Material& material,
                PictureScene& scene);

struct ContactMarks {
  double meters_per_newton = 0.012;
  // Forces shorter than this are drawn as points only.
  double shortest = 0.002;
  double point_radius = 0.0022;
  bool points = true;
  bool arrows = true;
};
// The pushes, each ending where it acts, so that fingers' arrows lie outside of what they push.
void add_contacts(const std::vector<Contact>& contacts, const ClipMoment& moment,
                  const ContactMarks& marks, PictureScene& scene);

// The source's skin brought to the hand; nothing without a source, or when the hand has not all the
// joints of the fingers.
std::optional<Skin> picture_skin(const Hand& hand, SkinSource source);

struct ClipPictureOptions {
  SkinSource skin = nullptr;  // none: the contact capsules
  bool objects = true;
  bool points = true;
  bool forces = true;
  double object_opacity = 1.0;
  double hand_opacity = 1.0;
  // Left empty, such that the clip's largest force is 7 cm long.
  std::optional<double> meters_per_newton;
};

// Fits the skins once, then makes the scene of any time. The floor is that of the whole clip, so
// a film's floor stands still. The clip must outlive the painter.
class ClipPainter {
 public:
  explicit ClipPainter(const Clip& clip, const ClipPictureOptions& options = {});

  // Between frames, poses are interpolated and contacts are those of the nearest frame.
  PictureScene scene(double time) const;
  // The camera that sees everything from the first time to the last; of what moves, if anything
  // can: a table under a hand may leave the picture.
  Camera framed(const Camera& camera, double aspect, double first, double last) const;

 private:
  HandPose hand_pose(const HandTrack& track, double time) const;
  Transform object_pose(const ObjectTrack& track, double time) const;
  PictureScene content(double time) const;
  std::vector<Vec3> outline(double time, bool all) const;
  std::vector<Vec3> outlines(double first, double last, bool all) const;
  double best_azimuth(const Camera& camera, double first, double last) const;

  const Clip& clip_;
  ClipPictureOptions options_;
  ContactMarks marks_;
  std::vector<std::optional<Skin>> skins_;          // one a hand
  std::vector<std::vector<Vec3>> object_outlines_;  // extreme points of each object, in its frame
  double floor_height_ = 0.0;
};

}  // namespace prehend::picture
