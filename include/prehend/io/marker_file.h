// Optical markers as Qualisys Track Manager exports them: tab-separated text, a heading of named
// lines, then one frame a line, in millimeters and with Z up. A gap is an empty cell, "NULL", "nan"
// or three zeros.
#pragma once

#include <string>
#include <string_view>

#include "prehend/core/markers.h"
#include "prehend/core/result.h"

namespace prehend::io {

// `name` stands in messages.
Result<MarkerRecording> parse_markers(std::string_view text, const std::string& name);
Result<MarkerRecording> read_markers(const std::string& path);

}  // namespace prehend::io
