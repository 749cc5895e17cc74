// Walks a PLY file from its header to its end, so that no count in it is believed before the bytes
// that it stands for are seen.
#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <cstring>
#include <vector>

#include "io/mesh_check.h"
#include "prehend/core/text.h"

namespace prehend::io {
namespace {

constexpr std::uint64_t kLongestList = 1000;  // corners of a face

struct Property {
  int count_bytes = 0;  // of a list's count; 0 for a single number
  int bytes = 0;
};
struct Element {
  std::string_view name;
  std::uint64_t count = 0;
  std::vector<Property> properties;
};
struct Header {
  std::string_view format;
  std::vector<Element> elements;
};

int type_bytes(std::string_view type) {
  for (const char* one : {"char", "uchar", "int8", "uint8"}) {
    if (type == one) return 1;
  }
  for (const char* two : {"short", "ushort", "int16", "uint16"}) {
    if (type == two) return 2;
  }
  for (const char* four : {"int", "uint", "float", "int32", "uint32", "float32"}) {
    if (type == four) return 4;
  }
  return type == "double" || type == "float64" ? 8 : 0;
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (true) {
    const size_t start = line.find_first_not_of(" \t\r");
    if (start == std::string_view::npos) return words;
    line.remove_prefix(start);
    words.push_back(line.substr(0, line.find_first_of(" \t\r")));
    line.remove_prefix(words.back().size());
  }
}

std::string_view take_line(std::string_view& rest) {
  const size_t end = rest.find('\n');
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return line;
}

bool parse_count(std::string_view word, std::uint64_t& count) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), count);
  return error == std::errc() && end == word.data() + word.size();
}

bool read_property(const std::vector<std::string_view>& words, Property& property) {
  if (words.size() == 3) {
    property.bytes = type_bytes(words[1]);
    return property.bytes > 0;
  }
  if (words.size() != 5 || words[1] != "list") return false;
  property.count_bytes = type_bytes(words[2]);
  property.bytes = type_bytes(words[3]);
  return property.count_bytes > 0 && property.count_bytes <= 4 && property.bytes > 0;
}

Status read_header(std::string_view& rest, Header& header) {
  if (words_of(take_line(rest)) != std::vector<std::string_view>{"ply"}) {
    return Error{"not a PLY file: its first line should be \"ply\""};
  }
  const std::uint64_t size = rest.size();
  while (!rest.empty()) {
    const auto words = words_of(take_line(rest));
    if (words.empty()) return Error{"an empty line in the PLY header"};
    if (words[0] == "end_header") return {};
    if (words[0] == "comment" || words[0] == "obj_info") continue;
    if (words[0] == "format" && words.size() == 3) {
      header.format = words[1];
    } else if (words[0] == "element" && words.size() == 3) {
      Element element{words[1], 0, {}};
      // Every element takes at least a byte.
      if (!parse_count(words[2], element.count) || element.count > size) {
        return Error{fmt::format("PLY element {} has no believable count", printable(words[1]))};
      }
      for (const Element& other : header.elements) {
        if (other.name == element.name) return Error{"a PLY element is declared twice"};
      }
      header.elements.push_back(std::move(element));
    } else {
      Property property;
      if (words[0] != "property" || header.elements.empty() || !read_property(words, property)) {
        return Error{fmt::format("the PLY header says {}", printable(words[0]))};
      }
      header.elements.back().properties.push_back(property);
    }
  }
  return Error{"a PLY header without end_header"};
}

Error cut_short(const Element& element, std::uint64_t done) {
  return {
      fmt::format("cut short: {} of {} {} elements", done, element.count, printable(element.name))};
}

std::uint64_t read_integer(const char* at, int bytes, bool big_endian) {
  std::uint64_t value = 0;
  for (int i = 0; i < bytes; ++i) {
    const auto byte = static_cast<unsigned char>(at[big_endian ? bytes - 1 - i : i]);
    value |= std::uint64_t{byte} << (8 * i);
  }
  return value;
}

Status walk_binary(std::string_view rest, const Header& header) {
  const bool big_endian = header.format == "binary_big_endian";
  for (const Element& element : header.elements) {
    for (std::uint64_t i = 0; i < element.count; ++i) {
      for (const Property& property : element.properties) {
        std::uint64_t count = 1;
        if (property.count_bytes > 0) {
          if (rest.size() < static_cast<size_t>(property.count_bytes)) return cut_short(element, i);
          count = read_integer(rest.data(), property.count_bytes, big_endian);
          rest.remove_prefix(property.count_bytes);
          if (count > kLongestList) return Error{fmt::format("a PLY list of {} items", count)};
        }
        if (rest.size() < count * property.bytes) return cut_short(element, i);
        rest.remove_prefix(count * property.bytes);
      }
    }
  }
  return {};
}

Status walk_text(std::string_view rest, const Header& header) {
  for (const Element& element : header.elements) {
    for (std::uint64_t i = 0; i < element.count; ++i) {
      if (rest.empty()) return cut_short(element, i);
      const auto words = words_of(take_line(rest));
      size_t expected = 0;
      for (const Property& property : element.properties) {
        std::uint64_t count = 1;
        if (property.count_bytes > 0) {
          if (expected >= words.size() || !parse_count(words[expected], count) ||
              count > kLongestList) {
            return Error{fmt::format("{} {} is not a list", printable(element.name), i)};
          }
          ++expected;
        }
        expected += count;
      }
      if (words.size() != expected) {
        return Error{fmt::format("{} {} has {} numbers, {} expected", printable(element.name), i,
                                 words.size(), expected)};
      }
    }
  }
  return {};
}

}  // namespace

Status check_ply(std::string_view bytes) {
  Header header;
  if (const Status status = read_header(bytes, header); !status) return status;
  bool vertices = false, faces = false;
  for (const Element& element : header.elements) {
    if (element.properties.empty()) return Error{"a PLY element without properties"};
    vertices = vertices || element.name == "vertex";
    faces = faces || element.name == "face";
  }
  if (!vertices || !faces) return Error{"a PLY file needs elements vertex and face"};
  if (header.format == "ascii") return walk_text(bytes, header);
  if (header.format.substr(0, 7) == "binary_") return walk_binary(bytes, header);
  return Error{"a PLY file needs a format: ascii, binary_little_endian or binary_big_endian"};
}

}  // namespace prehend::io
