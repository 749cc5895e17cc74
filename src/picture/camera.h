// The camera's frame, shared by framing, projection and ray generation.
#pragma once

#include "prehend/picture/picture.h"

namespace prehend::picture::detail {

struct CameraFrame {
  Vec3 right;
  Vec3 up;
  Vec3 back;  // from the target towards the eye
  Vec3 eye;
  double half_height = 0.0;  // at distance 1, or in meters when orthographic
  bool orthographic = false;
};

// Needs target and distance.
CameraFrame camera_frame(const Camera& camera);

}  // namespace prehend::picture::detail
