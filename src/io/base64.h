// Bytes as text, as data: addresses hold them (RFC 4648).
#pragma once

#include <string>
#include <string_view>

namespace prehend::io {

std::string base64(std::string_view bytes);

}  // namespace prehend::io
