#include "io/gltf_buffers.h"

#include <charconv>
#include <string_view>

#include <fmt/format.h>
#include <tiny_gltf.h>
#include <nlohmann/json.hpp>

#include "io/file_beside.h"
#include "prehend/core/atomic_file.h"
#include "prehend/core/text.h"

namespace prehend::io::gltf {

using nlohmann::json;

namespace {
constexpr std::string_view kPrefix = "outside-buffer-";
}

// tinygltf's view of the file system: the buffers that were read, by their new names.
struct BufferFiles {
  static const std::string* find(const std::string& path, void* user) {
    const auto& bytes = static_cast<const OutsideBuffers*>(user)->bytes_;
    std::string_view name = path;
    name.remove_prefix(std::min(name.size(), name.find_last_of('/') + 1));
    if (!name.starts_with(kPrefix)) return nullptr;
    name.remove_prefix(kPrefix.size());
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), index);
    if (error != std::errc() || end != name.data() + name.size()) return nullptr;
    return index < bytes.size() ? &bytes[index] : nullptr;
  }
  static bool exists(const std::string& path, void* user) { return find(path, user) != nullptr; }
  static std::string same(const std::string& path, void*) { return path; }
  static bool read(std::vector<unsigned char>* out, std::string*, const std::string& path,
                   void* user) {
    const std::string* bytes = find(path, user);
    if (bytes) out->assign(bytes->begin(), bytes->end());
    return bytes != nullptr;
  }
  static bool write(std::string*, const std::string&, const std::vector<unsigned char>&, void*) {
    return false;
  }
};

Result<OutsideBuffers> OutsideBuffers::read(json& root, const std::string& source,
                                            const std::string& folder) {
  OutsideBuffers buffers;
  if (!root.contains("buffers") || !root["buffers"].is_array()) return buffers;
  std::uint64_t left = kReadLimit;  // for all of them together
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
    buffer["uri"] = fmt::format("{}{}", kPrefix, buffers.bytes_.size());
    buffers.bytes_.push_back(std::move(*bytes));
  }
  return buffers;
}

void OutsideBuffers::serve(tinygltf::TinyGLTF& loader) {
  loader.SetFsCallbacks(
      {&BufferFiles::exists, &BufferFiles::same, &BufferFiles::read, &BufferFiles::write, this});
}

}  // namespace prehend::io::gltf
