# Tests that are scripts: the library as others use it.
function(prehend_script_test name label)
  add_test(NAME ${name} COMMAND ${ARGN} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES LABELS ${label} TIMEOUT 600
                       ENVIRONMENT PREHEND_BUILD=${PROJECT_BINARY_DIR})
endfunction()

prehend_script_test(Packaging.AnotherProjectUsesPrehend packaging
                    tests/consumer/run ${PROJECT_BINARY_DIR} ${PREHEND_ASSETS})
