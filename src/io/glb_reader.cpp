#include <filesystem>

#include "io/glb_own.h"
#include "prehend/io/atomic_file.h"
#include "prehend/io/glb.h"

namespace prehend::io {

Result<Clip> decode_glb(std::string_view bytes, const std::string& name,
                        const std::string& folder) {
  const auto document = gltf::load_memory(
      {reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()}, name, folder);
  if (!document) return document.error();
  if (is_own_glb(*document)) return own_clip(*document);
  return Error{name + ": was not written by Prehend"};
}

Result<Clip> read_glb(const std::string& path) {
  auto bytes = read_file(path);
  if (!bytes) return bytes.error();
  return decode_glb(*bytes, path, std::filesystem::path(path).parent_path().string());
}

}  // namespace prehend::io
