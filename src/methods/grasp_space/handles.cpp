// Beyond the paper, whose user says where to grasp: handles of an object, found by its shape.
#include "methods/grasp_space/handles.h"

#include <algorithm>
#include <cmath>

#include <tbb/parallel_for.h>
#include <Eigen/Eigenvalues>

#include "prehend/geometry/surface_points.h"

namespace prehend::grasp_space {
namespace {

constexpr int kParts = 400, kCloud = 1500;  // points of the surface that are looked at, and by
// Thickness of a bar, m. A power grip is strongest at a span of 5 cm (Hedge, Cornell, 2013).
constexpr double kThinnestBar = 0.006, kThickestBar = 0.05;
// The surface around a point is looked at within this many thicknesses, and at least this far, m: a
// third of the shortest bar, since bands that are wider than thick look like plates from near.
constexpr double kAround = 2.2, kLeastAround = 0.02;
// Along a bar the points spread by this much more than across it (variances), and across it by no
// more than this in one direction than in the other. Variances of a round bar cut at kAround: 1.6
// and 0.13 squared thicknesses; of a plate they are alike along and across.
constexpr double kLongerThanWide = 3.0, kRound = 5.0;
// m along its axis: three fingers side by side, each with a pulp of 2 cm.
constexpr double kShortestBar = 0.06;
constexpr double kLongestSeen = 0.3;  // m, either way
constexpr double kMostlyBar = 0.85;   // an object of which more is one bar has no handle
constexpr double kStep = 0.004;       // m
// Steps along a bar, in thicknesses. A bar ends where it is less than this deep inside, where it is
// that many times as thick as at first or no bar, or where it bends by more than this at a step.
constexpr double kBarStep = 0.3, kShallow = 0.2, kThicker = 1.6;
constexpr double kMostBend = radians(45.0);

// Inward from the surface to the other side.
double thickness(const geometry::ExactDistance& exact, const geometry::SurfacePoint& at) {
  double depth = 0.001;
  while (depth < kThickestBar + kStep) {
    const double inside = -exact.sample(at.point - depth * at.normal).distance;
    if (inside < 2e-4 && depth > 0.0015) break;
    depth += std::max(inside, 5e-4);
  }
  return depth;
}

// From a point inside of the object to the surface, m, and no farther than `most`.
double way_out(const geometry::ExactDistance& exact, const Vec3& from, const Vec3& direction,
               double most) {
  double way = 0.0;
  while (way < most) {
    const double inside = -exact.sample(from + way * direction).distance;
    if (inside < 2e-4) break;
    way += std::max(inside, 5e-4);
  }
  return std::min(way, most);
}

// Follows a bar, which may be bent like a mug's handle, one way from a point of its middle.
double length_along(const geometry::ExactDistance& exact, Vec3 at, Vec3 direction, double thick) {
  const double step = std::max(kStep, kBarStep * thick);
  const double thickest = std::min(kThicker * thick, kThickestBar);
  double length = 0.0;
  while (length < kLongestSeen) {
    Vec3 next = at + step * direction;
    const geometry::DistanceSample sample = exact.sample(next);
    if (-sample.distance < kShallow * thick) break;
    Vec3 across = sample.gradient - sample.gradient.dot(direction) * direction;
    if (across.norm() > 1e-3) {  // back to the middle between the nearest side and the other one
      across.normalize();
      const double one = way_out(exact, next, across, thickest);
      const double other = way_out(exact, next, -across, thickest);
      if (one + other > thickest) break;
      next += 0.5 * (one - other) * across;
    }
    const Vec3 taken = (next - at).normalized();
    if (taken.dot(direction) < std::cos(kMostBend)) break;
    length += (next - at).norm();
    at = next;
    direction = taken;
  }
  return length;
}

// Moves a point between the nearest side and the one behind it; returns how far these are apart.
double to_the_middle(const geometry::ExactDistance& exact, Vec3& point, double most) {
  const Vec3 across = exact.sample(point).gradient;
  const double one = way_out(exact, point, across, most);
  const double other = way_out(exact, point, -across, most);
  point += 0.5 * (one - other) * across;
  return one + other;
}

// Length of the bar that a point of the surface belongs to, 0 if to none.
double bar_length(const geometry::ExactDistance& exact, const std::vector<Vec3>& cloud,
                  const geometry::SurfacePoint& at, Vec3& axis) {
  const double thick = thickness(exact, at);
  if (thick < kThinnestBar || thick > kThickestBar) return 0.0;
  Vec3 middle = at.point - 0.5 * thick * at.normal;
  const double thin = to_the_middle(exact, middle, thick);
  const double around = std::max(kAround * thin, kLeastAround);
  Mat3 spread = Mat3::Zero();
  int count = 0;
  for (const Vec3& point : cloud) {
    const Vec3 arm = point - middle;
    if (arm.norm() > around) continue;
    spread += arm * arm.transpose();
    ++count;
  }
  if (count < 6) return 0.0;
  const Eigen::SelfAdjointEigenSolver<Mat3> axes(spread / count);
  const Vec3 variances = axes.eigenvalues();  // rising
  if (variances[2] < kLongerThanWide * variances[1] || variances[1] > kRound * variances[0])
    return 0.0;
  axis = axes.eigenvectors().col(2);
  const double length =
      length_along(exact, middle, axis, thin) + length_along(exact, middle, -axis, thin);
  return length < kShortestBar ? 0.0 : length;
}

}  // namespace

std::vector<PartPoint> find_handles(const geometry::PreparedObject& prepared,
                                    const TriangleMesh& mesh) {
  const geometry::SurfaceSampler sampler(mesh);
  Random random(1);
  std::vector<Vec3> cloud;
  for (int i = 0; i < kCloud; ++i) cloud.push_back(sampler.draw(random).point);
  std::vector<PartPoint> parts(kParts);
  for (PartPoint& part : parts) {
    const geometry::SurfacePoint at = sampler.draw(random);
    part.point = at.point;
    part.normal = at.normal;
  }
  const auto& exact = *prepared.exact();
  tbb::parallel_for(0, kParts, [&](int i) {
    PartPoint& part = parts[i];
    part.handle = bar_length(exact, cloud, {part.point, part.normal}, part.axis);
  });
  double longest = 0.0;
  for (const PartPoint& part : parts) longest = std::max(longest, part.handle);
  const auto bars = std::count_if(parts.begin(), parts.end(), [&](const PartPoint& part) {
    return part.handle > kHandle * longest;
  });
  const bool any = longest > 0.0 && double(bars) < kMostlyBar * kParts;
  for (PartPoint& part : parts) part.handle = any ? part.handle / longest : 0.0;
  return parts;
}

double handle_at(std::span<const PartPoint> parts, const Vec3& point_object) {
  double least = INFINITY, handle = 0.0;
  for (const PartPoint& part : parts) {
    const double distance = (part.point - point_object).squaredNorm();
    if (distance >= least) continue;
    least = distance;
    handle = part.handle;
  }
  return handle;
}

}  // namespace prehend::grasp_space
