// Flat drawing on images: smooth lines, discs, text in a stroke font, and sheets of pictures.
// Coordinates are pixels from the top left corner; pixel (0, 0) has its center at (0.5, 0.5).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "prehend/picture/picture.h"

namespace prehend::picture {

using Point2 = Eigen::Vector2d;

struct Pen {
  Vec3 color_srgb = {0.15, 0.15, 0.16};
  double width = 1.5;
  double opacity = 1.0;
};

enum class Align { kLeft, kCenter, kRight };

struct TextStyle {
  double size = 14.0;  // height of a capital in pixels
  Vec3 color_srgb = {0.15, 0.15, 0.16};
  Align align = Align::kLeft;
  double angle = 0.0;  // counter-clockwise
  bool bold = false;
};

// The line and its round joints are one shape: where it crosses itself it is not darker.
void draw_polyline(std::span<const Point2> points, const Pen& pen, Image& image);
void draw_disc(const Point2& center, double radius, const Pen& pen, Image& image);
void fill_rectangle(const Point2& low, const Point2& high, const Pen& pen, Image& image);

// `at` is on the baseline, at the left end, the middle or the right end as aligned. UTF-8; letters
// that the font lacks show as a box.
void draw_text(std::string_view text, const Point2& at, const TextStyle& style, Image& image);
double text_width(std::string_view text, const TextStyle& style);

// Puts `part` with its top left corner at (x, y); what lies outside is cut off.
void paste(const Image& part, int x, int y, Image& image);

struct SheetOptions {
  int columns = 0;  // 0: as many as make the sheet about as wide as a screen
  int gap = 8;
  double label_size = 16.0;
  std::string title;
};
// Pictures in rows with a label below each; labels may be fewer than pictures.
Image compose_sheet(const std::vector<Image>& images, const std::vector<std::string>& labels,
                    const SheetOptions& options = {});

}  // namespace prehend::picture
