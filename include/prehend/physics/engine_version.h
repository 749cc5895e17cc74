// Which physics engine runs.
#pragma once

#include <string>

namespace prehend::physics {

// Name and version of the engine that was found when the program started, "MuJoCo 2.2.2".
std::string engine_version();

}  // namespace prehend::physics
