// Objects made by code, and the bunny and the dragon of the set-up.
#pragma once

#include <string>
#include <vector>

#include "prehend/core/object.h"
#include "prehend/core/result.h"

namespace prehend::geometry {

// Names that builtin_object takes, in the order of the documentation.
const std::vector<std::string>& builtin_names();

// Y up, standing or lying as on a table: the frame's origin is the center of mass. Default masses
// are everyday ones.
Result<Object> builtin_object(const std::string& name);

}  // namespace prehend::geometry
