// Files that another file names: only those that lie beside it are read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "prehend/core/result.h"

namespace prehend::io {

// The bytes of a percent-encoded relative reference (RFC 3986), as glTF names its buffers. The file
// must lie in `folder` or below it. Absolute paths, other schemes, "..", links, devices and pipes
// are refused, so that a document cannot show what lies elsewhere on the machine. The message is
// the reason alone.
Result<std::string> read_file_beside(const std::string& folder, std::string_view reference,
                                     std::uint64_t limit);

}  // namespace prehend::io
