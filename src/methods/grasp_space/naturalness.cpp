// Beyond the paper, which ranks by its metric: rules that studies of people give, each from 0 to 1
// and all of the same weight, since the studies say which rules count and not by how much. None is
// tuned on proposals of this program.
//   angle     Kleinholdermann, Franz and Gegenfurtner, J. of Vision 13(8), 2013: the natural angle
//             of the grasp counts as much as stability. A forearm at rest is half way between palm
//             down and thumb up.
//   from      A table is in the way of hands from below.
//   center    the same; Klein, Maiello, Paulun and Fleming, PLoS Comput. Biol. 2020: a short lever
//             to the center of mass. Brahmbhatt et al., ContactDB, CVPR 2019: handles where the
//             thing is to be used.
//   width     Feix, Bullock and Dollar, IEEE Trans. Haptics 7(3), 2014: 96 % of the grasped places
//             are at most 7 cm wide.
//   smallest  the same: the object's smallest dimension is the grasped one in 94 %.
//   digits    Lee and Jung, Int. J. Industrial Ergonomics, 2014: all five digits are used most.
#include "methods/grasp_space/naturalness.h"

#include <algorithm>
#include <cmath>

#include <tbb/parallel_for.h>
#include <Eigen/Eigenvalues>

#include "prehend/geometry/surface_points.h"

