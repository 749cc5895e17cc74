// A scene's hands and objects along its keyframes, as a clip.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "prehend/core/clip.h"
#include "prehend/io/scene.h"

namespace prehend::jobs {

struct FixedThing {
  ObjectPtr object;
  Transform pose_world;
};

struct SceneMotionClip {
  Clip clip;                      // hands, and the objects that move
  std::vector<FixedThing> fixed;  // the table, and objects that never move
  std::optional<double> floor_height;
  std::vector<std::string> notes;
};

// `replaced` holds "NAME=OBJECT": another shape for an object of the scene. The clip ends with the
// last keyframe. Fails on a scene in which nothing moves, or that moves by recordings.
Result<SceneMotionClip> scene_motion_clip(const io::Scene& scene,
                                          const std::vector<std::string>& replaced,
                                          double frame_rate);

// Fixed things as tracks that stand still.
Clip with_fixed(Clip clip, const std::vector<FixedThing>& fixed);

// Frames a second of a scene that does not say: [options.detail] frame_rate, or 60.
double scene_frame_rate(const io::Scene& scene);

}  // namespace prehend::jobs
