#include "prehend/physics/engine_version.h"

#include <mujoco/mujoco.h>

namespace prehend::physics {

std::string engine_version() { return std::string("MuJoCo ") + mj_versionString(); }

}  // namespace prehend::physics
