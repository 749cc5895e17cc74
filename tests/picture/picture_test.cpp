#include "prehend/picture/picture.h"

#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>
#include <png.h>
#include <tbb/global_control.h>

#include "picture/tracer.h"

namespace prehend::picture {
namespace {

PictureScene ball_on_floor() {
  PictureScene scene;
  scene.capsules.push_back({Vec3(0, 0.05, 0), Vec3(0, 0.05, 0), 0.05, {Vec3(1, 1, 1), 0.9}});
  return scene;
}

PictureOptions small() {
  PictureOptions options;
  options.width = 160;
  options.height = 120;
  options.samples = 4;
  return options;
}

int brightness(const Image& image, const Eigen::Vector2d& at) {
  const std::uint8_t* p = image.pixel(static_cast<int>(at.x()), static_cast<int>(at.y()));
  return p[0] + p[1] + p[2];
}

TEST(Picture, IsTheSameForAnyNumberOfThreads) {
  PictureScene scene = ball_on_floor();
  scene.arrows.push_back({Vec3(0, 0.1, 0), Vec3(0.02, 0.05, 0)});
  scene.capsules.push_back(
      {Vec3(0.1, 0.02, 0), Vec3(0.1, 0.02, 0.1), 0.02, {Vec3(.2, .4, .8), .3, .5}});
  PictureOptions options = small();
  options.threads = 1;
  const Image one = render(scene, options);
  for (const int threads : {2, 3, 7}) {
    options.threads = threads;
    EXPECT_EQ(render(scene, options).rgb, one.rgb) << threads;
  }
}

TEST(Picture, IsGivenUpWhenStopped) {
  std::stop_source source;
  PictureOptions options = small();
  options.stop = source.get_token();
  EXPECT_FALSE(render(ball_on_floor(), options).empty());
  source.request_stop();
  EXPECT_TRUE(render(ball_on_floor(), options).empty());
}

TEST(Picture, FramingPutsEveryPointInsideAndTouchesTheMargin) {
  std::vector<Vec3> points;
  for (int i = 0; i < 200; ++i)
    points.push_back({std::sin(1.7 * i), 0.4 * std::cos(2.3 * i) + 3.0, 0.2 * std::sin(0.9 * i)});
  for (const bool orthographic : {false, true}) {
    for (const double azimuth : {-2.0, 0.0, 1.0, 3.0}) {
      for (const double elevation : {-0.5, 0.0, 0.7, 1.5}) {
        Camera camera;
        camera.azimuth = azimuth;
        camera.elevation = elevation;
        camera.orthographic = orthographic;
        const Camera full = framed(camera, points, 4.0 / 3.0);
        double reach = 0.0;
        for (const Vec3& p : points) {
          const Eigen::Vector2d at = project(full, 400, 300, p);
          reach = std::max({reach, std::abs(at.x() / 200 - 1), std::abs(at.y() / 150 - 1)});
        }
        EXPECT_LT(reach, 1.0);
        EXPECT_NEAR(reach, 0.92, 0.02) << azimuth << " " << elevation << " " << orthographic;
      }
    }
  }
}

TEST(Picture, AGivenTargetStaysInTheMiddle) {
  const std::vector<Vec3> points = {{0, 0, 0}, {0.2, 0, 0}, {0, 0.3, 0}};
  Camera camera;
  camera.target = Vec3(0.2, 0.1, 0);
  const Camera full = framed(camera, points, 1.5);
  EXPECT_NEAR((project(full, 300, 200, *camera.target) - Eigen::Vector2d(150, 100)).norm(), 0,
              1e-9);
  for (const Vec3& p : points) {
    const Eigen::Vector2d at = project(full, 300, 200, p);
    EXPECT_TRUE(at.x() > 0 && at.x() < 300 && at.y() > 0 && at.y() < 200) << at.transpose();
  }
}

TEST(Picture, ABallIsBrightTowardsTheKeyLightAndCastsAShadowAwayFromIt) {
  PictureOptions options = small();
  const PictureScene scene = ball_on_floor();
  options.key_light_world = Vec3(-1, 1.5, 0.5);
  options.camera = framed(options.camera, framing_points(scene), 4.0 / 3.0);
  options.camera.distance = 2.0 * *options.camera.distance;
  const Image image = render(scene, options);
  const auto at = [&](const Vec3& p) {
    return brightness(image, project(options.camera, options.width, options.height, p));
  };
  const Vec3 center(0, 0.05, 0), light = options.key_light_world->normalized();
  const int lit = at(center + 0.049 * (light + Vec3(0, 0, 0.4)).normalized());
  const int dark = at(center + 0.049 * Vec3(0.7, -0.5, 0.7).normalized());
  EXPECT_GT(lit, dark + 100);
  const int shadow = at(Vec3(0, 0, 0) + Vec3(1, 0, -0.5) * 0.04);
  const int open = at(Vec3(-0.15, 0, 0.1));
  EXPECT_LT(shadow, open - 100);
}

TEST(Picture, AnOpenFloorIsTheBackgroundExactly) {
  PictureScene scene = ball_on_floor();
  PictureOptions options = small();
  options.camera.target = Vec3(0, 0, 3.0);  // far from the ball
  options.camera.distance = 1.0;
  options.camera.azimuth = 0.0;
  options.camera.elevation = radians(60.0);
  const Image with_floor = render(scene, options);
  scene.floor = false;
  const Image without = render(scene, options);
  int worst = 0;
  for (std::size_t i = 0; i < without.rgb.size(); ++i)
    worst = std::max(worst, std::abs(int(with_floor.rgb[i]) - int(without.rgb[i])));
  EXPECT_LE(worst, 1);
}

TEST(Picture, WhatLiesBehindASeeThroughWallShows) {
  PictureScene scene = ball_on_floor();
  scene.capsules[0].material.color_srgb = Vec3(1, 0, 0);
  PictureOptions options = small();
  options.camera.azimuth = 0;
  options.camera.elevation = 0.2;
  const auto redness = [&](double opacity) {
    PictureScene walled = scene;
    walled.capsules.push_back(
        {Vec3(-0.05, 0.05, 0.12), Vec3(0.05, 0.05, 0.12), 0.05, {Vec3(0, 0, 1), 0.5, opacity}});
    const Image image = render(walled, options);
    const std::uint8_t* p = image.pixel(80, 60);
    return int(p[0]) - int(p[2]);
  };
  EXPECT_LT(redness(1.0), redness(0.3) - 50);
}

TEST(Picture, AMarkShowsThroughWhatHidesItAndCastsNoShadow) {
  PictureScene scene = ball_on_floor();
  PictureOptions options = small();
  options.camera = framed({}, framing_points(scene), 4.0 / 3.0);
  const Image plain = render(scene, options);
  PictureScene marked = scene;
  const Vec3 inside(0, 0.05, 0);
  marked.capsules.push_back({inside, inside, 0.01, {Vec3(1, 0, 0), 0.5}, /*mark=*/true});
  const Image image = render(marked, options);
  const Eigen::Vector2d at = project(options.camera, options.width, options.height, inside);
  const std::uint8_t* p = image.pixel(int(at.x()), int(at.y()));
  EXPECT_GT(int(p[0]), int(p[2]) + 40);
  // The floor is as before, to the last bit: its rays do not meet marks.
  const std::size_t bottom = 3 * std::size_t(options.width) * (options.height - 4);
  EXPECT_TRUE(std::equal(image.rgb.begin() + bottom, image.rgb.end(), plain.rgb.begin() + bottom));
}

TEST(Picture, LeavesTheThreadsOfOthersAlone) {
  const auto threads = [] {
    return tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
  };
  const std::size_t before = threads();
  const detail::Tracer tracer(detail::make_parts(ball_on_floor(), Vec3::Zero()));
  EXPECT_EQ(threads(), before);
}

TEST(Picture, APngDecodesToTheSamePixels) {
  const Image image = render(ball_on_floor(), small());
  const std::string path =
      (std::filesystem::temp_directory_path() / "prehend_picture_test.png").string();
  ASSERT_TRUE(write_png(image, path).ok());
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  ASSERT_TRUE(png_image_begin_read_from_file(&png, path.c_str()));
  png.format = PNG_FORMAT_RGB;
  std::vector<std::uint8_t> pixels(PNG_IMAGE_SIZE(png));
  ASSERT_TRUE(png_image_finish_read(&png, nullptr, pixels.data(), 0, nullptr));
  EXPECT_EQ(pixels, image.rgb);
  std::filesystem::remove(path);
}

TEST(Picture, AnEmptySceneIsTheBackground) {
  const Image image = render({}, small());
  EXPECT_EQ(image.rgb.size(), 3u * 160 * 120);
  EXPECT_GT(brightness(image, {80, 60}), 500);
}

TEST(Picture, AnUnwritablePathIsOneLine) {
  const Status status = write_png(Image(4, 4), "no/such/folder/x.png");
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.message().find('\n'), std::string::npos);
  EXPECT_NE(status.message().find("no/such/folder"), std::string::npos);
}

}  // namespace
}  // namespace prehend::picture
