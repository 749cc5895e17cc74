#include "io/glb_foreign.h"
#include "io/glb_own.h"
#include "prehend/core/atomic_file.h"
#include "prehend/io/glb.h"

namespace prehend::io {

Result<GlbClip> decode_glb(std::string_view bytes, const std::string& name,
                           const GlbReadOptions& options, const std::string& folder) {
  const auto document = gltf::load_memory(
      {reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()}, name, folder);
  if (!document) return document.error();
  if (!is_own_glb(*document)) {
    auto read = foreign_clip(*document, options);
    if (read && document->generator == "Prehend")
      read->import.notes.push_back(
          "written by Prehend, but its hands, contacts and masses are lost or damaged; it is read "
          "as a file by others");
    return read;
  }
  auto clip = own_clip(*document);
  if (!clip) return clip.error();
  return GlbClip{.clip = std::move(*clip), .own = true};
}

Result<GlbClip> read_glb_clip(const std::string& path, const GlbReadOptions& options) {
  auto bytes = read_file(path);
  if (!bytes) return bytes.error();
  return decode_glb(*bytes, path, options, folder_of(path));
}

Result<Clip> read_glb(const std::string& path) {
  auto read = read_glb_clip(path);
  if (!read) return read.error();
  return std::move(read->clip);
}

}  // namespace prehend::io
