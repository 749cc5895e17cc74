# Tests that are scripts: the library as others use it, the commands behind the pictures.
function(prehend_script_test name label)
  add_test(NAME ${name} COMMAND ${ARGN} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES LABELS ${label} TIMEOUT 600
                       ENVIRONMENT PREHEND_BUILD=${PROJECT_BINARY_DIR})
endfunction()

prehend_script_test(Packaging.AnotherProjectUsesPrehend packaging
                    tests/consumer/run ${PROJECT_BINARY_DIR} ${PREHEND_ASSETS})

prehend_script_test(Pictures.EachHasItsCommandAndItsPage pictures script/pictures --check)
if(PREHEND_EXAMPLES)
  execute_process(COMMAND script/pictures --list WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
                  OUTPUT_VARIABLE pictures COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]+" pictures "${pictures}")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS script/pictures)
  foreach(picture ${pictures})
    prehend_script_test(Pictures.TheCommandStillRuns/${picture} pictures
                        script/pictures --try ${picture})
  endforeach()
endif()
