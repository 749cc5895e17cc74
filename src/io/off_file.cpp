#include "io/off_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>

#include "io/mesh_check.h"
#include "prehend/core/text.h"

namespace prehend::io {
namespace {

template <typename Number>
bool parse(std::string_view word, Number& number) {
  if (word.starts_with('+')) word.remove_prefix(1);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return !word.empty() && error == std::errc() && end == word.data() + word.size();
}

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  Result<PolygonMesh> read() {
    if (const Status status = header(); !status) return status.error();
    for (std::uint64_t i = 0; i < vertices_; ++i) {
      if (const Status status = vertex(i); !status) return status.error();
    }
    for (std::uint64_t i = 0; i < faces_; ++i) {
      if (const Status status = face(i); !status) return status.error();
    }
    return std::move(mesh_);
  }

 private:
  // The next line with something on it; false at the end of the file.
  bool next_line() {
    while (!rest_.empty()) {
      const std::size_t end = rest_.find('\n');
      line_ = rest_.substr(0, end);
      rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
      ++number_;
      line_ = line_.substr(0, line_.find('#'));
      if (line_.find_first_not_of(kSpace) != std::string_view::npos) return true;
    }
    line_ = {};
    return false;
  }

  std::string_view word() {
    line_.remove_prefix(std::min(line_.find_first_not_of(kSpace), line_.size()));
    const std::string_view word = line_.substr(0, line_.find_first_of(kSpace));
    line_.remove_prefix(word.size());
    return word;
  }

  Error fail(const std::string& what) const { return {fmt::format("line {}: {}", number_, what)}; }

  Status header() {
    if (!next_line()) return Error{"the file is empty"};
    const std::string_view form = word();
    if (!form.ends_with("OFF")) return Error{"not an OFF file: its first line should hold \"OFF\""};
    if (form.find_first_of("4n") != std::string_view::npos)
      return Error{"an OFF file of another dimension; only those of 3 are read"};
    if (line_.find("BINARY") != std::string_view::npos)
      return Error{"a binary OFF file; only those in text are read"};
    std::string_view count = word();
    if (count.empty() && next_line()) count = word();
    if (!parse(count, vertices_) || !parse(word(), faces_))
      return Error{"OFF counts of vertices and faces expected on the second line"};
    // "0 0 0\n" and "1 0\n" are the shortest a line can be.
    if (vertices_ > rest_.size() / 6 + 1 || faces_ > rest_.size() / 4 + 1) {
      return Error{fmt::format("cut short: {} vertices and {} faces promised in {} bytes",
                               vertices_, faces_, rest_.size())};
    }
    return {};
  }

  Status vertex(std::uint64_t index) {
    if (!next_line()) return Error{fmt::format("cut short: {} of {} vertices", index, vertices_)};
    Vec3& v = mesh_.vertices.emplace_back();
    for (int k = 0; k < 3; ++k) {
      const std::string_view text = word();
      if (!parse(text, v[k]) || !std::isfinite(v[k])) {
        return fail(
            fmt::format("vertex {} needs three numbers, not \"{}\"", index, printable(text)));
      }
    }
    return {};
  }

  Status face(std::uint64_t index) {
    if (!next_line()) return Error{fmt::format("cut short: {} of {} faces", index, faces_)};
    unsigned corners = 0;
    const std::string_view text = word();
    if (!parse(text, corners) || corners > kMostCorners) {
      return fail(fmt::format("face {} has \"{}\" corners; a number up to {} is expected", index,
                              printable(text), kMostCorners));
    }
    std::vector<int>& polygon = mesh_.polygons.emplace_back();
    for (unsigned k = 0; k < corners; ++k) {
      const std::string_view name = word();
      std::uint64_t corner = 0;
      if (!parse(name, corner) || corner >= vertices_) {
        return fail(fmt::format("face {} names vertex \"{}\", but there are {}", index,
                                printable(name), vertices_));
      }
      polygon.push_back(static_cast<int>(corner));
    }
    return {};  // what follows is a color
  }

  static constexpr const char* kSpace = " \t\r\v\f";
  std::string_view rest_, line_;
  int number_ = 0;
  std::uint64_t vertices_ = 0, faces_ = 0;
  PolygonMesh mesh_;
};

}  // namespace

Result<PolygonMesh> parse_off(std::string_view bytes) { return Reader(bytes).read(); }

}  // namespace prehend::io
