#include "prehend/hands/closing_hand.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "prehend/geometry/capsule_contacts.h"
#include "prehend/hands/palm.h"

namespace prehend::hands {
namespace {

// A digit is stopped by a gap below this, m.
constexpr double kTouchGap = 5e-4;
// All of a stopped digit that is nearer than this counts as touching, m: skin gives way.
constexpr double kContactMargin = 2e-3;
// Steps of closing, 1 being all of it up to the grip: small enough not to pass through a thin wall.
constexpr double kLeastStep = 0.02, kLargestStep = 0.2;
// An approaching hand keeps this far above the floor, m, ...
constexpr double kClearance = 0.01;
// ... and the corner of its raised path is rounded over this height, m. Near the grip both shrink
// to this share of the distance to it, so that the grip itself is not raised.
constexpr double kRound = 0.02, kNearGrip = 0.1;
// The back of a finger cannot press: contacts whose normal has a lower cosine than this with the
// finger's back do not count (more than 107 degrees off).
constexpr double kBack = -0.3;

// Least gap along a capsule, exact if below `bound`.
double capsule_gap(const geometry::SignedDistance& field, const Capsule& capsule, double bound) {
  const Vec3 line = capsule.b - capsule.a;
  const double length = line.norm();
  const double middle = field.sample(capsule.a + 0.5 * line).distance - capsule.radius;
  if (middle - 0.5 * length >= bound) return middle;
  const int pieces = std::max(1, static_cast<int>(std::ceil(2.0 * length / capsule.radius)));
  double least = middle;
  for (int i = 0; i <= pieces; ++i) {
    const Vec3 point = capsule.a + double(i) / pieces * line;
    least = std::min(least, field.sample(point).distance - capsule.radius);
  }
  return least;
}

}  // namespace

ClosingHand::ClosingHand(const Hand& hand, ClosingPoses poses)
    : hand_(hand),
      kinematics_(hand),
      offsets_(coordinate_offsets(hand)),
      is_palm_(hand.segments.size(), 0),
      poses_(std::move(poses)) {
  for (int s : palm_segments(hand)) is_palm_[s] = 1;
  for (int s = 0; s < hand.segment_count(); ++s) {
    if (hand.segments[s].digit == Digit::kThumb && hand.segments[s].phalanx > 0)
      thumb_.push_back(s);
  }
  kinematics_.update({}, poses_.open);
  for (int s = 0; s < hand.segment_count(); ++s) {
    for (const Capsule& capsule : hand.segments[s].capsules) {
      open_capsules_.push_back({kinematics_.frames_world()[s] * capsule, is_palm_[s] != 0});
    }
    // Every joint nearer to the wrist carries the segment around, at most as far from that joint as
    // the bones between are long.
    double travel = 0.0, arm = 0.0;
    for (const Capsule& c : hand.segments[s].capsules) {
      arm = std::max({arm, c.a.norm() + c.radius, c.b.norm() + c.radius});
    }
    for (int up = s; up > 0; up = hand.segments[up].parent) {
      const int first = offsets_[up], count = offsets_[up + 1] - first;
      travel += arm * std::max(poses_.to_grip.segment(first, count).norm(),
                               poses_.beyond.segment(first, count).norm());
      arm += hand.segments[up].rest_parent.position.norm();
    }
    travel_.push_back(std::max(travel, 1e-6));
  }
}

ClosingHand::Gaps ClosingHand::open_gaps(const geometry::SignedDistance& field,
                                         const Transform& wrist_object) const {
  Gaps gaps;
  for (const Placed& placed : open_capsules_) {
    double& gap = placed.palm ? gaps.palm : gaps.digits;
    gap = std::min(gap, capsule_gap(field, wrist_object * placed.capsule, gap));
  }
  return gaps;
}

double ClosingHand::segment_gap(const geometry::SignedDistance& field, int segment) const {
  double gap = INFINITY;
  for (const Capsule& capsule : hand_.segments[segment].capsules) {
    gap = std::min(gap, capsule_gap(field, kinematics_.frames_world()[segment] * capsule, gap));
  }
  return gap;
}

double ClosingHand::floor_gap(const Floor& floor, int segment) const {
  double gap = INFINITY;
  for (const Capsule& local : hand_.segments[segment].capsules) {
    const Capsule capsule = kinematics_.frames_world()[segment] * local;
    gap = std::min(gap, std::min(floor.up.dot(capsule.a), floor.up.dot(capsule.b)) -
                            capsule.radius - floor.height);
  }
  return gap;
}

// A fingertip and the thumb that meet close no farther, whatever lies between them.
bool ClosingHand::thumb_meets(int segment) const {
  if (hand_.segments[segment].digit == Digit::kThumb || hand_.segments[segment].phalanx < 2)
    return false;
  for (const Capsule& own : hand_.segments[segment].capsules) {
    const Capsule capsule = kinematics_.frames_world()[segment] * own;
    for (int s : thumb_) {
      for (const Capsule& other : hand_.segments[s].capsules) {
        if (distance(capsule, kinematics_.frames_world()[s] * other) < kTouchGap) return true;
      }
    }
  }
  return false;
}

void ClosingHand::freeze(int segment) {
  for (int s = segment; s > 0; s = hand_.segments[s].parent) frozen_[s] = 1;
}

void ClosingHand::advance(int segment, double step) {
  const int first = offsets_[segment], count = offsets_[segment + 1] - first;
  closed_[segment] = std::min(closed_[segment] + step, poses_.farthest);
  pose_.segment(first, count) =
      poses_.open.segment(first, count) +
      std::min(closed_[segment], 1.0) * poses_.to_grip.segment(first, count) +
      std::max(closed_[segment] - 1.0, 0.0) * poses_.beyond.segment(first, count);
  if (closed_[segment] >= poses_.farthest) frozen_[segment] = 1;
}

ClosingHand::Grip ClosingHand::close(const geometry::SignedDistance& field,
                                     const Transform& wrist_object, double palm_margin,
                                     const Floor& floor) {
  const int count = hand_.segment_count();
  pose_ = poses_.open;
  closed_.assign(count, 0.0);
  frozen_.assign(count, 0);
  frozen_[0] = 1;
  for (bool moving = true; moving;) {
    kinematics_.update(wrist_object, pose_);
    std::array<double, kDigitCount + 1> step;  // of each digit, and of what is of none
    step.fill(kLargestStep);
    for (int s = 1; s < count; ++s) {
      if (frozen_[s]) continue;
      const double gap = segment_gap(field, s);
      if (gap < kTouchGap) freeze(s);
      if (thumb_meets(s)) {
        freeze(s);
        freeze(thumb_.back());
      }
      // A tip on the floor slides on, curling.
      if (floor_gap(floor, s) < kTouchGap) freeze(hand_.segments[s].parent);
      double& least = step[static_cast<int>(hand_.segments[s].digit)];
      if (gap >= kTouchGap) least = std::min(least, std::max(kLeastStep, gap / travel_[s]));
    }
    moving = false;
    for (int s = 1; s < count; ++s) {
      if (frozen_[s]) continue;
      moving = true;
      advance(s, step[static_cast<int>(hand_.segments[s].digit)]);
    }
  }
  Grip grip;
  grip.pose = pose_;
  gather(field, palm_margin, grip);
  return grip;
}

void ClosingHand::gather(const geometry::SignedDistance& field, double palm_margin,
                         Grip& grip) const {
  std::array<bool, kDigitCount> touches{};
  std::array<Vec3, kDigitCount> pushes;
  pushes.fill(Vec3::Zero());
  std::array<double, kDigitCount> touched;
  touched.fill(poses_.farthest);
  int touching = 0;
  std::array<geometry::FieldContact, geometry::kMaxFieldContacts> found;
  for (int s = 0; s < hand_.segment_count(); ++s) {
    const Segment& segment = hand_.segments[s];
    const Transform& frame = kinematics_.frames_world()[s];
    const double margin = is_palm_[s] ? palm_margin : kContactMargin;
    for (const Capsule& capsule : segment.capsules) {
      const int contacts = capsule_field_contacts(field, frame * capsule, margin, found);
      for (int i = 0; i < contacts; ++i) {
        if (found[i].normal.dot(frame.turn(Vec3::UnitY())) < kBack) continue;
        grip.contacts.push_back({found[i].point, found[i].normal});
        if (segment.phalanx <= 0) continue;
        touches[static_cast<int>(segment.digit)] = true;
        pushes[static_cast<int>(segment.digit)] -= found[i].normal;
        grip.closing += closed_[s];
        double& first = touched[static_cast<int>(segment.digit)];
        first = std::min(first, closed_[s]);
        ++touching;
      }
    }
  }
  grip.digits = static_cast<int>(std::count(touches.begin(), touches.end(), true));
  grip.thumb = touches[0];
  grip.closing /= std::max(1, touching);
  grip.thumb_late = touched[0];
  for (int d = 1; d < kDigitCount; ++d) grip.thumb_late -= touched[d] / (kDigitCount - 1);
  for (const Vec3& push : pushes) grip.push += push.stableNormalized() / kDigitCount;
}

double ClosingHand::lowest(const Quat& wrist_world) const {
  double least = INFINITY;
  for (const Placed& placed : open_capsules_) {
    const Capsule& c = placed.capsule;
    least = std::min(least, std::min((wrist_world * c.a).y(), (wrist_world * c.b).y()) - c.radius);
  }
  return least;
}

Transform ClosingHand::above_floor(const Transform& wrist_world, const Transform& grip_world,
                                   double floor_height) const {
  const double near = kNearGrip * (wrist_world.position - grip_world.position).norm();
  const double least = floor_height + std::min(kClearance, near) - lowest(wrist_world.rotation);
  const double over = wrist_world.position.y() - least;
  const double round = std::min(kRound, near);
  Transform raised = wrist_world;
  // The larger of both heights, its corner rounded.
  if (over < -round) raised.position.y() -= over;
  if (std::abs(over) < round)
    raised.position.y() += (round - over) * (round - over) / (4.0 * round);
  return raised;
}

double ClosingHand::palm_reach(const Vec3& direction_wrist) const {
  double reach = -INFINITY;
  for (const Placed& placed : open_capsules_) {
    if (!placed.palm) continue;
    const Capsule& c = placed.capsule;
    reach =
        std::max(reach, std::max(direction_wrist.dot(c.a), direction_wrist.dot(c.b)) + c.radius);
  }
  return reach;
}

double ClosingHand::opening() {
  kinematics_.update({}, poses_.open);
  const auto pulp = [&](Digit digit) {
    const FingerPad& pad = hand_.pads[static_cast<int>(digit)];
    return Vec3(kinematics_.frames_world()[pad.segment] * pad.point);
  };
  return (pulp(Digit::kThumb) - pulp(Digit::kMiddle)).norm();
}

}  // namespace prehend::hands
