#include "picture/font.h"

#include <map>

namespace prehend::picture::detail {
namespace {

struct GlyphSource {
  char32_t letter;
  int width;
  // Strokes parted by '|', points as pairs of hexadecimal digits "xy". A stroke is straight from
  // point to point; '~' makes its points the control points of a smooth curve that starts at the
  // first and ends at the last, '@' those of a closed one.
  const char* strokes;
};

constexpr GlyphSource kGlyphs[] = {
    {U' ', 2, ""},
    {U'A', 6, "033c63|1656"},
    {U'B', 6, "030c|~0c3c5c583808|~083868633303"},
    {U'C', 6, "~6a6c3c0c080703336365"},
    {U'D', 6, "030c|~0c3c6c6867633303"},
    {U'E', 5, "5c0c0353|0848"},
    {U'F', 5, "5c0c03|0848"},
    {U'G', 6, "~6a6c3c0c080703336367|6747"},
    {U'H', 6, "030c|636c|0868"},
    {U'I', 0, "030c"},
    {U'J', 4, "~4c4846430305"},
    {U'K', 5, "030c|5c06|2853"},
    {U'L', 5, "0c0353"},
    {U'M', 8, "030c468c83"},
    {U'N', 6, "030c636c"},
    {U'O', 7, "@030c7c73"},
    {U'P', 6, "030c|~0c3c6c673707"},
    {U'Q', 7, "@030c7c73|4673"},
    {U'R', 6, "030c|~0c3c6c673707|3763"},
    {U'S', 5, "~5a5c0c0857530305"},
    {U'T', 6, "0c6c|3c33"},
    {U'U', 6, "~0c070363676c"},
    {U'V', 6, "0c336c"},
    {U'W', 8, "0c234a638c"},
    {U'X', 6, "036c|0c63"},
    {U'Y', 6, "0c376c|3733"},
    {U'Z', 6, "0c6c0363"},
    {U'a', 5, "@03095953|5953"},
    {U'b', 5, "0c03|@03095953"},
    {U'c', 4, "~484909034344"},
    {U'd', 5, "5c53|@03095953"},
    {U'e', 5, "0656|~565909034354"},
    {U'f', 3, "~4c1c1913|0939"},
    {U'g', 5, "@03095953|~5954500001"},
    {U'h', 5, "0c03|~0609595653"},
    {U'i', 0, "0903|0c0c"},
    {U'j', 2, "~2923200001|2c2c"},
    {U'k', 4, "0c03|4905|2743"},
    {U'l', 1, "~0c050313"},
    {U'm', 8, "0903|~0609494643|~4649898683"},
    {U'n', 5, "0903|~0609595653"},
    {U'o', 5, "@03095953"},
    {U'p', 5, "0900|@03095953"},
    {U'q', 5, "5950|@03095953"},
    {U'r', 3, "0903|~060939"},
    {U's', 4, "~4849090646430304"},
    {U't', 3, "~1c161333|0939"},
    {U'u', 5, "~0906035356|5953"},
    {U'v', 4, "092349"},
    {U'w', 8, "0923496389"},
    {U'x', 4, "0943|0349"},
    {U'y', 4, "0923|4910"},
    {U'z', 4, "09490343"},
    {U'0', 5, "@030c5c53"},
    {U'1', 5, "1a3c33"},
    {U'2', 5, "~0a0c5c5803|0353"},
    {U'3', 5, "~0b0c5c5828|~2858530304"},
    {U'4', 5, "434c0656"},
    {U'5', 5, "5c0c08|~081959530304"},
    {U'6', 5, "@03085853|~5c0c06"},
    {U'7', 5, "0c5c23"},
    {U'8', 5, "@080c5c58|@03085853"},
    {U'9', 5, "@070c5c57|~595303"},
    {U'.', 0, "0303"},
    {U',', 1, "1301"},
    {U':', 0, "0303|0808"},
    {U';', 1, "1301|1818"},
    {U'-', 3, "0737"},
    {U'+', 4, "0747|2529"},
    {U'=', 4, "0646|0848"},
    {U'/', 4, "024c"},
    {U'\\', 4, "0c42"},
    {U'(', 2, "~2d0a0522"},
    {U')', 2, "~0d2a2502"},
    {U'[', 2, "2d0d0222"},
    {U']', 2, "0d2d2202"},
    {U'{', 3, "~3d1d1a07|~07151232"},
    {U'}', 3, "~0d2d2a37|~37252202"},
    {U'<', 4, "4a0744"},
    {U'>', 4, "0a4704"},
    {U'_', 5, "0252"},
    {U'%', 7, "@080c3c38|@43477773|037c"},
    {U'*', 4, "2c28|0b49|094b"},
    {U'!', 0, "0c06|0303"},
    {U'?', 4, "~0a0c4c482726|2323"},
    {U'\'', 0, "0c0a"},
    {U'"', 2, "0c0a|2c2a"},
    {U'#', 6, "132c|435c|0666|0969"},
    {U'&', 6, "~63191c4c4905034366"},
    {U'@', 7, "~7433020c7c765558|@35395955"},
    {U'$', 5, "~5a5c0c0857530305|2d22"},
    {U'^', 4, "0a2c4a"},
    {U'`', 1, "0c1a"},
    {U'|', 0, "0d02"},
    {U'~', 5, "~060a3559"},
    {U'°', 2, "@0a0c2c2a"},
    {U'±', 4, "0848|2a26|0444"},
    {U'²', 3, "~0b0c3c3a08|0838"},
    {U'³', 3, "~0b0c3c3a1a|~1a3a380809"},
    {U'·', 0, "0707"},
    {U'×', 4, "0549|0945"},
    {U'µ', 5, "~0906035356|5953|0900"},
    {U'μ', 5, "~0906035356|5953|0900"},
    {U'π', 5, "0959|1913|4943"},
    {U'θ', 5, "@030c5c53|0757"},
    {U'σ', 5, "@03094943|2959"},
    {U'–', 5, "0757"},
    {U'−', 4, "0747"},
    {U'→', 6, "0767|496745"},
    {U'\uFFFD', 4, "030c4c4303"},
};

double digit(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

// Halfway points of a quadratic B-spline, four steps a span.
void add_arc(const Point2& from, const Point2& control, const Point2& to,
             std::vector<Point2>& line) {
  constexpr int kSteps = 6;
  for (int i = 0; i <= kSteps; ++i) {
    const double t = double(i) / kSteps, s = 1.0 - t;
    line.push_back(s * s * from + 2.0 * s * t * control + t * t * to);
  }
}

std::vector<Point2> curve(const std::vector<Point2>& control, bool closed) {
  std::vector<Point2> line;
  const std::size_t n = control.size();
  if (closed) {
    for (std::size_t i = 0; i < n; ++i) {
      const Point2& before = control[(i + n - 1) % n];
      const Point2& after = control[(i + 1) % n];
      add_arc(0.5 * (before + control[i]), control[i], 0.5 * (control[i] + after), line);
    }
    return line;
  }
  if (n < 3) return control;
  for (std::size_t i = 1; i + 1 < n; ++i) {
    const Point2 from = i == 1 ? control[0] : Point2(0.5 * (control[i - 1] + control[i]));
    const Point2 to = i + 2 == n ? control[n - 1] : Point2(0.5 * (control[i] + control[i + 1]));
    add_arc(from, control[i], to, line);
  }
  return line;
}

Glyph parse(const GlyphSource& source) {
  Glyph result;
  result.advance = source.width + 2.6;
  std::string_view text = source.strokes;
  while (!text.empty()) {
    const std::string_view stroke = text.substr(0, text.find('|'));
    text.remove_prefix(std::min(text.size(), stroke.size() + 1));
    const char kind = stroke.front();
    std::string digits;
    for (const char c : stroke)
      if (c != ' ' && c != '~' && c != '@') digits.push_back(c);
    std::vector<Point2> points;
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
      points.push_back({digit(digits[i]), digit(digits[i + 1])});
    if (kind == '~' || kind == '@') points = curve(points, kind == '@');
    result.strokes.push_back(std::move(points));
  }
  return result;
}

std::map<char32_t, Glyph> parse_all() {
  std::map<char32_t, Glyph> glyphs;
  for (const GlyphSource& source : kGlyphs) glyphs.emplace(source.letter, parse(source));
  return glyphs;
}

}  // namespace

const Glyph& glyph(char32_t letter) {
  static const std::map<char32_t, Glyph> kParsed = parse_all();
  const auto found = kParsed.find(letter);
  return found != kParsed.end() ? found->second : kParsed.at(U'\uFFFD');
}

char32_t next_letter(std::string_view& text) {
  const auto byte = [&text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const std::size_t length = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  char32_t letter = length == 1 ? first : first & (0x7fU >> length);
  bool good = length == 1 || (first >= 0xc2 && first < 0xf5 && text.size() >= length);
  for (std::size_t i = 1; good && i < length; ++i) {
    good = (byte(i) & 0xc0) == 0x80;
    letter = (letter << 6) | (byte(i) & 0x3fU);
  }
  text.remove_prefix(good ? length : 1);
  return good ? letter : U'\uFFFD';
}

}  // namespace prehend::picture::detail
