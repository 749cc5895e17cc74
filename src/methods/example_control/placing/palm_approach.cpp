// Beyond the paper. The cost of a placement (less is better), in newtons of squeeze for a newton of
// the object's weight. The weights of 2 to 7 and the limits below were chosen by looking at which
// placements of the ten built-in objects simulations then held; no sweep was made over them.
//   1. squeeze     newtons for one newton of weight, the worst of the task's directions of load
//   2. digits      that do not touch, and the thumb above all
//   3. palm        what it stays farther away than in the example
//   4. arm         of the weight about the middle of the contacts
//   5. closing     of the digits beyond the grip's pose: springs press less there
//   6. push        of the digits away from the palm: nothing is there to press against
//   7. timing      of thumb and fingers: who touches first pushes the object about
#include "methods/example_control/placing/palm_approach.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "prehend/geometry/surface_points.h"
#include "prehend/methods/example_control/simulation.h"

namespace prehend::example_control {
namespace {

constexpr double kDigitRoom = 0.001;    // m before an open digit touches
constexpr double kPenetration = 0.002;  // m, on the way in
constexpr double kPalmReached = 0.004;  // m that the fingers draw the object into the palm
// A hand misses by about this much; the cost is the mean over such misses.
constexpr double kMissTurn = radians(8.0);
constexpr double kMiss = 0.004;    // m
constexpr double kSideLoad = 0.5;  // of the weight: what the shakes add
constexpr int kPoints = 800;       // of the surface

constexpr double kLeastSqueeze = 1.0;  // no contacts can do with less
constexpr double kFailed = 8.0;        // counted where a load or a miss is too much to hold
constexpr double kMissingDigit = 0.3, kMissingThumb = 1.5;  // 2, each
constexpr double kPalmWeight = 40.0;                        // 3, a meter
constexpr double kArmWeight = 8.0;                          // 4, a meter
constexpr double kClosingWeight = 2.0;                      // 5, as ClosingHand::Grip::closing
constexpr double kPushWeight = 4.0;                         // 6, as ClosingHand::Grip::push
constexpr double kTimingWeight = 3.0;                       // 7, as ClosingHand::Grip::thumb_late
// Steps of sliding to the object: it ends after so many, or when less room than this is left, m.
constexpr int kSlides = 60;
constexpr double kRoomLeft = 3e-4;

struct Range {
  double low = INFINITY, high = -INFINITY;
  void add(double x) {
    low = std::min(low, x);
    high = std::max(high, x);
  }
  double middle() const { return 0.5 * (low + high); }
};

Transform turned_about(const Vec3& center, const Transform& object_world, double angle) {
  const Quat turn = exp_map({0.0, angle, 0.0});
  return {turn * object_world.rotation, turn * (object_world.position - center) + center};
}

}  // namespace

SharedTarget::SharedTarget(const geometry::PreparedObject& prepared, const Controller& controller)
    : object(prepared.object()),
      field(prepared.contact()),
      palm_distance(controller.grip_distance) {
  const geometry::SurfaceSampler sampler(*object.shape.mesh);
  Random random(1);
  for (int i = 0; i < kPoints; ++i) points_object.push_back(sampler.draw(random).point);
  quality.cone.friction = object.friction / HoldOptions{}.friction_margin;
  quality.cone.torsional_friction = object.torsional_friction / HoldOptions{}.friction_margin;
}

PalmApproach::PalmApproach(const SharedTarget& target, const Hand& hand,
                           const Controller& controller, ApproachDirection direction,
                           const PlacementOptions& options)
    : target_(target),
      hand_(hand),
      options_(options),
      direction_(std::move(direction)),
      closing_(hand, closing_poses(hand, controller)),
      palm_reach_(closing_.palm_reach(direction_.wrist.conjugate() * direction_.ahead)),
      lowest_wrist_(options.floor_height + options.clearance - closing_.lowest(direction_.wrist)) {}

// What is at the palm's height decides where along the fingers the hand comes.
std::optional<Vec3> PalmApproach::slide(const Transform& object_world, const Offset& offset) const {
  Mat3 axes;
  axes << direction_.ahead, direction_.along, direction_.across;
  double lowest = lowest_wrist_;
  if (!direction_.level) {
    Range all;
    for (const Vec3& p : target_.points_object) all.add(direction_.across.dot(object_world * p));
    lowest = all.low;
  }
  const double across = lowest + offset.across;
  Range ahead, along;
  for (const Vec3& p : target_.points_object) {
    const Vec3 point = axes.transpose() * (object_world * p);
    if (std::abs(point.z() - across) > 0.5 * hand_.breadth) continue;
    ahead.add(point.x());
    along.add(point.y());
  }
  if (ahead.low > ahead.high) return std::nullopt;
  Vec3 wrist = axes * Vec3(ahead.low - hand_.length,
                           along.middle() - direction_.target_along + offset.along, across);
  const double farthest = ahead.middle() - palm_reach_;
  const Transform object_from_world = object_world.inverse();
  for (int i = 0; i < kSlides; ++i) {
    const Transform at{direction_.wrist, wrist};
    const auto gaps = closing_.open_gaps(*target_.field, object_from_world * at);
    double room = std::min({gaps.palm - target_.palm_distance, gaps.digits - kDigitRoom,
                            farthest - wrist.dot(direction_.ahead)});
    if (!direction_.level)
      room = std::min(room, (lowest_wrist_ - wrist.y()) / direction_.ahead.y());
    if (room < kRoomLeft) break;
    wrist += room * direction_.ahead;
  }
  return Vec3(wrist - offset.back * direction_.ahead);
}

bool PalmApproach::comes_freely(const Transform& object_world, const Vec3& wrist) const {
  const Transform object_from_world = object_world.inverse();
  return std::all_of(direction_.last_stretch.begin(), direction_.last_stretch.end(),
                     [&](const Transform& on_path) {
                       const Transform at =
                           closing_.above_floor({on_path.rotation, wrist + on_path.position},
                                                {direction_.wrist, wrist}, options_.floor_height);
                       const auto gaps = closing_.open_gaps(*target_.field, object_from_world * at);
                       return std::min(gaps.palm, gaps.digits) > -kPenetration;
                     });
}

double PalmApproach::squeeze(const std::vector<physics::GraspContact>& contacts,
                             const Vec3& load_object) const {
  const Object& object = target_.object;
  return physics::least_grip_force(contacts, object, kStandardGravity * load_object,
                                   target_.quality) /
         (object.mass * kStandardGravity);
}

double PalmApproach::worst_squeeze(const std::vector<physics::GraspContact>& contacts,
                                   const Quat& to_object, double bound) const {
  double worst = 0.0;
  for (const Vec3& side : {Vec3(1, 0, 0), Vec3(-1, 0, 0), Vec3(0, 0, 1), Vec3(0, 0, -1)}) {
    const double loaded = squeeze(contacts, to_object * (kSideLoad * side - Vec3::UnitY()));
    worst = std::max(worst, std::min(loaded, kFailed));
    if (!(worst < bound)) return INFINITY;
  }
  return worst;
}

double PalmApproach::cost(const Transform& object_world, const Vec3& wrist, double bound,
                          GraspPlacement* placement) {
  const Transform object_from_world = object_world.inverse();
  const Transform wrist_object = object_from_world * Transform{direction_.wrist, wrist};
  const double distance = target_.palm_distance;
  const double palm = closing_.open_gaps(*target_.field, wrist_object).palm - distance;
  double sum = kPalmWeight * std::max(0.0, palm);
  if (sum + kLeastSqueeze >= bound) return INFINITY;
  const Vec3 up = object_from_world.turn(Vec3::UnitY());
  const hands::ClosingHand::Floor floor{up, options_.floor_height - object_world.position.y()};
  const auto grip =
      closing_.close(*target_.field, wrist_object, std::max(distance, 0.0) + kPalmReached, floor);
  if (grip.contacts.empty() || grip.digits < 2) return INFINITY;
  Vec3 middle = Vec3::Zero();
  for (const auto& contact : grip.contacts) middle += contact.point / double(grip.contacts.size());
  sum += kMissingDigit * (kDigitCount - grip.digits) + (grip.thumb ? 0.0 : kMissingThumb) +
         kPushWeight * std::max(0.0, object_world.turn(grip.push).dot(direction_.ahead)) +
         kTimingWeight * std::abs(grip.thumb_late) +
         kClosingWeight * std::max(0.0, grip.closing - 1.0) +
         kArmWeight * (middle - target_.object.center_of_mass).norm();
  if (sum + kLeastSqueeze >= bound) return INFINITY;
  const double plain = squeeze(grip.contacts, -up);
  if (!std::isfinite(plain) || !(sum + plain < bound)) return INFINITY;
  const double worst =
      std::max(plain, worst_squeeze(grip.contacts, object_world.rotation.conjugate(), bound - sum));
  if (placement)
    *placement = {object_world, {direction_.wrist, wrist}, plain,
                  grip.digits,  options_.floor_height,     false,
                  nullptr};
  return sum + worst;
}

double PalmApproach::cost_missing(const Transform& object_world, const Vec3& wrist,
                                  double straight) {
  const Vec3 center = object_world * target_.object.center_of_mass;
  double sum = straight;
  int count = 1;
  for (double sign : {1.0, -1.0}) {
    const Vec3 beside = wrist + sign * kMiss * direction_.along;
    sum += std::min(cost(object_world, beside, INFINITY), kFailed);
    const Transform turned = turned_about(center, object_world, sign * kMissTurn);
    sum += std::min(cost(turned, wrist, INFINITY), kFailed);
    count += 2;
  }
  return sum / count;
}

}  // namespace prehend::example_control
