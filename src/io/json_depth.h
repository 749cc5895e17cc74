// How deep a JSON text nests, looked at before it is parsed: parsers and what they make recurse.
#pragma once

#include <string_view>

namespace prehend::io {

// Whether more than `levels` brackets are open at some place.
bool nests_deeper(std::string_view text, int levels);

}  // namespace prehend::io
