// How an object is presented: sides it stands on, turns, heights and places along the fingers are
// tried; the open hand slides to the object until its palm is as near as the example's was, its
// digits close, and what their contacts need to carry the object decides. The best of a coarse grid
// is then moved about.
//
// What is preferred (less is better):
//   1. squeeze     newtons for one newton of weight, the worst of the task's directions of load
//   2. digits      that do not touch, and the thumb above all
//   3. palm        what it stays farther away than in the example
//   4. arm         of the weight about the middle of the contacts
//   5. side        other than as given, or one that tips over easily
//   6. closing     of the digits beyond the grip's pose: springs press less there
//   7. push        of the digits away from the palm: nothing is there to press against
//   8. timing      of thumb and fingers: who touches first pushes the object about
// as the mean over hands that miss by some millimetres or degrees.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "methods/example_control/closing_hand.h"
#include "methods/example_control/contact_field.h"
#include "methods/example_control/standing.h"
#include "prehend/geometry/surface_points.h"
#include "prehend/methods/example_control/grasp_task.h"

namespace prehend::example_control {
namespace {

constexpr double kTurnStep = radians(30.0), kHeightStep = 0.02, kAlongStep = 0.015;  // rad, m
constexpr double kBackStep = 0.01;                                                   // m
constexpr int kRounds = 3;              // of moving about, each half as far
constexpr double kDigitRoom = 0.001;    // m before an open digit touches
constexpr double kPenetration = 0.002;  // m, on the way in
constexpr double kWayIn = 0.15;         // m of it that are looked at
constexpr double kPalmReached = 0.004;  // m: the fingers draw the object in
constexpr double kMissTurn = radians(8.0);
constexpr double kMiss = 0.004;  // m
constexpr double kFrictionMargin = 1.5;
constexpr double kSideLoad = 0.5;  // of the weight: what the shakes add
constexpr int kPoints = 800;       // of the surface, to see where its slices lie

constexpr double kLeastSqueeze = 1.0;  // no contacts can do with less
constexpr double kFailed = 8.0;        // where loads or misses are too much
constexpr double kMissingDigit = 0.3, kMissingThumb = 1.5;
constexpr double kPalmWeight = 40.0, kArmWeight = 8.0;  // 1/m
constexpr double kClosingWeight = 2.0, kPushWeight = 4.0, kTimingWeight = 3.0;
constexpr double kOtherSide = 2.0;
constexpr double kTipping = 1.5, kSafeTip = radians(8.0), kLeastTip = radians(4.0);

// How the example's hand came: directions of the world.
struct Manner {
  Quat wrist;
  bool level = true;  // the palm faces aside rather than down
  Vec3 ahead;         // where it faces; if level, without what it is tilted by
  Vec3 along;         // where the fingers point, normal to it
  Vec3 across;        // the third; upward if level
  double target_along = 0.0;
  std::vector<Transform> way_in;  // wrists on it, the grip at the origin
};

Manner manner(const Hand& hand, const Controller& controller) {
  const ExamplePath& path = controller.path;
  const Transform& grip = path.wrist_world[path.grip_frame];
  Manner found;
  found.wrist = grip.rotation;
  found.ahead = grip.turn(-Vec3::UnitY());
  const Vec3 fingers = grip.turn(-Vec3::UnitZ());
  found.across = found.ahead.cross(fingers);
  const Vec3 level(found.ahead.x(), 0.0, found.ahead.z());
  found.level = level.norm() > 0.5;
  if (found.level) {
    found.ahead = level.normalized();
    found.across = Vec3::UnitY();
  }
  found.along = found.across.cross(found.ahead);
  if (found.along.dot(fingers) < 0.0) found.along = -found.along;
  found.target_along = hand.length / controller.hand_length *
                       found.along.dot(path.target_world[path.grip_frame].position - grip.position);
  Vec3 last = Vec3::Zero();
  for (int f = path.grip_frame - 1; f >= 0; --f) {
    const Vec3 from_grip = path.wrist_world[f].position - grip.position;
    if (from_grip.norm() > kWayIn) break;
    if ((from_grip - last).norm() < 0.01) continue;
    last = from_grip;
    found.way_in.push_back({path.wrist_world[f].rotation, from_grip});
  }
  return found;
}

struct Range {
  double low = INFINITY, high = -INFINITY;
  void add(double x) {
    low = std::min(low, x);
    high = std::max(high, x);
  }
  double middle() const { return 0.5 * (low + high); }
};

// One way to present the object.
struct Way {
  Quat side = Quat::Identity();
  double lowest = 0.0;   // height of its lowest point over the frame's origin, m
  double penalty = 0.0;  // of the side
  double turn = 0.0;     // rad, about the vertical
  double across = 0.0;   // of the wrist above its lowest, m
  double along = 0.0;    // of the wrist beside the example's place, m
  double back = 0.0;     // of the palm from where it would touch, m
};

class Presenter {
 public:
  Presenter(const Object& object, const Hand& hand, const Controller& controller,
            const PresentOptions& options);

