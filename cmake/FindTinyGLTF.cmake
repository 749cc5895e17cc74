# Debian's libtinygltf-dev brings no package file: finds the library and its header.
# Gives the target TinyGLTF::TinyGLTF.
find_library(TinyGLTF_LIBRARY tinygltf)
find_path(TinyGLTF_INCLUDE_DIR tiny_gltf.h)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(TinyGLTF DEFAULT_MSG TinyGLTF_LIBRARY TinyGLTF_INCLUDE_DIR)
if(TinyGLTF_FOUND AND NOT TARGET TinyGLTF::TinyGLTF)
  add_library(TinyGLTF::TinyGLTF UNKNOWN IMPORTED)
  set_target_properties(TinyGLTF::TinyGLTF PROPERTIES IMPORTED_LOCATION "${TinyGLTF_LIBRARY}"
                        INTERFACE_INCLUDE_DIRECTORIES "${TinyGLTF_INCLUDE_DIR}")
endif()
mark_as_advanced(TinyGLTF_LIBRARY TinyGLTF_INCLUDE_DIR)
