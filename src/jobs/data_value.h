// What a job's data file (.json) holds.
#pragma once

#include "prehend/io/report.h"

namespace prehend::jobs {

// The member of a report that a clock measured.
inline constexpr const char* kWallClock = "realtime_factor";

// The report's own part and its physics, without what a clock measured, so that the same input
// gives the same bytes.
io::Value data_value(const io::Report& report);

}  // namespace prehend::jobs
