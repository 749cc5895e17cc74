// The report that every verb writes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "prehend/core/summary.h"
#include "prehend/io/value.h"

namespace prehend::io {

struct Report {
  std::string verb;
  std::string version;
  std::uint64_t seed = 1;
  std::vector<std::string> inputs;
  double seconds = 0.0;
  Summary summary;
  Value audit;    // a table; null when there was nothing to audit
  Value physics;  // a table: the constants in force; null when nothing was simulated or solved
  Value details;  // a table: the verb's own part, whose members follow the common ones
};

// verb, version, seed, inputs, seconds, summary, audit, physics if any, then the members of
// details. A member of
// details may not carry one of those names.
Value to_value(const Report& report);

// Atomically, as JSON.
Status write_report(const std::string& path, const Report& report);

}  // namespace prehend::io
