#include "prehend/picture/draw.h"

#include <algorithm>
#include <cmath>

#include "picture/font.h"

namespace prehend::picture {
namespace {

using Stroke = std::vector<Point2>;

struct PixelBox {
  int x0, y0, x1, y1;  // half open
};

PixelBox clipped(const Point2& low, const Point2& high, const Image& image) {
  const auto cut = [](double v, int size) {
    return static_cast<int>(std::clamp(v, 0.0, static_cast<double>(size)));
  };
  return {cut(std::floor(low.x()), image.width), cut(std::floor(low.y()), image.height),
          cut(std::ceil(high.x()), image.width), cut(std::ceil(high.y()), image.height)};
}

void blend(const Vec3& color_srgb, double cover, std::uint8_t* pixel) {
  for (int c = 0; c < 3; ++c) {
    const double target = 255.0 * std::clamp(color_srgb[c], 0.0, 1.0);
    pixel[c] = static_cast<std::uint8_t>(pixel[c] + cover * (target - pixel[c]) + 0.5);
  }
}

double distance_to_segment(const Point2& p, const Point2& a, const Point2& b) {
  const Point2 ab = b - a;
  const double length = ab.squaredNorm();
  const double t = length > 0.0 ? std::clamp((p - a).dot(ab) / length, 0.0, 1.0) : 0.0;
  return (p - a - t * ab).norm();
}

// Coverage is kept as a maximum over the strokes and laid on once.
class Coverage {
 public:
  Coverage(const PixelBox& box) : box_(box) {
    values_.assign(std::size_t(std::max(0, box.x1 - box.x0)) * std::max(0, box.y1 - box.y0), 0.0f);
  }

  void add_segment(const Point2& a, const Point2& b, double half_width) {
    const double reach = half_width + 1.0;
    const int x0 = column(std::min(a.x(), b.x()) - reach),
              x1 = column(std::max(a.x(), b.x()) + reach);
    const int y0 = row(std::min(a.y(), b.y()) - reach), y1 = row(std::max(a.y(), b.y()) + reach);
    for (int y = y0; y < y1; ++y) {
      for (int x = x0; x < x1; ++x) {
        const double d = distance_to_segment(Point2(x + 0.5, y + 0.5), a, b);
        // A line thinner than a pixel is fainter rather than narrower.
        const double cover = std::clamp(half_width + 0.5 - d, 0.0, std::min(1.0, 2.0 * half_width));
        float& value = values_[std::size_t(y - box_.y0) * (box_.x1 - box_.x0) + (x - box_.x0)];
        value = std::max(value, static_cast<float>(cover));
      }
    }
  }

  void lay(const Vec3& color_srgb, double opacity, Image& image) const {
    std::size_t i = 0;
    for (int y = box_.y0; y < box_.y1; ++y)
      for (int x = box_.x0; x < box_.x1; ++x, ++i)
        if (values_[i] > 0.0f) blend(color_srgb, opacity * values_[i], image.pixel(x, y));
  }

 private:
  int column(double x) const { return static_cast<int>(std::clamp<double>(x, box_.x0, box_.x1)); }
  int row(double y) const { return static_cast<int>(std::clamp<double>(y, box_.y0, box_.y1)); }

