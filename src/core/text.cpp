#include "prehend/core/text.h"

#include <filesystem>

namespace prehend {

std::string file_ending(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  for (char& c : ending) c = (c >= 'A' && c <= 'Z') ? static_cast<char>(c - 'A' + 'a') : c;
  return ending;
}

std::string printable(std::string_view text, std::size_t limit) {
  std::string out;
  for (const char c : text) {
    if (out.size() >= limit) return out + "...";
    out += (c >= ' ' && c <= '~') ? c : '?';
  }
  return out;
}

}  // namespace prehend
