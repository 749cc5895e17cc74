// The few kinds of PLY that the scans of the set-up come in. Users' files are read by io.
#pragma once

#include <string>

#include "prehend/core/mesh.h"
#include "prehend/core/result.h"

namespace prehend::geometry {

// `name`.ply from the folder that the environment variable PREHEND_ASSETS names, or else from
// share/prehend/assets beside the program.
Result<TriangleMesh> read_scan(const std::string& name);

}  // namespace prehend::geometry
