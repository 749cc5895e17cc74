#include "jobs/cut_range.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "prehend/core/text.h"

namespace prehend::jobs {
namespace {

// One end of a cut as a frame, or nothing when it is left open.
Result<std::optional<int>> cut_end(std::string_view text, const Clip& clip,
                                   const std::string& whole) {
  if (text.empty()) return std::optional<int>();
  const bool frames = text.back() == 'f';
  if (frames) text.remove_suffix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= 0.0) || value > 1e9)
    return Error{fmt::format("--cut: '{}' should be such as 1.5:4 (seconds) or 10f:200f (frames)",
                             printable(whole))};
  return std::optional<int>(
      static_cast<int>(std::lround(frames ? value : value * clip.frame_rate)));
}

}  // namespace

Result<FrameCut> cut_range(const Clip& clip, const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos)
    return Error{fmt::format("--cut: '{}' should be FROM:TO, such as 1.5:4", printable(text))};
  const auto first = cut_end(std::string_view(text).substr(0, colon), clip, text);
  if (!first) return first.error();
  const auto last = cut_end(std::string_view(text).substr(colon + 1), clip, text);
  if (!last) return last.error();
  const int from = first->value_or(0);
  const int to = std::min(last->value_or(clip.frame_count() - 1), clip.frame_count() - 1);
  if (from > to)
    return Error{fmt::format("--cut: '{}' keeps nothing of {} frames, {:.3f} s", printable(text),
                             clip.frame_count(), clip.duration())};
  return FrameCut{from, to};
}

}  // namespace prehend::jobs
