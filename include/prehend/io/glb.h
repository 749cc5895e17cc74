// Clips as GLB: a skinned hand and meshes with ordinary glTF animation, which any viewer plays, and
// under the animation's extras what glTF has no words for: joints, limits, masses, contacts.
#pragma once

#include <string>
#include <string_view>

#include "prehend/core/clip.h"
#include "prehend/core/result.h"
#include "prehend/io/bvh_clip.h"
#include "prehend/io/clip_marks.h"
#include "prehend/io/rig_map.h"

namespace prehend::io {

struct GlbOptions {
  // The generic hand's skin on hands that have all of OpenXR's joints; otherwise, and for hands
  // that lack some, the hand's own capsules.
  bool skin = true;
  ClipMarks marks;
};

// A pose is a clip of one frame. Rotations keep to 1e-6 rad, forces to float precision.
Status write_glb(const Clip& clip, const std::string& path, const GlbOptions& options = {});
Result<std::string> encode_glb(const Clip& clip, const GlbOptions& options = {});

struct GlbReadOptions {
  // Which joints are which, where the names of a foreign file mislead.
  RigHints hints;
  std::string animation;    // of a file with several; empty: the one that moves the most
  double frame_rate = 0.0;  // of foreign files, which may have keys anywhere; 0: as the keys lie
};

struct GlbClip {
  Clip clip;
  RigImport import;  // how a foreign rig was understood; empty for our own files
  bool own = false;
};

// A clip that write_glb wrote comes back as it was. In a file by others, hands are found by the
// names of their joints and sampled evenly, and meshes without a skin are objects of 0.1 kg.
Result<GlbClip> read_glb_clip(const std::string& path, const GlbReadOptions& options = {});
Result<Clip> read_glb(const std::string& path);
// `name` stands in messages; buffers beside a .gltf file are looked for in `folder`, and refused
// without one.
Result<GlbClip> decode_glb(std::string_view bytes, const std::string& name,
                           const GlbReadOptions& options = {}, const std::string& folder = "");

}  // namespace prehend::io
