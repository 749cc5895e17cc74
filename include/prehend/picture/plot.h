// Plots: lines and points over axes with numbers, on top of a heat map if there is one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "prehend/picture/picture.h"

namespace prehend::picture {

struct Range {
  double low = 0.0;
  double high = 1.0;
};

struct Series {
  std::string name;  // in the legend; none if empty
  std::vector<double> x;
  std::vector<double> y;  // breaks the line where it is not finite
  bool line = true;
  bool points = false;
  double width = 2.0;              // of the line; points are as wide again
  std::optional<Vec3> color_srgb;  // left empty: the next of a set that color-blind eyes part
};

// Values over a grid of cells, row by row from the lowest y.
struct HeatMap {
  Range x;
  Range y;
  int columns = 0;
  int rows = 0;
  std::vector<double> values;
};

// A line across the plot at x, and what begins there, written along it.
struct PlotMark {
  double x = 0.0;
  std::string name;
};

struct Plot {
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<Series> series;
  std::optional<HeatMap> heat_map;
  std::vector<PlotMark> marks;
  // Left empty: what is plotted, and a little more.
  std::optional<Range> x_range;
  std::optional<Range> y_range;
  bool equal_axes = false;  // a unit is as long in x as in y
  int width = 900;
  int height = 560;
};

Image draw_plot(const Plot& plot);

// Steps of 1, 2 or 5 times a power of ten: at most `most` ticks inside the range.
std::vector<double> plot_ticks(const Range& range, int most);

// From dark violet over teal to yellow, even in brightness; 0 to 1.
Vec3 heat_color_srgb(double value);

}  // namespace prehend::picture
