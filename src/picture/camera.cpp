#include "picture/camera.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace prehend::picture {
namespace {

// What is left free around the content, as a fraction of the half picture.
constexpr double kMargin = 0.08;

void set_axes(const Camera& camera, detail::CameraFrame& frame) {
  const double ce = std::cos(camera.elevation), se = std::sin(camera.elevation);
  const double azimuth = camera.azimuth.value_or(kDefaultAzimuth);
  const double ca = std::cos(azimuth), sa = std::sin(azimuth);
  frame.back = Vec3(ce * sa, se, ce * ca);
  frame.right = Vec3(ca, 0.0, -sa);
  frame.up = frame.back.cross(frame.right);
}

struct Extent {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  double middle() const { return 0.5 * (low + high); }
  double half() const { return 0.5 * (high - low); }
};

}  // namespace

namespace detail {

CameraFrame camera_frame(const Camera& camera) {
  PREHEND_ASSERT(camera.target && camera.distance);
  CameraFrame frame;
  set_axes(camera, frame);
  frame.eye = *camera.target + *camera.distance * frame.back;
  frame.half_height = std::tan(0.5 * camera.fov);
  frame.orthographic = camera.orthographic;
  if (camera.orthographic) frame.half_height *= *camera.distance;
  return frame;
}

}  // namespace detail

// A point p is inside the picture when |x - ex| <= kx (ez - z) and likewise for y, in the camera's
// axes. Of x + kx z and x - kx z only the largest and the smallest matter: they fix where the two
// planes through them meet, the nearest eye that sees every point between left and right. The same
// holds for y, and the farther of the two sees all.
Camera framed(const Camera& camera, std::span<const Vec3> points_world, double aspect) {
  Camera result = camera;
  if (camera.target && camera.distance) return result;
  if (points_world.empty()) {
    if (!result.target) result.target = Vec3::Zero();
    if (!result.distance) result.distance = 1.0;
    return result;
  }
  detail::CameraFrame axes;
  set_axes(camera, axes);
  const double tangent = std::tan(0.5 * camera.fov);
  const double ky = tangent * (1.0 - kMargin), kx = ky * aspect;
  const double slope_x = camera.orthographic ? 0.0 : kx, slope_y = camera.orthographic ? 0.0 : ky;
  // With a given target the eye stays on the line through it: points are taken on both sides.
  const Vec3 origin = camera.target.value_or(Vec3::Zero());
  Extent left, right, bottom, top, depth;
  for (const Vec3& point : points_world) {
    const Vec3 p = point - origin;
    const double x = p.dot(axes.right), y = p.dot(axes.up), z = p.dot(axes.back);
    for (const double sign : {1.0, -1.0}) {
      if (sign < 0.0 && !camera.target) continue;
      right.add(sign * x + slope_x * z);
      left.add(sign * x - slope_x * z);
      top.add(sign * y + slope_y * z);
      bottom.add(sign * y - slope_y * z);
    }
    depth.add(z);
  }
  const double ex = 0.5 * (right.high + left.low), ey = 0.5 * (top.high + bottom.low);
  const double half_x = 0.5 * (right.high - left.low), half_y = 0.5 * (top.high - bottom.low);
  const double tiny = 1e-3;
  double distance;
  if (camera.orthographic) {
    distance = std::max({half_x / kx, half_y / ky, tiny});
  } else {
    const double ez = std::max({half_x / kx, half_y / ky, depth.high + tiny});
    distance = ez - (camera.target ? 0.0 : depth.middle());
  }
  if (!result.target) {
    result.target = ex * axes.right + ey * axes.up + depth.middle() * axes.back;
  }
  if (!result.distance) result.distance = std::max(distance, tiny);
  return result;
}

Eigen::Vector2d project(const Camera& camera, int width, int height, const Vec3& point_world) {
  const detail::CameraFrame frame = detail::camera_frame(camera);
  const Vec3 p = point_world - frame.eye;
  const double scale =
      0.5 * height / (frame.half_height * (frame.orthographic ? 1.0 : -p.dot(frame.back)));
  return {0.5 * width + scale * p.dot(frame.right), 0.5 * height - scale * p.dot(frame.up)};
}

}  // namespace prehend::picture
