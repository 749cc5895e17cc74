#include "prehend/io/marker_file.h"

#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "prehend/core/atomic_file.h"
#include "prehend/core/text.h"

namespace prehend::io {
namespace {

constexpr double kMeters = 1e-3;   // of a millimeter
constexpr double kFarthest = 1e3;  // m: no room is larger
constexpr int kMostMarkers = 1000;

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  for (std::size_t from = 0; from <= line.size();) {
    const std::size_t to = std::min(line.find('\t', from), line.size());
    cells.push_back(line.substr(from, to - from));
    from = to + 1;
  }
  return cells;
}

// Nothing for a gap; an error for what is neither.
Result<double> number_of(std::string_view cell) {
  while (!cell.empty() && cell.front() == ' ') cell.remove_prefix(1);
  while (!cell.empty() && cell.back() == ' ') cell.remove_suffix(1);
  if (cell.empty() || cell == "NULL" || cell == "nan" || cell == "NaN" || cell == "-")
    return std::numeric_limits<double>::quiet_NaN();
  double value = 0.0;
  const auto [end, code] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (code != std::errc() || end != cell.data() + cell.size() || !std::isfinite(value))
    return Error{fmt::format("\"{}\" is not a number", printable(std::string(cell)))};
  return value;
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  Result<MarkerRecording> read() {
    bool heading = true;
    for (std::size_t from = 0; from < text_.size();) {
      const std::size_t to = std::min(text_.find('\n', from), text_.size());
      const auto cells = cells_of(text_.substr(from, to - from));
      from = to + 1;
      ++line_;
      if (cells.size() == 1 && cells[0].empty()) continue;
      const Status done = heading ? read_heading(cells, heading) : read_frame(cells);
      if (!done) return done.error();
    }
    if (made_.names.empty())
      return Error{printable(name_, 200) + ": has no line MARKER_NAMES; is it a Qualisys TSV?"};
    if (made_.positions_world.empty()) return Error{printable(name_, 200) + ": has no frames"};
    return std::move(made_);
  }

 private:
  Error at(const std::string& what) const {
    return Error{fmt::format("{}:{}: {}", printable(name_, 200), line_, what)};
  }

  Status read_heading(const std::vector<std::string_view>& cells, bool& heading) {
    if (cells[0] == "FREQUENCY") {
      const auto rate = cells.size() > 1 ? number_of(cells[1]) : Result<double>(0.0);
      if (!rate || !(*rate > 0.0 && *rate <= 1e5))
        return at("FREQUENCY should be above 0 and up to 100000 Hz");
      made_.frame_rate = *rate;
    } else if (cells[0] == "MARKER_NAMES") {
      for (std::size_t i = 1; i < cells.size(); ++i)
        if (!cells[i].empty()) made_.names.emplace_back(cells[i]);
      if (made_.names.empty() || made_.names.size() > kMostMarkers)
        return at(fmt::format("MARKER_NAMES should be 1 to {} names", kMostMarkers));
    } else if (cells[0] == "Frame") {
      skipped_ = cells.size() > 1 && cells[1] == "Time" ? 2 : 1;
      heading = false;
    } else if (const auto number = number_of(cells[0]); number && std::isfinite(*number)) {
      // Without a line of column names, coordinates come first.
      heading = false;
      return read_frame(cells);
    }
    return {};
  }

  Status read_frame(const std::vector<std::string_view>& cells) {
    const std::size_t wanted = skipped_ + 3 * made_.names.size();
    if (cells.size() < wanted)
      return at(fmt::format("{} cells where {} markers need {}", cells.size(), made_.names.size(),
                            wanted));
    auto& frame = made_.positions_world.emplace_back();
    for (std::size_t m = 0; m < made_.names.size(); ++m) {
      Vec3 p;
      for (int k = 0; k < 3; ++k) {
        const auto number = number_of(cells[skipped_ + 3 * m + k]);
        if (!number) return at(made_.names[m] + ": " + number.message());
        p[k] = kMeters * *number;
      }
      if (p.norm() > kFarthest) return at(made_.names[m] + ": is a kilometer away");
      // Three zeros are a gap in some exports. Z up becomes Y up.
      frame.push_back(p.isZero() || !p.allFinite()
                          ? Vec3(Vec3::Constant(std::numeric_limits<double>::quiet_NaN()))
                          : Vec3(p.x(), p.z(), -p.y()));
    }
    return {};
  }

  std::string_view text_;
  const std::string& name_;
  MarkerRecording made_;
  int line_ = 0;
  std::size_t skipped_ = 0;
};

}  // namespace

Result<MarkerRecording> parse_markers(std::string_view text, const std::string& name) {
  return Reader(text, name).read();
}

Result<MarkerRecording> read_markers(const std::string& path) {
  const auto text = read_file(path);
  if (!text) return text.error();
  return parse_markers(*text, path);
}

}  // namespace prehend::io
