// Pictures of clips: hands, objects, contacts and forces at a time, as a scene to render.
#pragma once

#include <vector>

#include "prehend/core/clip.h"
#include "prehend/core/skin.h"
#include "prehend/io/picture.h"

namespace prehend::io {

// Adds to a scene. The material's colour may be varied a digit by the caller.
void add_hand_capsules(const Hand& hand, const HandPose& pose, const Material& material,
                       PictureScene& scene);
void add_object(const Object& object, const Transform& pose_world, const Material& material,
                PictureScene& scene);

struct ContactMarks {
  double metres_per_newton = 0.012;
  // Forces below this length are drawn as points only.
  double shortest = 0.002;
  double point_radius = 0.0022;
  bool points = true;
  bool arrows = true;
};
// The pushes on the objects, each ending where it acts, so that fingers' arrows lie outside.
void add_contacts(const std::vector<Contact>& contacts, const std::vector<Transform>& poses_world,
                  const ContactMarks& marks, PictureScene& scene);

}  // namespace prehend::io
