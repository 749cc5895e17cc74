#include "prehend/picture/draw.h"

#include <numeric>

#include <gtest/gtest.h>

namespace prehend::picture {
namespace {

double ink(const Image& image) {
  double sum = 0.0;
  for (const std::uint8_t v : image.rgb) sum += (255 - v) / 255.0 / 3.0;
  return sum;
}

TEST(PictureDraw, ALineHasItsLengthTimesItsWidthOfInk) {
  Image image(200, 60);
  const Point2 points[] = {{20, 30.25}, {180, 30.25}};
  draw_polyline(points, {Vec3::Zero(), 4.0}, image);
  // Round ends add a disc of the line's width.
  EXPECT_NEAR(ink(image), 160 * 4.0 + kPi * 4.0, 6.0);
}

TEST(PictureDraw, ADiscHasItsAreaOfInk) {
  Image image(100, 100);
  draw_disc({50.3, 49.8}, 20.0, {Vec3::Zero()}, image);
  EXPECT_NEAR(ink(image), kPi * 400.0, 15.0);
}

TEST(PictureDraw, ARectangleCoversPartsOfPixels) {
  Image image(40, 40);
  fill_rectangle({10.5, 10.25}, {20.0, 12.75}, {Vec3::Zero()}, image);
  EXPECT_NEAR(ink(image), 9.5 * 2.5, 0.2);
}

TEST(PictureDraw, EveryPrintableLetterLeavesItsOwnInk) {
  std::vector<std::vector<std::uint8_t>> seen;
  for (char c = '!'; c <= '~'; ++c) {
    Image image(40, 50);
    draw_text(std::string(1, c), {8, 35}, {24.0, Vec3::Zero()}, image);
    EXPECT_GT(ink(image), 3.0) << c;
    for (const auto& other : seen) EXPECT_NE(image.rgb, other) << c;
    seen.push_back(image.rgb);
  }
}

TEST(PictureDraw, TextStaysWithinItsWidthAndAlignsRight) {
  const TextStyle style{18.0, Vec3::Zero(), Align::kRight};
  const std::string text = "index 12.5 mm";
  Image image(400, 60);
  draw_text(text, {300, 40}, style, image);
  int low = 400, high = 0;
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      if (image.pixel(x, y)[0] == 255) continue;
      low = std::min(low, x);
      high = std::max(high, x);
    }
  }
  EXPECT_NEAR(low, 300 - text_width(text, style), 3.0);
  EXPECT_NEAR(high, 300, 3.0);
}

TEST(PictureDraw, BrokenAndForeignTextIsDrawnAsBoxes) {
  Image image(400, 60);
  draw_text("\xff\xc3 \xe4\xbd\xa0 \xf0\x9f", {10, 40}, {18.0}, image);
  EXPECT_GT(ink(image), 50.0);
}

TEST(PictureDraw, DrawingFarOutsideChangesNothing) {
  Image image(50, 50);
  draw_text("far away", {-5000, 9000}, {18.0}, image);
  draw_disc({1e7, -1e7}, 5.0, {}, image);
  const Point2 points[] = {{-100, -100}, {-10, -200}};
  draw_polyline(points, {}, image);
  paste(Image(10, 10, Vec3::Zero()), -20, 60, image);
  EXPECT_EQ(ink(image), 0.0);
}

TEST(PictureDraw, ASheetHoldsEveryPictureInOrder) {
  std::vector<Image> images;
  for (int i = 0; i < 5; ++i) images.emplace_back(60, 40, Vec3::Constant(0.1 * i));
  SheetOptions options;
  options.columns = 2;
  options.label_size = 10.0;
  const Image sheet = compose_sheet(images, {"a", "b", "c", "d", "e"}, options);
  EXPECT_EQ(sheet.width, 2 * 60 + 3 * options.gap);
  EXPECT_EQ(sheet.height, 3 * (40 + 20 + options.gap) + options.gap);
  for (int i = 0; i < 5; ++i) {
    const int x = options.gap + i % 2 * (60 + options.gap) + 30;
    const int y = options.gap + i / 2 * (60 + options.gap) + 20;
    EXPECT_EQ(sheet.pixel(x, y)[0], images[i].rgb[0]) << i;
  }
}

}  // namespace
}  // namespace prehend::picture
