#include "io/mesh_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>

#include "prehend/core/text.h"

namespace prehend::io {
namespace {

// The next line without its end, taken off the front of `rest`.
std::string_view take_line(std::string_view& rest) {
  const size_t end = rest.find('\n');
  std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
  return line;
}

std::string_view take_word(std::string_view& rest) {
  const size_t start = std::min(rest.find_first_not_of(" \t"), rest.size());
  rest.remove_prefix(start);
  const std::string_view word = rest.substr(0, rest.find_first_of(" \t"));
  rest.remove_prefix(word.size());
  return word;
}

bool has_null(std::string_view bytes) { return bytes.find('\0') != std::string_view::npos; }

Status check_stl(std::string_view bytes) {
  constexpr size_t kHeader = 84, kFace = 50;
  if (bytes.substr(0, 5) == "solid" && !has_null(bytes)) {
    if (bytes.find("facet") == std::string_view::npos) return Error{"an STL file without facets"};
    if (bytes.find("endsolid") == std::string_view::npos) {
      return Error{"cut short: no endsolid at its end"};
    }
    return {};
  }
  if (bytes.size() < kHeader) return Error{"too short for an STL file"};
  std::uint32_t faces = 0;
  std::memcpy(&faces, bytes.data() + 80, sizeof faces);
  const size_t room = (bytes.size() - kHeader) / kFace;
  if (faces == 0) return Error{"an STL file without faces"};
  if (faces > room) {
    return Error{fmt::format(
        "not an STL file, or cut short: it promises {} faces and has room for {}", faces, room)};
  }
  return {};
}

// Faces that name vertices not in the file, which parsers meet too late.
Status check_obj(std::string_view bytes) {
  if (has_null(bytes)) return Error{"not an OBJ file: it holds null bytes"};
  std::string_view rest = bytes;
  std::int64_t vertices = 0, faces = 0;
  for (std::int64_t number = 1; !rest.empty(); ++number) {
    std::string_view line = take_line(rest);
    if (line.size() > 100000)
      return Error{fmt::format("line {} is too long for an OBJ file", number)};
    const std::string_view keyword = take_word(line);
    vertices += keyword == "v";
    if (keyword != "f") continue;
    ++faces;
    for (std::string_view word = take_word(line); !word.empty(); word = take_word(line)) {
      std::int64_t index = 0;
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), index);
      const bool ended = end == word.data() + word.size() || *end == '/';
      if (error != std::errc() || !ended || index == 0 || index > 100000000 || -index > vertices) {
        return Error{fmt::format("line {}: {} does not name a vertex", number, printable(word))};
      }
    }
  }
  if (vertices == 0 || faces == 0) return Error{"no vertices and faces in this OBJ file"};
  return {};
}

}  // namespace

std::string obj_shape(std::string_view bytes) {
  std::string shape;
  shape.reserve(bytes.size());
  while (!bytes.empty()) {
    std::string_view line = take_line(bytes);
    const std::string_view whole = line, keyword = take_word(line);
    if (keyword == "v") shape.append(whole).push_back('\n');
    if (keyword != "f") continue;
    shape.push_back('f');
    for (std::string_view word = take_word(line); !word.empty(); word = take_word(line))
      shape.append(" ").append(word.substr(0, word.find('/')));
    shape.push_back('\n');
  }
  return shape;
}

Status check_mesh_bytes(std::string_view bytes, const std::string& ending) {
  if (bytes.empty()) return Error{"the file is empty"};
  if (ending == ".stl") return check_stl(bytes);
  if (ending == ".ply") return check_ply(bytes);
  if (ending == ".obj") return check_obj(bytes);
  return {};
}

}  // namespace prehend::io
