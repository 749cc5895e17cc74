#include "io/gltf_buffers.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "io/base64.h"
#include "io/file_beside.h"
#include "prehend/core/text.h"

namespace prehend::io::gltf {

using nlohmann::json;

namespace {
// Bytes of all of them together. As text inside the document they take more than twice as much.
constexpr std::uint64_t kLimit = std::uint64_t{1} << 28;
}  // namespace

// tinygltf has callbacks for files, but Debian's library and its header do not agree on where its
// class keeps them: setting them overwrites a string.
Status embed_outside_buffers(json& root, const std::string& source, const std::string& folder) {
  if (!root.contains("buffers") || !root["buffers"].is_array()) return {};
  std::uint64_t left = kLimit;
  for (json& buffer : root["buffers"]) {
    if (!buffer.is_object() || !buffer.contains("uri") || !buffer["uri"].is_string()) continue;
    const std::string uri = buffer["uri"];
    if (uri.starts_with("data:")) continue;
    const auto fail = [&](const std::string& why) {
      return Error{fmt::format("{}: its buffer {}: {}", source, printable(uri), why)};
    };
    if (folder.empty()) return fail("it lies in a file of its own, which cannot be read here");
    auto bytes = read_file_beside(folder, uri, left);
    if (!bytes) return fail(bytes.message());
    const json length = buffer.value("byteLength", json());
    if (!length.is_number_unsigned() || length.get<std::uint64_t>() == 0 ||
        length.get<std::uint64_t>() > bytes->size()) {
      return fail(fmt::format("it has {} bytes, fewer than the document says", bytes->size()));
    }
    bytes->resize(length.get<std::uint64_t>());
    left -= bytes->size();
    buffer["uri"] = "data:application/octet-stream;base64," + base64(*bytes);
  }
  return {};
}

}  // namespace prehend::io::gltf
