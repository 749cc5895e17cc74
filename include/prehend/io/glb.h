// Clips as GLB: a skinned hand and meshes with ordinary glTF animation, which any viewer plays, and
// under the animation's extras what glTF has no words for: joints, limits, masses, contacts.
#pragma once

#include <string>
#include <string_view>

#include "prehend/core/clip.h"
#include "prehend/core/result.h"

namespace prehend::io {

struct GlbOptions {
  // The generic hand's skin on hands that have all of OpenXR's joints; otherwise, and for hands
  // that lack some, the hand's own capsules.
  bool skin = true;
};

// A pose is a clip of one frame. Rotations keep to 1e-6 rad, forces to float precision.
Status write_glb(const Clip& clip, const std::string& path, const GlbOptions& options = {});
Result<std::string> encode_glb(const Clip& clip, const GlbOptions& options = {});

// A clip that write_glb wrote comes back as it was.
Result<Clip> read_glb(const std::string& path);
// `name` stands in messages; buffers beside a .gltf file are looked for in `folder`.
Result<Clip> decode_glb(std::string_view bytes, const std::string& name,
                        const std::string& folder = "");

}  // namespace prehend::io
