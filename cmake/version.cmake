# Writes OUTPUT, the source of prehend/core/version.h, when the version or the commit has changed.
# Run at every build: cmake -DSOURCE=… -DVERSION=… -DOUTPUT=… -P cmake/version.cmake
set(commit "unknown")
# The project's own history: an outer repository's commit would say nothing about it.
if(EXISTS ${SOURCE}/.git)
  execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --match v*
                  OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
                  RESULT_VARIABLE status)
  if(status EQUAL 0)
    set(commit ${described})
  endif()
endif()
set(text "#include \"prehend/core/version.h\"

namespace prehend {

const char* version() { return \"${VERSION}\"; }
const char* commit() { return \"${commit}\"; }

}  // namespace prehend
")
set(before "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} before)
endif()
if(NOT text STREQUAL before)
  file(WRITE ${OUTPUT} "${text}")
endif()
