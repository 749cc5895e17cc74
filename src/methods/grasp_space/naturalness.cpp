// Beyond the paper, which ranks by its metric: rules that studies of people give, each from 0 to 1
// and all of the same weight, since the studies say which rules count and not by how much. None is
// tuned on proposals of this program.
//   angle     Kleinholdermann, Franz and Gegenfurtner, J. of Vision 13(8), 2013: the natural angle
//             of the grasp counts as much as stability. A forearm at rest is half way between palm
//             down and thumb up.
//   from      A table is in the way of hands from below.
//   center    the same; Klein, Maiello, Paulun and Fleming, PLoS Comput. Biol. 2020: a short lever
//             to the center of mass.
//   handle    Brahmbhatt et al., ContactDB, CVPR 2019: a thing that is to be used is taken by its
//             handle.
//   width     Feix, Bullock and Dollar, IEEE Trans. Haptics 7(3), 2014: 96 % of the grasped places
//             are at most 7 cm wide.
//   smallest  the same: the object's smallest dimension is the grasped one in 94 %.
//   strength  A pinch has a quarter of a power grip's strength (Hedge, Cornell ergonomics notes,
//             2013), and palm and proximal segments touch often (ContactDB). Below 2 cm and 20 g a
//             precision grasp is used in 61 % (Feix et al., second part, 2014).
//   digits    Lee and Jung, Int. J. Industrial Ergonomics, 2014: all five digits are used most.
#include "methods/grasp_space/naturalness.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "methods/grasp_space/handles.h"

namespace prehend::grasp_space {
namespace {

constexpr double kWidest = 0.07, kWithinWidest = 0.96;  // m, share of grasps: see above
constexpr double kAlongSmallest = 0.94;                 // share of grasps: see above
// A grasped width up to this many times the smallest dimension is that dimension: contacts lie on
// rounded sides and beside the middle.
constexpr double kAboutSmallest = 1.15;
// Strength of a pinch over that of a power grip; how often a precision grasp takes small things,
// and what is small, m and kg: see above.
constexpr double kPinch = 0.25, kPreciseSmall = 0.61, kSmall = 0.02, kLight = 0.02;
// The thumb opposes where its push and the others' are farther apart than this.
constexpr double kOpposed = radians(110.0);

// Outward normals of the thumb and of the rest, and the width between them.
struct Opposing {
  bool thumb = false, others = false;
  Vec3 thumb_at = Vec3::Zero(), others_at = Vec3::Zero();
  Vec3 thumb_push = Vec3::Zero(), others_push = Vec3::Zero();
  int digits = 0;
  bool power = false;  // palm or proximal segments of fingers touch
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
    found.power = found.power || (!thumb && segment.phalanx <= 1);
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
    found.center = 1.0 - std::min(1.0, arm / (0.5 * sizes.norm()));
    found.handle = on_handle / total;
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
  const bool small = width < kSmall && object.mass < kLight;
  found.strength =
      small ? (sides.power ? 1.0 - kPreciseSmall : kPreciseSmall) : (sides.power ? 1.0 : kPinch);
  return found;
}

}  // namespace prehend::grasp_space
