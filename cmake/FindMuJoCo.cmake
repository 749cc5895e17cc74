# Debian's libmujoco-dev brings no package file: finds the library and its headers.
# Gives the target MuJoCo::MuJoCo.
find_library(MuJoCo_LIBRARY mujoco)
find_path(MuJoCo_INCLUDE_DIR mujoco/mujoco.h)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(MuJoCo DEFAULT_MSG MuJoCo_LIBRARY MuJoCo_INCLUDE_DIR)
if(MuJoCo_FOUND AND NOT TARGET MuJoCo::MuJoCo)
  add_library(MuJoCo::MuJoCo UNKNOWN IMPORTED)
  set_target_properties(MuJoCo::MuJoCo PROPERTIES IMPORTED_LOCATION "${MuJoCo_LIBRARY}"
                        INTERFACE_INCLUDE_DIRECTORIES "${MuJoCo_INCLUDE_DIR}")
endif()
mark_as_advanced(MuJoCo_LIBRARY MuJoCo_INCLUDE_DIR)
