// PREHEND_ASSERT: a programmer's mistake, checked in every build because the checks stand outside
// inner loops.
#pragma once

namespace prehend::detail {
[[noreturn]] void assert_failed(const char* condition, const char* file, int line);
}

#define PREHEND_ASSERT(condition) \
  ((condition) ? void(0) : ::prehend::detail::assert_failed(#condition, __FILE__, __LINE__))
