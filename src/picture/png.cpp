#include <fmt/format.h>
#include <png.h>

#include "prehend/core/assert.h"
#include "prehend/core/atomic_file.h"
#include "prehend/picture/picture.h"

namespace prehend::picture {
namespace {

Result<std::string> encode_png(const Image& image) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  png.width = static_cast<png_uint_32>(image.width);
  png.height = static_cast<png_uint_32>(image.height);
  png.format = PNG_FORMAT_RGB;
  std::string bytes(PNG_IMAGE_PNG_SIZE_MAX(png), '\0');
  png_alloc_size_t size = bytes.size();
  if (!png_image_write_to_memory(&png, bytes.data(), &size, 0, image.rgb.data(), 0, nullptr))
    return Error{
        fmt::format("cannot encode a PNG of {} x {}: {}", image.width, image.height, png.message)};
  bytes.resize(size);
  return bytes;
}

}  // namespace

Status write_png(const Image& image, const std::string& path) {
  PREHEND_ASSERT(!image.empty());
  const Result<std::string> bytes = encode_png(image);
  if (!bytes) return Error{path + ": " + bytes.message()};
  return write_file(path, *bytes);
}

}  // namespace prehend::picture
