// GLB and glTF files that others made: hands by the names of their joints, other meshes as objects.
#pragma once

#include "io/gltf_document.h"
#include "prehend/io/glb.h"

namespace prehend::io {

Result<GlbClip> foreign_clip(const gltf::Document& document, const GlbReadOptions& options);

}  // namespace prehend::io
