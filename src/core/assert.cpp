#include "prehend/core/assert.h"

#include <cstdio>
#include <cstdlib>

namespace prehend::detail {

void assert_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "prehend: broken assumption: %s (%s:%d)\n", condition, file, line);
  std::abort();
}

}  // namespace prehend::detail
