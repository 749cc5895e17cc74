#include "prehend/picture/plot.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace prehend::picture {
namespace {

TEST(Plot, TicksAreRoundAndInsideTheRange) {
  EXPECT_EQ(plot_ticks({0.0, 10.0}, 5), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  for (const double low : {-7.3e-5, -3.0, 0.0, 12345.6}) {
    for (const double span : {1e-6, 0.37, 10.0, 9e5}) {
      const auto ticks = plot_ticks({low, low + span}, 8);
      ASSERT_GE(ticks.size(), 2u) << low << " " << span;
      EXPECT_LE(ticks.size(), 9u);
      EXPECT_GE(ticks.front(), low - 1e-9 * span);
      EXPECT_LE(ticks.back(), low + span + 1e-9 * span);
    }
  }
  EXPECT_TRUE(plot_ticks({1.0, 1.0}, 5).empty());
}

int count_color(const Image& image, const Vec3& color) {
  int count = 0;
  for (std::size_t i = 0; i + 2 < image.rgb.size(); i += 3) {
    bool same = true;
    for (int c = 0; c < 3; ++c) same &= std::abs(image.rgb[i + c] - 255.0 * color[c]) < 2.0;
    count += same;
  }
  return count;
}

TEST(Plot, ALineCrossesThePlotFromEndToEnd) {
  Plot plot;
  Series series{"rise", {0, 1}, {0, 1}};
  series.color_srgb = Vec3(1, 0, 0);
  series.width = 3.0;
  plot.series.push_back(series);
  EXPECT_GT(count_color(draw_plot(plot), Vec3(1, 0, 0)), 800);
}

TEST(Plot, GapsAndNonsenseDoNotStopIt) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  Plot plot;
  plot.series.push_back({"gaps", {0, 1, 2, nan, 4}, {1, nan, 3, 4, inf}});
  plot.series.push_back({"empty", {}, {}});
  plot.series.push_back({"uneven", {1, 2, 3}, {1}});
  plot.series.push_back({"flat", {1, 2}, {5, 5}});
  EXPECT_EQ(draw_plot(plot).rgb.size(), 3u * 900 * 560);
  EXPECT_EQ(draw_plot({}).rgb.size(), 3u * 900 * 560);
}

TEST(Plot, AHeatMapShowsItsLargestValueWhereItIs) {
  Plot plot;
  HeatMap map{{0, 4}, {0, 2}, 4, 2, std::vector<double>(8, 0.0)};
  map.values[1 * 4 + 3] = 1.0;  // upper right cell
  plot.heat_map = map;
  const Image image = draw_plot(plot);
  const Vec3 brightest = heat_color_srgb(1.0);
  double sum_x = 0.0, sum_y = 0.0;
  int count = 0;
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      if (std::abs(image.pixel(x, y)[0] - 255.0 * brightest[0]) > 3.0) continue;
      if (std::abs(image.pixel(x, y)[2] - 255.0 * brightest[2]) > 8.0) continue;
      sum_x += x;
      sum_y += y;
      ++count;
    }
  }
  ASSERT_GT(count, 10);
  EXPECT_GT(sum_x / count, 0.7 * image.width);
  EXPECT_LT(sum_y / count, 0.45 * image.height);
}

TEST(Plot, AMarkIsALineAcrossThePlotWithItsNameUnlessItIsOutside) {
  Plot plot;
  plot.x_range = Range{0.0, 1.0};
  plot.y_range = Range{0.0, 1.0};
  const Image bare = draw_plot(plot);
  plot.marks = {{2.0, "elsewhere"}, {std::nan(""), "nowhere"}};
  EXPECT_EQ(draw_plot(plot).rgb, bare.rgb);
  plot.marks = {{0.45, ""}};
  const Image line = draw_plot(plot);
  int rows = 0;
  for (int y = 0; y < line.height; ++y) {
    bool differs = false;
    for (int x = 0; x < line.width; ++x)
      differs |= !std::equal(line.pixel(x, y), line.pixel(x, y) + 3, bare.pixel(x, y));
    rows += differs;
  }
  EXPECT_GT(rows, line.height * 3 / 4);
  plot.marks = {{0.45, "closing"}};
  EXPECT_NE(draw_plot(plot).rgb, line.rgb);
}

}  // namespace
}  // namespace prehend::picture
