// Beyond the paper: see other_hand.h.
#include "methods/contact_sampling/beyond/other_hand.h"

#include <algorithm>
#include <cmath>

namespace prehend::contact_sampling {
namespace {

// m that capsules are thinner than the skin: two hands' flesh gives by as much before they count as
// entering each other.
constexpr double kFlesh = 0.001;
// From this far on the ball's distance is good enough, m: solvers look at less than a centimeter.
constexpr double kFar = 0.03;

}  // namespace

void HandSurface::set(const hands::HandGaps& placed) {
  capsules_.clear();
  Eigen::AlignedBox3d box;
  for (const hands::PlacedCapsule& own : placed.capsules()) {
    Capsule capsule = own.capsule_world;
    capsule.radius = std::max(0.5 * capsule.radius, capsule.radius - kFlesh);
    capsules_.push_back(capsule);
    box.extend(capsule.a);
    box.extend(capsule.b);
  }
  middle_ = box.isEmpty() ? Vec3::Zero() : Vec3(box.center());
  radius_ = 0.0;
  for (const Capsule& capsule : capsules_) {
    for (const Vec3& end : {capsule.a, capsule.b})
      radius_ = std::max(radius_, (end - middle_).norm() + capsule.radius);
  }
}

geometry::DistanceSample HandSurface::sample(const Vec3& point_world) const {
  const Vec3 from_middle = point_world - middle_;
  const double away = from_middle.norm();
  if (away - radius_ > kFar) return {away - radius_, from_middle / away};
  geometry::DistanceSample nearest{INFINITY, Vec3::UnitY()};
  for (const Capsule& capsule : capsules_) {
    const Vec3 line = capsule.b - capsule.a;
    const double length = line.squaredNorm();
    const double along =
        length > 0.0 ? std::clamp((point_world - capsule.a).dot(line) / length, 0.0, 1.0) : 0.0;
    const Vec3 out = point_world - capsule.a - along * line;
    const double distance = out.norm();
    if (distance - capsule.radius >= nearest.distance) continue;
    nearest.distance = distance - capsule.radius;
    nearest.gradient = distance > 1e-9 ? Vec3(out / distance) : any_orthogonal(line.normalized());
  }
  return nearest;
}

}  // namespace prehend::contact_sampling
