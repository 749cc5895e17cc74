// What a mesh file promises against what it holds, before a parser believes it.
#pragma once

#include <string>
#include <string_view>

#include "prehend/core/result.h"

namespace prehend::io {

// More corners than any modeler writes; cutting a polygon takes the cube of it.
inline constexpr unsigned kMostCorners = 1000;

// `ending` with its dot, in lower case. Only cheap checks: signatures, and counts against sizes.
Status check_mesh_bytes(std::string_view bytes, const std::string& ending);

// Positions and faces of an OBJ file that passed the check, and nothing else of it. Files name
// texture coordinates that they do not hold, which parsers refuse.
std::string obj_shape(std::string_view bytes);

// The part of it for PLY.
Status check_ply(std::string_view bytes);

}  // namespace prehend::io
