// The stroke font: letters as lines and curves on a small grid.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "prehend/picture/draw.h"

namespace prehend::picture::detail {

// Grid: y 3 is the baseline, 9 the height of small letters, 12 that of capitals, 0 the descenders.
inline constexpr double kBaseline = 3.0;
inline constexpr double kCapital = 12.0;

struct Glyph {
  std::vector<std::vector<Point2>> strokes;
  double advance = 0.0;
};

const Glyph& glyph(char32_t letter);
// Takes the next letter off the front of a UTF-8 text; broken bytes come out as U+FFFD.
char32_t next_letter(std::string_view& text);

}  // namespace prehend::picture::detail
