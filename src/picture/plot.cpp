#include "prehend/picture/plot.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "prehend/picture/draw.h"

namespace prehend::picture {
namespace {

const Vec3 kInk(0.20, 0.20, 0.21);
const Vec3 kGrid(0.88, 0.87, 0.86);
const Vec3 kMark(0.55, 0.54, 0.52);
constexpr double kText = 11.0;   // pixels, the height of letters
constexpr double kTitle = 15.0;  // pixels

Vec3 series_color(std::size_t index) {
  static const Vec3 kColors[] = {{0.11, 0.42, 0.69}, {0.85, 0.45, 0.09}, {0.16, 0.58, 0.40},
                                 {0.75, 0.23, 0.30}, {0.47, 0.36, 0.66}, {0.42, 0.33, 0.24},
                                 {0.84, 0.47, 0.68}, {0.40, 0.42, 0.44}};
  return kColors[index % std::size(kColors)];
}

// The range of finite values, never empty.
Range extent(const std::vector<const std::vector<double>*>& columns, double margin) {
  Range range{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (const auto* column : columns) {
    for (const double v : *column) {
      if (!std::isfinite(v)) continue;
      range.low = std::min(range.low, v);
      range.high = std::max(range.high, v);
    }
  }
  if (!(range.low <= range.high)) return {0.0, 1.0};
  double more = margin * (range.high - range.low);
  if (range.high - range.low <= 1e-12 * std::max(std::abs(range.low), std::abs(range.high)))
    more = range.low == 0.0 ? 1.0 : 0.1 * std::abs(range.low);
  return {range.low - more, range.high + more};
}

Range widened(const Range& range, double size) {
  const double more = 0.5 * (size - (range.high - range.low));
  return {range.low - more, range.high + more};
}

std::string tick_text(double value, double step) {
  if (std::abs(value) < 1e-9 * step) value = 0.0;
  const double largest = std::max(std::abs(value), step);
  if (largest >= 1e6 || step < 1e-5) return fmt::format("{:.3g}", value);
  const int decimals = std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
  return fmt::format("{:.{}f}", value, decimals);
}

class Axes {
 public:
  explicit Axes(const Plot& plot) : plot_(plot), image_(plot.width, plot.height) {
    set_ranges();
    x_ticks_ = plot_ticks(x_, std::max(2, plot.width / 90));
    y_ticks_ = plot_ticks(y_, std::max(2, plot.height / 60));
    set_frame();
    if (plot.equal_axes) equalize();
  }

  Image draw() {
    if (plot_.heat_map) draw_heat_map();
    draw_grid();
    draw_marks();
    for (std::size_t i = 0; i < plot_.series.size(); ++i) draw_series(i);
    draw_frame();
    draw_legend();
    return std::move(image_);
  }

 private:
  void set_ranges() {
    std::vector<const std::vector<double>*> xs, ys;
    for (const Series& series : plot_.series) {
      xs.push_back(&series.x);
      ys.push_back(&series.y);
    }
    const auto& heat = plot_.heat_map;
    x_ = plot_.x_range.value_or(heat ? heat->x : extent(xs, 0.02));
    y_ = plot_.y_range.value_or(heat ? heat->y : extent(ys, 0.06));
    if (!(x_.high > x_.low)) x_ = {x_.low - 0.5, x_.low + 0.5};
    if (!(y_.high > y_.low)) y_ = {y_.low - 0.5, y_.low + 0.5};
  }

  void set_frame() {
    double numbers = 0.0;
    const double step = y_ticks_.size() > 1 ? y_ticks_[1] - y_ticks_[0] : 1.0;
    for (const double tick : y_ticks_)
      numbers = std::max(numbers, text_width(tick_text(tick, step), {kText}));
    low_.x() = 22.0 + numbers + (plot_.y_label.empty() ? 0.0 : 2.2 * kText);
    high_.y() = plot_.height - 2.6 * kText - 8.0 - (plot_.x_label.empty() ? 0.0 : 2.0 * kText);
    low_.y() = plot_.title.empty() ? 16.0 : 20.0 + 1.8 * kTitle;
    high_.x() = plot_.width - 18.0 - legend_width();
    high_ = high_.cwiseMax(low_ + Point2(10.0, 10.0));
  }

  void equalize() {
    const Point2 size = high_ - low_;
    const double per_x = (x_.high - x_.low) / size.x(), per_y = (y_.high - y_.low) / size.y();
    const double unit = std::max(per_x, per_y);
    x_ = widened(x_, unit * size.x());
    y_ = widened(y_, unit * size.y());
    x_ticks_ = plot_ticks(x_, std::max(2, plot_.width / 90));
    y_ticks_ = plot_ticks(y_, std::max(2, plot_.height / 60));
  }

  double legend_width() const {
    double width = 0.0;
    for (const Series& series : plot_.series)
      if (!series.name.empty()) width = std::max(width, 52.0 + text_width(series.name, {kText}));
    return width;
  }

  Point2 at(double x, double y) const {
    return {low_.x() + (x - x_.low) / (x_.high - x_.low) * (high_.x() - low_.x()),
            high_.y() - (y - y_.low) / (y_.high - y_.low) * (high_.y() - low_.y())};
  }

  void line(const Point2& a, const Point2& b, const Pen& pen) {
    const Point2 points[] = {a, b};
    draw_polyline(points, pen, image_);
  }

  void draw_grid() {
    const Pen pen{kGrid, 1.0, plot_.heat_map ? 0.25 : 1.0};
    for (const double x : x_ticks_) line({at(x, 0).x(), low_.y()}, {at(x, 0).x(), high_.y()}, pen);
    for (const double y : y_ticks_) line({low_.x(), at(0, y).y()}, {high_.x(), at(0, y).y()}, pen);
  }

  void draw_marks() {
    TextStyle style{0.75 * kText, kMark, Align::kRight};
    style.angle = 0.5 * kPi;
    for (const PlotMark& mark : plot_.marks) {
      if (!(mark.x >= x_.low && mark.x <= x_.high)) continue;
      const double x = at(mark.x, 0).x();
      line({x, low_.y()}, {x, high_.y()}, {kMark, 1.0});
      draw_text(mark.name, {x + style.size + 4.0, low_.y() + 6.0}, style, image_);
    }
  }

  void draw_frame() {
    // Whatever was drawn beyond the axes is covered before the frame is drawn.
    const Pen paper{Vec3::Ones()};
    const double w = plot_.width, h = plot_.height;
    fill_rectangle({0, 0}, {w, low_.y()}, paper, image_);
    fill_rectangle({0, high_.y()}, {w, h}, paper, image_);
    fill_rectangle({0, low_.y()}, {low_.x(), high_.y()}, paper, image_);
    fill_rectangle({high_.x(), low_.y()}, {w, high_.y()}, paper, image_);
    const Pen pen{kInk, 1.2};
    line({low_.x(), high_.y()}, high_, pen);
    line(low_, {low_.x(), high_.y()}, pen);
    TextStyle style{kText, kInk, Align::kCenter};
    const double x_step = x_ticks_.size() > 1 ? x_ticks_[1] - x_ticks_[0] : 1.0;
    for (const double x : x_ticks_) {
      const Point2 p(at(x, 0).x(), high_.y());
      line(p, p + Point2(0, 5), pen);
      draw_text(tick_text(x, x_step), p + Point2(0, 9 + kText), style, image_);
    }
    style.align = Align::kRight;
    const double y_step = y_ticks_.size() > 1 ? y_ticks_[1] - y_ticks_[0] : 1.0;
    for (const double y : y_ticks_) {
      const Point2 p(low_.x(), at(0, y).y());
      line(p, p - Point2(5, 0), pen);
      draw_text(tick_text(y, y_step), p + Point2(-10, 0.5 * kText), style, image_);
    }
    draw_labels();
  }

  void draw_labels() {
    TextStyle style{kText, kInk, Align::kCenter};
    const Point2 middle = 0.5 * (low_ + high_);
    draw_text(plot_.x_label, {middle.x(), plot_.height - 10.0}, style, image_);
    style.angle = 0.5 * kPi;
    draw_text(plot_.y_label, {10.0 + kText, middle.y()}, style, image_);
    style.angle = 0.0;
    style.size = kTitle;
    style.bold = true;
    draw_text(plot_.title, {middle.x(), 16.0 + kTitle}, style, image_);
  }

  void draw_series(std::size_t index) {
    const Series& series = plot_.series[index];
    const Pen pen{series.color_srgb.value_or(series_color(index)), series.width};
    std::vector<Point2> run;
    const std::size_t count = std::min(series.x.size(), series.y.size());
    for (std::size_t i = 0; i <= count; ++i) {
      const bool gap = i == count || !std::isfinite(series.x[i]) || !std::isfinite(series.y[i]);
      if (!gap) {
        // Far outside is as good as just outside, and cheap to draw.
        const Point2 p = at(series.x[i], series.y[i]);
        run.push_back(p.cwiseMax(Point2(-2e4, -2e4)).cwiseMin(Point2(2e4, 2e4)));
        continue;
      }
      if (series.line && run.size() > 1) draw_polyline(run, pen, image_);
      if (series.points || run.size() == 1)
        for (const Point2& p : run) draw_disc(p, series.width, pen, image_);
      run.clear();
    }
  }

  void draw_legend() {
    double y = low_.y() + kText;
    for (std::size_t i = 0; i < plot_.series.size(); ++i) {
      const Series& series = plot_.series[i];
      if (series.name.empty()) continue;
      const Pen pen{series.color_srgb.value_or(series_color(i)), std::max(2.0, series.width)};
      const Point2 left(high_.x() + 16.0, y - 0.5 * kText);
      if (series.line) line(left, left + Point2(20, 0), pen);
      if (series.points) draw_disc(left + Point2(10, 0), series.width + 0.5, pen, image_);
      draw_text(series.name, {left.x() + 28.0, y}, {kText, kInk}, image_);
      y += 2.0 * kText;
    }
  }

  void draw_heat_map() {
    const HeatMap& map = *plot_.heat_map;
    PREHEND_ASSERT(map.columns > 0 && map.rows > 0 &&
                   map.values.size() == std::size_t(map.columns) * map.rows);
    const Range range = extent({&map.values}, 0.0);
    const Point2 a = at(map.x.low, map.y.low), b = at(map.x.high, map.y.high);
    for (int py = std::max(0, int(b.y())); py < std::min<int>(plot_.height, int(a.y()) + 1); ++py) {
      for (int px = std::max(0, int(a.x())); px < std::min<int>(plot_.width, int(b.x()) + 1);
           ++px) {
        const double u = (px + 0.5 - a.x()) / (b.x() - a.x()) * map.columns;
        const double v = (a.y() - py - 0.5) / (a.y() - b.y()) * map.rows;
        if (u < 0.0 || v < 0.0 || u >= map.columns || v >= map.rows) continue;
        const double value = between_cells(map, u - 0.5, v - 0.5);
        if (!std::isfinite(value)) continue;
        const Vec3 color = heat_color_srgb((value - range.low) / (range.high - range.low));
        for (int c = 0; c < 3; ++c)
          image_.pixel(px, py)[c] = static_cast<std::uint8_t>(255.0 * color[c] + 0.5);
      }
    }
  }

  // Bilinear between the centers of cells.
  static double between_cells(const HeatMap& map, double u, double v) {
    const auto value = [&map](int column, int row) {
      column = std::clamp(column, 0, map.columns - 1);
      row = std::clamp(row, 0, map.rows - 1);
      return map.values[std::size_t(row) * map.columns + column];
    };
    const int i = static_cast<int>(std::floor(u)), j = static_cast<int>(std::floor(v));
    const double s = u - i, t = v - j;
    return (1 - t) * ((1 - s) * value(i, j) + s * value(i + 1, j)) +
           t * ((1 - s) * value(i, j + 1) + s * value(i + 1, j + 1));
  }

  const Plot& plot_;
  Image image_;
  Range x_, y_;
  std::vector<double> x_ticks_, y_ticks_;
  Point2 low_, high_;  // corners of the plotted area in the image
};

}  // namespace

std::vector<double> plot_ticks(const Range& range, int most) {
  const double span = range.high - range.low;
  if (!(span > 0.0) || !std::isfinite(span)) return {};
  const double rough = span / std::max(1, most);
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  double step = 10.0 * power;
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough * (1.0 - 1e-9)) {
      step = factor * power;
      break;
    }
  }
  std::vector<double> ticks;
  for (double i = std::ceil(range.low / step - 1e-9); i * step <= range.high + 1e-9 * span; ++i)
    ticks.push_back(i * step);
  return ticks;
}

Vec3 heat_color_srgb(double value) {
  static const Vec3 kStops[] = {{0.23, 0.10, 0.35}, {0.22, 0.29, 0.52}, {0.14, 0.46, 0.55},
                                {0.17, 0.62, 0.50}, {0.50, 0.76, 0.33}, {0.97, 0.89, 0.34}};
  constexpr int kSpans = static_cast<int>(std::size(kStops)) - 1;
  const double at = std::clamp(std::isfinite(value) ? value : 0.0, 0.0, 1.0) * kSpans;
  const int stop = std::min(static_cast<int>(at), kSpans - 1);
  return kStops[stop] + (at - stop) * (kStops[stop + 1] - kStops[stop]);
}

Image draw_plot(const Plot& plot) {
  PREHEND_ASSERT(plot.width > 0 && plot.height > 0);
  return Axes(plot).draw();
}

}  // namespace prehend::picture