  PixelBox box_;
  std::vector<float> values_;
};

void draw_strokes(const std::vector<Stroke>& strokes, const Pen& pen, Image& image) {
  Point2 low(1e9, 1e9), high(-1e9, -1e9);
  for (const Stroke& stroke : strokes) {
    for (const Point2& p : stroke) {
      if (!p.allFinite()) return;
      low = low.cwiseMin(p);
      high = high.cwiseMax(p);
    }
  }
  const Point2 reach = Point2::Constant(0.5 * pen.width + 1.0);
  Coverage coverage(clipped(low - reach, high + reach, image));
  for (const Stroke& stroke : strokes) {
    if (stroke.size() == 1) coverage.add_segment(stroke[0], stroke[0], 0.5 * pen.width);
    for (std::size_t i = 1; i < stroke.size(); ++i)
      coverage.add_segment(stroke[i - 1], stroke[i], 0.5 * pen.width);
  }
  coverage.lay(pen.color_srgb, pen.opacity, image);
}

double grid_unit(const TextStyle& style) {
  return style.size / (detail::kCapital - detail::kBaseline);
}

int sheet_columns(const std::vector<Image>& images, const SheetOptions& options) {
  if (options.columns > 0) return std::min<int>(options.columns, static_cast<int>(images.size()));
  // Rows and columns such that the whole is about 16 by 9.
  const double aspect = double(images[0].width) / images[0].height;
  const double columns = std::sqrt(double(images.size()) * (16.0 / 9.0) / aspect);
  return std::clamp(static_cast<int>(std::lround(columns)), 1, static_cast<int>(images.size()));
}

}  // namespace

void draw_polyline(std::span<const Point2> points, const Pen& pen, Image& image) {
  if (!points.empty()) draw_strokes({Stroke(points.begin(), points.end())}, pen, image);
}

void draw_disc(const Point2& center, double radius, const Pen& pen, Image& image) {
  Pen dot = pen;
  dot.width = 2.0 * radius;
  draw_strokes({{center}}, dot, image);
}

void fill_rectangle(const Point2& low, const Point2& high, const Pen& pen, Image& image) {
  const PixelBox box = clipped(low, high, image);
  const auto overlap = [](double a, double b, int pixel) {
    return std::clamp(std::min(b, pixel + 1.0) - std::max(a, double(pixel)), 0.0, 1.0);
  };
  for (int y = box.y0; y < box.y1; ++y)
    for (int x = box.x0; x < box.x1; ++x)
      blend(pen.color_srgb,
            pen.opacity * overlap(low.x(), high.x(), x) * overlap(low.y(), high.y(), y),
            image.pixel(x, y));
}

double text_width(std::string_view text, const TextStyle& style) {
  double width = 0.0;
  while (!text.empty()) width += detail::glyph(detail::next_letter(text)).advance;
  // The last letter's gap does not count.
  return std::max(0.0, width - 2.6) * grid_unit(style);
}

void draw_text(std::string_view text, const Point2& at, const TextStyle& style, Image& image) {
  const double unit = grid_unit(style);
  const double c = std::cos(style.angle), s = std::sin(style.angle);
  const double shift = style.align == Align::kLeft     ? 0.0
                       : style.align == Align::kCenter ? 0.5
                                                       : 1.0;
  double x = -shift * text_width(text, style);
  std::vector<Stroke> strokes;
  while (!text.empty()) {
    const detail::Glyph& glyph = detail::glyph(detail::next_letter(text));
    for (const Stroke& stroke : glyph.strokes) {
      Stroke placed;
      for (const Point2& p : stroke) {
        const Point2 q(x + unit * p.x(), unit * (p.y() - detail::kBaseline));
        placed.push_back(at + Point2(c * q.x() - s * q.y(), -s * q.x() - c * q.y()));
      }
      strokes.push_back(std::move(placed));
    }
    x += unit * glyph.advance;
  }
  if (strokes.empty()) return;
  const double weight = style.bold ? 1.75 : 1.2;
  draw_strokes(strokes, {style.color_srgb, std::max(1.0, weight * unit), 1.0}, image);
}

void paste(const Image& part, int x, int y, Image& image) {
  const int x0 = std::max(0, -x), x1 = std::min(part.width, image.width - x);
  for (int row = std::max(0, -y); row < std::min(part.height, image.height - y); ++row) {
    if (x1 > x0)
      std::copy_n(part.pixel(x0, row), 3 * std::size_t(x1 - x0), image.pixel(x + x0, y + row));
  }
}

Image compose_sheet(const std::vector<Image>& images, const std::vector<std::string>& labels,
                    const SheetOptions& options) {
  if (images.empty()) return Image(1, 1);
  const int columns = sheet_columns(images, options);
  const int rows = (static_cast<int>(images.size()) + columns - 1) / columns;
  int width = 0, height = 0;
  for (const Image& image : images) {
    width = std::max(width, image.width);
    height = std::max(height, image.height);
  }
  const int strip = labels.empty() ? 0 : static_cast<int>(2.0 * options.label_size);
  const int top = options.title.empty() ? 0 : static_cast<int>(3.0 * options.label_size);
  Image sheet(columns * (width + options.gap) + options.gap,
              top + rows * (height + strip + options.gap) + options.gap, Vec3(0.97, 0.965, 0.955));
  TextStyle style{options.label_size, Vec3(0.18, 0.17, 0.16), Align::kCenter};
  for (std::size_t i = 0; i < images.size(); ++i) {
    const int x = options.gap + static_cast<int>(i) % columns * (width + options.gap);
    const int y =
        top + options.gap + static_cast<int>(i) / columns * (height + strip + options.gap);
    paste(images[i], x + (width - images[i].width) / 2, y, sheet);
    if (i < labels.size())
      draw_text(labels[i], Point2(x + 0.5 * width, y + height + 1.45 * options.label_size), style,
                sheet);
  }
  if (!options.title.empty()) {
    style.size *= 1.25;
    style.bold = true;
    draw_text(options.title, Point2(0.5 * sheet.width, 2.1 * options.label_size), style, sheet);
  }
  return sheet;
}

}  // namespace prehend::picture