  // Steps are divided by `finer`.
  void try_side(const Quat& side, double penalty, int finer);
  void move_about();
  const std::optional<Presentation>& best() const { return best_; }
  double opening() { return closing_.opening(); }

 private:
  Transform stand(const Way& way) const;
  void attempt(const Way& way);
  std::optional<Vec3> slide(const Way& way, const Transform& object_world) const;
  Transform turned_about_center(const Transform& object_world, double angle) const;
  bool comes_freely(const Transform& object_world, const Vec3& wrist) const;
  void consider(const Way& way, const Transform& object_world, const Vec3& wrist);
  double squeeze(const std::vector<physics::GraspContact>& contacts, const Vec3& load_object) const;
  double cost(const Transform& object_world, const Vec3& wrist, double bound,
              Presentation* presentation = nullptr);

  const Object& object_;
  const Hand& hand_;
  const PresentOptions& options_;
  ClosingHand closing_;
  const Manner manner_;
  const double palm_distance_;
  const double palm_reach_;  // of its skin before the wrist
  const Vec3 place_;
  std::shared_ptr<const geometry::SignedDistance> field_;
  std::vector<Vec3> points_object_;
  physics::GraspQualityOptions quality_;
  double lowest_wrist_ = 0.0;  // height
  std::optional<Presentation> best_;
  Way best_way_;
  double best_cost_ = INFINITY;
};

Presenter::Presenter(const Object& object, const Hand& hand, const Controller& controller,
                     const PresentOptions& options)
    : object_(object),
      hand_(hand),
      options_(options),
      closing_(hand, controller),
      manner_(manner(hand, controller)),
      palm_distance_(controller.grip_distance),
      palm_reach_(closing_.palm_reach(manner_.wrist.conjugate() * manner_.ahead)),
      place_(controller.path.target_world[0].position),
      field_(contact_field(geometry::exact_distance(object.shape), object.shape)) {
  const geometry::SurfaceSampler sampler(*object.shape.mesh);
  Random random(1);
  for (int i = 0; i < kPoints; ++i) points_object_.push_back(sampler.draw(random).point);
  quality_.cone.friction = object.friction / kFrictionMargin;
  quality_.cone.torsional_friction = object.torsional_friction / kFrictionMargin;
  lowest_wrist_ = options.floor_height + options.clearance - closing_.lowest(manner_.wrist);
}

// The centre of mass above the example's place, the lowest point on the floor.
Transform Presenter::stand(const Way& way) const {
  const Quat rotation = exp_map({0.0, way.turn, 0.0}) * way.side;
  const Vec3 center = rotation * object_.center_of_mass;
  return {rotation,
          {place_.x() - center.x(), options_.floor_height - way.lowest, place_.z() - center.z()}};
}

void Presenter::try_side(const Quat& side, double penalty, int finer) {
  Way way{side, INFINITY, penalty};
  for (const Vec3& v : object_.shape.mesh->vertices) {
    way.lowest = std::min(way.lowest, (side * v).y());
  }
  const bool turns = options_.turn != PresentOptions::Turn::kNone;
  Range across;
  for (const Vec3& p : points_object_) across.add(manner_.across.dot(side * p));
  const double turn_step = kTurnStep / finer, height_step = kHeightStep / finer;
  const int heights = static_cast<int>((across.high - across.low) / height_step) + 1;
  for (int turn = 0; turn < (turns ? std::lround(2.0 * kPi / turn_step) : 1); ++turn) {
    for (int height = 0; height < heights; ++height) {
      for (int along : {0, 1, -1}) {
        way.turn = turn * turn_step;
        way.across = height * height_step;
        way.along = along * kAlongStep;
        attempt(way);
      }
    }
  }
}

void Presenter::move_about() {
  double step = 1.0;
  const bool turns = options_.turn != PresentOptions::Turn::kNone;
  for (int round = 0; round < kRounds; ++round, step *= 0.5) {
    for (double sign : {0.5, -0.5}) {
      const auto moved = [&](double Way::*what, double by) {
        Way way = best_way_;
        way.*what += sign * step * by;
        if (way.back >= 0.0 && way.across >= 0.0) attempt(way);
      };
      if (turns) moved(&Way::turn, kTurnStep);
      moved(&Way::across, kHeightStep);
      moved(&Way::along, kAlongStep);
      moved(&Way::back, 2.0 * kBackStep);
    }
  }
}

void Presenter::attempt(const Way& way) {
  if (way.penalty + kLeastSqueeze + kPalmWeight * way.back >= best_cost_) return;
  const Transform object_world = stand(way);
  if (const auto wrist = slide(way, object_world)) consider(way, object_world, *wrist);
}

// The wrist where the palm grips or a digit would touch. What is at the palm's height decides where
// along the fingers the hand comes.
std::optional<Vec3> Presenter::slide(const Way& way, const Transform& object_world) const {
  Mat3 axes;
  axes << manner_.ahead, manner_.along, manner_.across;
  double lowest = lowest_wrist_;
  if (!manner_.level) {
    Range all;
    for (const Vec3& p : points_object_) all.add(manner_.across.dot(object_world * p));
    lowest = all.low;
  }
  const double across = lowest + way.across;
  Range ahead, along;
  for (const Vec3& p : points_object_) {
    const Vec3 point = axes.transpose() * (object_world * p);
    if (std::abs(point.z() - across) > 0.5 * hand_.breadth) continue;
    ahead.add(point.x());
    along.add(point.y());
  }
  if (ahead.low > ahead.high) return std::nullopt;
  Vec3 wrist = axes * Vec3(ahead.low - hand_.length,
                           along.middle() - manner_.target_along + way.along, across);
  const double farthest = ahead.middle() - palm_reach_;
  const Transform object_from_world = object_world.inverse();
  for (int i = 0; i < 60; ++i) {
    const Transform at{manner_.wrist, wrist};
    const auto gaps = closing_.open_gaps(*field_, object_from_world * at);
    double room = std::min({gaps.palm - palm_distance_, gaps.digits - kDigitRoom,
                            farthest - wrist.dot(manner_.ahead)});
    if (!manner_.level) room = std::min(room, (lowest_wrist_ - wrist.y()) / manner_.ahead.y());
    if (room < 3e-4) break;
    wrist += room * manner_.ahead;
  }
  return Vec3(wrist - way.back * manner_.ahead);
}

Transform Presenter::turned_about_center(const Transform& object_world, double angle) const {
  const Vec3 center = object_world * object_.center_of_mass;
  const Quat turn = exp_map({0.0, angle, 0.0});
  return {turn * object_world.rotation, turn * (object_world.position - center) + center};
}

bool Presenter::comes_freely(const Transform& object_world, const Vec3& wrist) const {
  const Transform object_from_world = object_world.inverse();
  return std::all_of(manner_.way_in.begin(), manner_.way_in.end(), [&](const Transform& on_way) {
    const Transform at{on_way.rotation, wrist + on_way.position};
    const auto gaps = closing_.open_gaps(*field_, object_from_world * at);
    return std::min(gaps.palm, gaps.digits) > -kPenetration;
  });
}

double Presenter::squeeze(const std::vector<physics::GraspContact>& contacts,
                          const Vec3& load_object) const {
  return physics::least_grip_force(contacts, object_, kStandardGravity * load_object, quality_) /
         (object_.mass * kStandardGravity);
}

// Terms 1 to 4; infinite if beyond the bound.
double Presenter::cost(const Transform& object_world, const Vec3& wrist, double bound,
                       Presentation* presentation) {
  const Transform wrist_object = object_world.inverse() * Transform{manner_.wrist, wrist};
  const double palm = closing_.open_gaps(*field_, wrist_object).palm - palm_distance_;
  double sum = kPalmWeight * std::max(0.0, palm);
  if (sum + kLeastSqueeze >= bound) return INFINITY;
  const auto grip =
      closing_.close(*field_, wrist_object, std::max(palm_distance_, 0.0) + kPalmReached);
  if (grip.contacts.empty() || grip.digits < 2) return INFINITY;
  Vec3 middle = Vec3::Zero();
  for (const auto& contact : grip.contacts) middle += contact.point / double(grip.contacts.size());
  sum += kMissingDigit * (kDigitCount - grip.digits) + (grip.thumb ? 0.0 : kMissingThumb) +
         kPushWeight * std::max(0.0, object_world.turn(grip.push).dot(manner_.ahead)) +
         kTimingWeight * std::abs(grip.thumb_late) +
         kClosingWeight * std::max(0.0, grip.closing - 1.0) +
         kArmWeight * (middle - object_.center_of_mass).norm();
  if (sum + kLeastSqueeze >= bound) return INFINITY;
  const Quat to_object = object_world.rotation.conjugate();
  const double plain = squeeze(grip.contacts, to_object * -Vec3::UnitY());
  if (!std::isfinite(plain)) return INFINITY;
  double worst = plain;
  for (const Vec3& side : {Vec3(1, 0, 0), Vec3(-1, 0, 0), Vec3(0, 0, 1), Vec3(0, 0, -1)}) {
    if (!(sum + worst < bound)) return INFINITY;
    const double loaded = squeeze(grip.contacts, to_object * (kSideLoad * side - Vec3::UnitY()));
    worst = std::max(worst, std::min(loaded, kFailed));
  }
  if (presentation)
    *presentation = {object_world, {manner_.wrist, wrist}, plain, grip.digits, field_};
  return sum + worst;
}

void Presenter::consider(const Way& way, const Transform& object_world, const Vec3& wrist) {
  Presentation presentation;
  const double bound = best_cost_ - way.penalty;
  double sum = cost(object_world, wrist, bound, &presentation);
  if (!(sum < bound) || !comes_freely(object_world, wrist)) return;
  int count = 1;
  for (double sign : {1.0, -1.0}) {
    const Vec3 beside = wrist + sign * kMiss * manner_.along;
    sum += std::min(cost(object_world, beside, INFINITY), kFailed);
    const Transform turned = turned_about_center(object_world, sign * kMissTurn);
    sum += std::min(cost(turned, wrist, INFINITY), kFailed);
    count += 2;
  }
  if (sum / count >= bound) return;
  best_cost_ = sum / count + way.penalty;
  best_way_ = way;
  best_ = presentation;
}

Error nothing_found(const Object& object, double opening) {
  std::array<Range, 3> size;
  for (const Vec3& v : object.shape.mesh->vertices) {
    for (int k = 0; k < 3; ++k) size[k].add(v[k]);
  }
  const auto cm = [&](int k) { return 100.0 * (size[k].high - size[k].low); };
  return Error{fmt::format(
      "{}: no way to grip it was found; it is {:.1f} x {:.1f} x {:.1f} cm and the hand opens "
      "{:.1f} cm: give it another size, let it stand on any side, or take another hand",
      object.name, cm(0), cm(1), cm(2), 100.0 * opening)};
}

}  // namespace

Result<Presentation> present(const Object& object, const Hand& hand, const Controller& controller,
                             const PresentOptions& options) {
  if (Status status = fits_hand(controller, hand); !status) return status.error();
  const ExamplePath& path = controller.path;
  if (path.grip_frame < 0 || path.grip_frame >= static_cast<int>(path.wrist_world.size())) {
    return Error{fmt::format("controller {} has no example of a grip to place the hand by",
                             controller.name)};
  }
  Presenter presenter(object, hand, controller, options);
  std::vector<Standing> sides = {{Quat::Identity(), 0.0, kSafeTip}};
  if (options.turn == PresentOptions::Turn::kAny) sides = standing_sides(object, kLeastTip);
  for (int finer = 1; finer <= 2 && !presenter.best(); ++finer) {
    for (const Standing& side : sides) {
      const double other = &side == &sides[0] ? 0.0 : kOtherSide;
      const double tips = kTipping * std::max(0.0, 1.0 - side.tip / kSafeTip);
      presenter.try_side(side.rotation, other + tips, finer);
    }
  }
  if (!presenter.best()) return nothing_found(object, presenter.opening());
  presenter.move_about();
  return *presenter.best();
}

}  // namespace prehend::example_control
