// Reading back the GLB files that Prehend wrote, exactly.
#pragma once

#include "io/gltf_document.h"
#include "prehend/core/clip.h"

namespace prehend::io {

// Whether the file says that Prehend wrote it and nobody has since.
bool is_own_glb(const gltf::Document& document);
Result<Clip> own_clip(const gltf::Document& document);

}  // namespace prehend::io
