# prehend::prehend: every room but the doors, for `find_package(prehend)` and `add_subdirectory`.
include(CMakePackageConfigHelpers)

get_property(libraries GLOBAL PROPERTY PREHEND_LIBRARIES)
add_library(prehend_library INTERFACE)
target_link_libraries(prehend_library INTERFACE ${libraries})
set_target_properties(prehend_library PROPERTIES EXPORT_NAME prehend)
add_library(prehend::prehend ALIAS prehend_library)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/prehend)
install(TARGETS prehend_library EXPORT prehend-targets)
install(TARGETS prehend RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(EXPORT prehend-targets NAMESPACE prehend:: DESTINATION ${package})
install(FILES ${PREHEND_ASSETS}/bunny.ply ${PREHEND_ASSETS}/dragon.ply
              ${PREHEND_ASSETS}/dragon-full.ply
        DESTINATION ${CMAKE_INSTALL_DATADIR}/prehend/assets)

configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/prehend-config.cmake.in ${PROJECT_BINARY_DIR}/prehend-config.cmake
  INSTALL_DESTINATION ${package} PATH_VARS CMAKE_INSTALL_DATADIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/prehend-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/prehend-config.cmake
              ${PROJECT_BINARY_DIR}/prehend-config-version.cmake
              ${PROJECT_SOURCE_DIR}/cmake/FindMuJoCo.cmake
              ${PROJECT_SOURCE_DIR}/cmake/FindTinyGLTF.cmake
        DESTINATION ${package})
