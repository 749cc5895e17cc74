// Work that may end the program, done where it cannot: in a process of its own.
#pragma once

#include <functional>
#include <string>

#include "prehend/core/result.h"

namespace prehend::io {

// What `work` returns, made in a copy of this process. When that crashes, aborts, or runs longer
// than two minutes, the answer is an error instead; nothing of it is printed. `work` must not need
// other threads.
Result<std::string> run_isolated(const std::function<std::string()>& work);

}  // namespace prehend::io
