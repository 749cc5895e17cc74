# prehend_room(NAME [DOOR]
#              ROOMS <rooms it may include>      LIBS <parts from outside that it links>
#              HEADERS <parts from outside that are headers alone>
#              TESTS <what its tests use besides>)
# One static library a room, and one program of its tests. Every room is part of prehend::prehend
# and installed, except a DOOR (the command, the studio), which nobody links.
function(prehend_room name)
  cmake_parse_arguments(ARG "DOOR" "" "ROOMS;LIBS;HEADERS;TESTS" ${ARGN})
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "prehend_room(${name}): unknown argument ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  string(REPLACE "/" "_" short ${name})
  set(target prehend_${short})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp)
  if(NOT sources)
    message(FATAL_ERROR "prehend_room(${name}): no sources in src/${name}")
  endif()
  foreach(room ${ARG_ROOMS})
    if(NOT TARGET ${room})
      message(FATAL_ERROR "prehend_room(${name}): unknown room ${room}")
    endif()
  endforeach()

  add_library(${target} STATIC ${sources})
  target_include_directories(
    ${target}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
           $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${target} PUBLIC Eigen3::Eigen ${ARG_ROOMS} PRIVATE ${ARG_LIBS})
  foreach(part ${ARG_HEADERS})
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:${part}>)
  endforeach()
  target_compile_features(${target} PUBLIC cxx_std_20)
  prehend_same_bytes(${target})
  # For Python and other shared libraries, unless told otherwise. Functions of one file still call
  # each other directly, as they do in code for a program.
  if(NOT DEFINED CMAKE_POSITION_INDEPENDENT_CODE)
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_compile_options(${target} PRIVATE -fno-semantic-interposition)
  endif()

  if(NOT ARG_DOOR)
    set_target_properties(${target} PROPERTIES EXPORT_NAME ${short})
    set_property(GLOBAL APPEND PROPERTY PREHEND_LIBRARIES ${target})
    install(TARGETS ${target} EXPORT prehend-targets
            ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
    install(DIRECTORY include/prehend/${name}/
            DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/prehend/${name})
  endif()

  file(GLOB tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${name}/*_test.cpp)
  if(PREHEND_TESTS AND tests)
    add_executable(test_${short} ${tests})
    target_include_directories(test_${short} PRIVATE ${PROJECT_SOURCE_DIR}/src
                                                     ${PROJECT_SOURCE_DIR})
    target_link_libraries(test_${short} PRIVATE ${target} ${ARG_LIBS} ${ARG_HEADERS} ${ARG_TESTS}
                                                GTest::gtest_main)
    prehend_same_bytes(test_${short})
    # Suites that are called Long... take more than half a minute each.
    gtest_discover_tests(test_${short} DISCOVERY_TIMEOUT 60 TEST_FILTER "-Long*"
                         WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
                         PROPERTIES LABELS ${name} TIMEOUT 600)
    gtest_discover_tests(test_${short} DISCOVERY_TIMEOUT 60 TEST_FILTER "Long*"
                         WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
                         PROPERTIES LABELS long TIMEOUT 600)
  endif()
endfunction()

# The same bytes on every machine: no fused multiply-add that only some of them have.
function(prehend_same_bytes target)
  target_compile_options(${target} PRIVATE -ffp-contract=off)
endfunction()

# The source of prehend/core/version.h, written anew whenever the commit has changed.
function(prehend_version target)
  set(source ${PROJECT_BINARY_DIR}/generated/version.cpp)
  set(write ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DVERSION=${PROJECT_VERSION}
            -DOUTPUT=${source} -P ${PROJECT_SOURCE_DIR}/cmake/version.cmake)
  add_custom_target(prehend_commit COMMAND ${write} BYPRODUCTS ${source})
  target_sources(${target} PRIVATE ${source})
  add_dependencies(${target} prehend_commit)
endfunction()

# Scans are sought beside the program (src/geometry/scan.cpp): what is built here finds a link. A
# program elsewhere is told by the environment, or by this path: where an installation puts them,
# or, within another project, where they are.
function(prehend_find_assets target)
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/share/prehend)
  file(CREATE_LINK ${PREHEND_ASSETS} ${PROJECT_BINARY_DIR}/share/prehend/assets SYMBOLIC)
  set(folder ${CMAKE_INSTALL_FULL_DATADIR}/prehend/assets)
  if(NOT PROJECT_IS_TOP_LEVEL)
    set(folder ${PREHEND_ASSETS})
  endif()
  set_source_files_properties(
    ${PROJECT_SOURCE_DIR}/src/geometry/scan.cpp TARGET_DIRECTORY ${target}
    PROPERTIES COMPILE_DEFINITIONS PREHEND_INSTALLED_ASSETS="${folder}")
endfunction()
