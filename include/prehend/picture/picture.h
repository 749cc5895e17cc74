// Pictures of hands and objects: a small ray tracer with soft shadows and a sky, no display needed.
// The same scene and options give the same bytes on any number of threads.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "prehend/core/mesh.h"
#include "prehend/core/result.h"

namespace prehend::picture {

// Rows from the top, red, green, blue, 8 bits each.
struct Image {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgb;
  bool empty() const { return rgb.empty(); }

  Image() = default;
  Image(int width, int height, const Vec3& color_srgb = Vec3::Ones());
  std::uint8_t* pixel(int x, int y) { return &rgb[3 * (std::size_t(y) * width + x)]; }
  const std::uint8_t* pixel(int x, int y) const { return &rgb[3 * (std::size_t(y) * width + x)]; }
};

struct Material {
  Vec3 color_srgb = {0.80, 0.79, 0.77};
  double roughness = 0.45;  // 0.05 polished to 1 chalk
  double opacity = 1.0;     // below 1 what lies behind shows through
  double subsurface = 0.0;  // light that bleeds around the terminator: skin is about 0.6
};
Material skin_material();
// Clear, well separated colors for the objects of a scene, in order.
Material object_material(int index);

struct PictureMesh {
  std::shared_ptr<const TriangleMesh> mesh;
  Transform world_from_mesh;
  Material material;
  // Faces that meet at less than this angle are shaded as one smooth surface.
  double crease = radians(40.0);
  // How often every triangle is split into four that bulge as the normals suggest: 1 or 2 round
  // off the outline of a coarse skin.
  int refine = 0;
};

// A sphere when its ends coincide.
struct PictureCapsule {
  Vec3 a_world = Vec3::Zero();
  Vec3 b_world = Vec3::Zero();
  double radius = 0.01;
  Material material;
  bool mark = false;
};

// Arrows and marks are drawn into the scene without being things: they cast no shadow, and shine
// through what hides them.
struct PictureArrow {
  Vec3 tail_world = Vec3::Zero();
  Vec3 vector_world = Vec3::UnitY();
  double radius = 0.0018;  // of the shaft
  Material material = {{0.85, 0.20, 0.12}, 0.4};
};

struct PictureScene {
  std::vector<PictureMesh> meshes;
  std::vector<PictureCapsule> capsules;
  std::vector<PictureArrow> arrows;
  // A soft floor that catches shadows and melts into the background.
  bool floor = true;
  // Height of the floor; left empty, just below the lowest point of the content.
  std::optional<double> floor_height;
  Vec3 background_srgb = {0.845, 0.835, 0.815};
};

inline constexpr double kDefaultAzimuth = radians(35.0);

// Looks at `target` from azimuth (0: from +Z, growing towards +X) and elevation above the horizon.
struct Camera {
  // Left empty, kDefaultAzimuth; for a clip, the side that shows most of fingertips and objects.
  std::optional<double> azimuth;
  double elevation = radians(24.0);
  double fov = radians(28.0);  // vertical
  bool orthographic = false;
  // Left empty, both are chosen such that everything is inside the picture.
  std::optional<Vec3> target;
  std::optional<double> distance;
};

struct PictureOptions {
  int width = 960;
  int height = 720;
  Camera camera;
  // Rays through each pixel, rounded up to a power of two. 8 gives a clean still; films do with 4.
  int samples = 8;
  // Edge-aware filter that takes out what noise the samples leave.
  bool denoise = true;
  // Direction towards the key light; left empty, from over the camera's left shoulder.
  std::optional<Vec3> key_light_world;
  double key_light_radius = radians(5.0);  // angular; larger gives softer shadows
  int threads = 0;                         // 0: all
  // A picture that is stopped is given up: `render` then returns an empty image.
  std::stop_token stop;
};

// The camera with target and distance filled in such that all points lie inside the picture, with
// a margin. A film frames the points of all its frames once.
Camera framed(const Camera& camera, std::span<const Vec3> points_world, double aspect);

// Points whose framing frames the scene's content.
std::vector<Vec3> framing_points(const PictureScene& scene);

Image render(const PictureScene& scene, const PictureOptions& options = {});

// Where a point of the world falls in the picture, in pixels from the top left; the camera must
// have its target and distance.
Eigen::Vector2d project(const Camera& camera, int width, int height, const Vec3& point_world);

Status write_png(const Image& image, const std::string& path);

}  // namespace prehend::picture