namespace prehend::grasp_space {
namespace {

constexpr double kWidest = 0.07, kWithinWidest = 0.96;  // m, share of grasps: see above
constexpr double kAlongSmallest = 0.94;                 // share of grasps: see above
// A grasped width up to this many times the smallest dimension is that dimension: contacts lie on
// rounded sides and beside the middle.
constexpr double kAboutSmallest = 1.15;
// The thumb opposes where its push and the others' are farther apart than this.
constexpr double kOpposed = radians(110.0);

constexpr int kParts = 200, kCloud = 1500;  // points of the surface that are looked at, and by
// Thickness of a bar, m. A power grip is strongest at a span of 5 cm (Hedge, Cornell, 2013).
constexpr double kThinnestBar = 0.006, kThickestBar = 0.05;
// The surface around a point is looked at within this many thicknesses.
constexpr double kAround = 2.2;
// Along a bar the points spread by this much more than across it (variances), and across it by no
// more than this in one direction than in the other. Variances of a round bar cut at kAround: 1.6
// and 0.13 squared thicknesses; of a plate they are alike along and across.
constexpr double kLongerThanWide = 3.0, kRound = 5.0;
constexpr double kShortestBar = 0.04;  // m along its axis inside of it: half a hand's breadth
constexpr double kLongestSeen = 0.3;   // m, either way
constexpr double kMostlyBar = 0.85;    // an object of which more is one bar has no handle
constexpr double kStep = 0.004;        // m

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

double length_inside(const geometry::ExactDistance& exact, const Vec3& from, const Vec3& axis,
                     double least_depth) {
  double length = 0.0;
  for (const double sign : {1.0, -1.0}) {
    for (double s = kStep; s < kLongestSeen; s += kStep) {
      if (-exact.sample(from + sign * s * axis).distance < least_depth) break;
      length += kStep;
    }
  }
  return length;
}

// Length of the bar that a point of the surface belongs to, 0 if to none.
double bar_length(const geometry::ExactDistance& exact, const std::vector<Vec3>& cloud,
                  const geometry::SurfacePoint& at, Vec3& axis) {
  const double thick = thickness(exact, at);
  if (thick < kThinnestBar || thick > kThickestBar) return 0.0;
  const Vec3 middle = at.point - 0.5 * thick * at.normal;
  Mat3 spread = Mat3::Zero();
  int count = 0;
  for (const Vec3& point : cloud) {
    const Vec3 arm = point - middle;
    if (arm.norm() > kAround * thick) continue;
    spread += arm * arm.transpose();
    ++count;
  }
  if (count < 6) return 0.0;
  const Eigen::SelfAdjointEigenSolver<Mat3> axes(spread / count);
  const Vec3 variances = axes.eigenvalues();  // rising
  if (variances[2] < kLongerThanWide * variances[1] || variances[1] > kRound * variances[0])
    return 0.0;
  axis = axes.eigenvectors().col(2);
  const double length = length_inside(exact, middle, axis, 0.2 * thick);
  return length < kShortestBar ? 0.0 : length;
}

// Outward normals of the thumb and of the rest, and the width between them.
struct Opposing {
  bool thumb = false, others = false;
  Vec3 thumb_at = Vec3::Zero(), others_at = Vec3::Zero();
  Vec3 thumb_push = Vec3::Zero(), others_push = Vec3::Zero();
  int digits = 0;
};

Opposing opposing(const Hand& hand, const Grasp& grasp) {
  Opposing found;
  std::array<bool, kDigitCount> touches = {};
  double thumb_weight = 0.0, others_weight = 0.0;
  for (size_t i = 0; i < grasp.touches.size(); ++i) {
    const Segment& segment = hand.segments[grasp.touches[i].segment];
    const double force = std::max(1e-6, -grasp.forces[i].dot(grasp.touches[i].normal));
    const bool thumb = segment.digit == Digit::kThumb;
    if (segment.digit != Digit::kNone && (segment.phalanx > 0 || thumb))
      touches[static_cast<int>(segment.digit)] = true;
    (thumb ? found.thumb : found.others) = true;
    (thumb ? found.thumb_at : found.others_at) += force * grasp.touches[i].point;
    (thumb ? found.thumb_push : found.others_push) += grasp.forces[i];
    (thumb ? thumb_weight : others_weight) += force;
  }
  if (found.thumb) found.thumb_at /= thumb_weight;
  if (found.others) found.others_at /= others_weight;
  found.digits = static_cast<int>(std::count(touches.begin(), touches.end(), true));
  return found;
}

// How far the object's touched places are apart along the thumb's push, m.
double grasped_width(const Grasp& grasp, const Vec3& direction) {
  double low = INFINITY, high = -INFINITY;
  for (const TouchPoint& touch : grasp.touches) {
    low = std::min(low, direction.dot(touch.point));
    high = std::max(high, direction.dot(touch.point));
  }
  return high - low;
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

double wrist_comfort(Side side, const Quat& wrist_object, const Vec3& up_object) {
  const Vec3 up = wrist_object.conjugate() * up_object;
  // The thumb is at -X of a right hand whose back is +Y and whose fingers point to -Z.
  const double thumb_up = side == Side::kRight ? -up.x() : up.x();
  const double angle = 0.5 + 0.5 * (up.y() + thumb_up) / std::sqrt(2.0);
  return angle * std::clamp(1.0 + 2.0 * up.z(), 0.0, 1.0);
}

Naturalness naturalness(const Hand& hand, const Object& object, const Grasp& grasp,
                        std::span<const PartPoint> parts, const std::optional<Table>& table) {
  Naturalness found;
  if (table) {
    const Quat wrist = segment_frames(hand, grasp.pose)[hand.wrist()].rotation;
    const Vec3 up = wrist.conjugate() * table->up;
    const double thumb_up = hand.side == Side::kRight ? -up.x() : up.x();
    found.angle = 0.5 + 0.5 * (up.y() + thumb_up) / std::sqrt(2.0);
    found.from = std::clamp(1.0 + 2.0 * up.z(), 0.0, 1.0);
  }
  const Opposing sides = opposing(hand, grasp);
  const Vec3 sizes = geometry::bounding_box(*object.shape.mesh).sizes();
  double on_handle = 0.0, total = 0.0;
  Vec3 middle = Vec3::Zero();
  for (size_t i = 0; i < grasp.touches.size(); ++i) {
    const double force = std::max(1e-6, -grasp.forces[i].dot(grasp.touches[i].normal));
    on_handle += force * handle_at(parts, grasp.touches[i].point);
    middle += force * grasp.touches[i].point;
    total += force;
  }
  if (total > 0.0) {
    const double arm = (middle / total - object.center_of_mass).norm();
    found.center = std::max(1.0 - std::min(1.0, arm / (0.5 * sizes.norm())), on_handle / total);
  }
  if (!sides.thumb || !sides.others) return found;
  const double between = std::acos(
      std::clamp(sides.thumb_push.normalized().dot(sides.others_push.normalized()), -1.0, 1.0));
  if (between > kOpposed) found.digits = sides.digits / double(kDigitCount);
  const Vec3 across =
      sides.thumb_push.norm() > 1e-9 ? Vec3(sides.thumb_push.normalized()) : Vec3(Vec3::UnitX());
  const double width = grasped_width(grasp, across);
  found.width = width <= kWidest ? kWithinWidest : 1.0 - kWithinWidest;
  found.smallest =
      width <= kAboutSmallest * sizes.minCoeff() ? kAlongSmallest : 1.0 - kAlongSmallest;
  return found;
}

}  // namespace prehend::grasp_space
