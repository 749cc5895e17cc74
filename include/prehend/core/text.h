// Text that comes from files and from people, as messages show it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace prehend {

// Ending of the file's name in lower case with its dot (".glb"), or nothing.
std::string file_ending(const std::string& path);

// A piece of unknown text that fits into a one-line message: control characters and bytes beyond
// ASCII replaced, cut after `limit` characters.
std::string printable(std::string_view text, std::size_t limit = 40);

}  // namespace prehend
