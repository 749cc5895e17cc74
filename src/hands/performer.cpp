// Meetings are least-squares problems over the angles of some digits and the place of the thing:
//   1. touch       every spot lies on the thing's surface, its normal against the surface's
//   2. opposition  the thumb lies opposite the others across the thing's thickness
//   3. overlap     of the digits with the thing and with the rest of the hand
//   4. habit       DIP bends with PIP, and a little pull towards the angles at the start
#include "prehend/hands/performer.h"

#include <algorithm>
#include <cmath>

#include "prehend/core/hand_builder.h"
#include "prehend/geometry/primitive.h"
#include "prehend/hands/closing.h"
#include "prehend/optimize/least_squares.h"

namespace prehend::hands {

namespace {

// Weights of the residuals, all in meters; chosen by eye until all six kinds looked natural.
constexpr double kFacingWeight = 0.006;   // 1: normals 10 degrees off weigh as much as 1 mm
constexpr double kCenteringWeight = 0.1;  // a meter off the middle
constexpr double kOverlapWeight = 8.0;    // 3, a meter: overlaps count eight times as much as gaps
constexpr double kCouplingWeight = 4e-3;  // 4, a radian
constexpr double kHabitWeight = 1.5e-3;   // 4, a radian
constexpr double kDipPerPip = 2.0 / 3.0;  // the usual coupling of the tendons (docs/hand.md)
// A thing can bend the DIP joint this far beyond what the PIP joint alone would, ...
constexpr double kDipAlone = radians(22.0);
// ... and a finger flexes at most this far beyond its neighbor.
constexpr double kBeyondNeighbor = radians(18.0);
// How often a step of 2 degrees is halved until a finger lies on the thing: to 0.001 degrees.
constexpr int kHalvings = 11;

// How deep a capsule is in the thing; 0 outside. Along the capsule's axis the distance is convex,
// as the things are: the nearest point is where its slope changes sign.
double depth(const Capsule& capsule_wrist, const Thing& thing) {
  const Capsule capsule = thing.place_wrist.inverse() * capsule_wrist;
  const Vec3 along = capsule.b - capsule.a;
  double low = 0.0, high = 1.0;
  // Most are far away.
  const double reach = capsule.radius + 0.5 * along.norm();
  if (thing.distance->sample(0.5 * (capsule.a + capsule.b)).distance > reach) return 0.0;
  for (int i = 0; i < 10; ++i) {
    const double middle = 0.5 * (low + high);
    const Vec3 slope = thing.distance->sample(capsule.a + middle * along).gradient;
    (slope.dot(along) > 0.0 ? high : low) = middle;
  }
  const Vec3 nearest = capsule.a + 0.5 * (low + high) * along;
  return std::max(0.0, capsule.radius - thing.distance->sample(nearest).distance);
}

double depth(const std::vector<Capsule>& shapes, const Thing& thing) {
  double deepest = 0.0;
  for (const Capsule& capsule : shapes) deepest = std::max(deepest, depth(capsule, thing));
  return deepest;
}

double depth(const std::vector<Capsule>& shapes, const std::vector<Capsule>& others) {
  double deepest = 0.0;
  for (const Capsule& one : shapes) {
    const double reach = one.radius + 0.5 * (one.b - one.a).norm();
    for (const Capsule& other : others) {
      const double both = reach + other.radius + 0.5 * (other.b - other.a).norm();
      if ((one.a + one.b - other.a - other.b).squaredNorm() > 4.0 * both * both) continue;
      deepest = std::max(deepest, -distance(one, other));
    }
  }
  return deepest;
}

}  // namespace

Thing make_thing(const std::string& name, ShapeKind kind, const Vec3& size) {
  constexpr double kMass = 0.2;  // kg; no force acts on it here
  Thing thing;
  thing.object = std::make_shared<const Object>(
      geometry::object_from_primitive(name, kind, size, kMass).value());
  thing.distance = geometry::exact_distance(thing.object->shape);
  return thing;
}

Performer::Performer() : hand_(std::make_shared<const Hand>(build_hand().value())) {
  limits_ = coordinate_limits(*hand_);
  offsets_ = coordinate_offsets(*hand_);
  for (auto& digit : segments_) digit.fill(-1);
  for (int s = 0; s < hand_->segment_count(); ++s) {
    const Segment& segment = hand_->segments[s];
    digits_.insert(digits_.end(), segment.dof(), segment.digit);
    if (segment.phalanx >= 0) segments_[int(segment.digit)][segment.phalanx] = s;
    for (int other = 0; other < s; ++other) {
      if (!hand_->may_overlap(other, s)) apart_.emplace_back(other, s);
    }
  }
}

void Performer::set(Digit finger, const FingerAngles& angles, Eigen::VectorXd& q) const {
  const int mcp = offsets_[segment(finger, 1)];
  q[mcp] = radians(angles.mcp);
  q[mcp + 1] = radians(angles.deviation);
  q[offsets_[segment(finger, 2)]] = radians(angles.pip);
  q[offsets_[segment(finger, 3)]] = radians(angles.dip);
}

void Performer::set(const ThumbAngles& angles, Eigen::VectorXd& q) const {
  const int cmc = offsets_[segment(Digit::kThumb, 0)];
  q.segment<3>(cmc) << radians(angles.abduction), radians(angles.flexion),
      radians(angles.pronation);
  q[offsets_[segment(Digit::kThumb, 1)]] = radians(angles.mcp);
  q[offsets_[segment(Digit::kThumb, 3)]] = radians(angles.ip);
}

FingerAngles Performer::finger_angles(Digit finger, const Eigen::VectorXd& q) const {
  const int mcp = offsets_[segment(finger, 1)];
  return {degrees(q[mcp]), degrees(q[offsets_[segment(finger, 2)]]),
          degrees(q[offsets_[segment(finger, 3)]]), degrees(q[mcp + 1])};
}

ThumbAngles Performer::thumb_angles(const Eigen::VectorXd& q) const {
  const int cmc = offsets_[segment(Digit::kThumb, 0)];
  return {degrees(q[cmc]), degrees(q[cmc + 1]), degrees(q[cmc + 2]),
          degrees(q[offsets_[segment(Digit::kThumb, 1)]]),
          degrees(q[offsets_[segment(Digit::kThumb, 3)]])};
}

std::vector<Transform> Performer::frames(const Eigen::VectorXd& q) const {
  return segment_frames(*hand_, pose_from_coordinates(*hand_, {}, q));
}

Spot Performer::spot(Digit digit, int phalanx, double fraction, const Vec3& direction) const {
  const int s = segment(digit, phalanx);
  const Capsule& flesh = hand_->segments[s].capsules.back();
  const Vec3 normal = direction.normalized();
  return {s, flesh.a + fraction * (flesh.b - flesh.a) + flesh.radius * normal, normal};
}

Performer::Flesh Performer::flesh(const Eigen::VectorXd& q) const {
  const auto at = frames(q);
  Flesh shapes(at.size());
  for (std::size_t s = 0; s < at.size(); ++s) {
    for (const Capsule& capsule : hand_->segments[s].capsules) shapes[s].push_back(at[s] * capsule);
  }
  return shapes;
}

double Performer::penetration(const Eigen::VectorXd& q, const Thing& thing) const {
  double deepest = 0.0;
  for (const auto& shapes : flesh(q)) deepest = std::max(deepest, depth(shapes, thing));
  return deepest;
}

std::vector<int> Performer::palm() const {
  std::vector<int> segments = {hand_->wrist()};
  for (Digit digit : kDigits) segments.push_back(segment(digit, 0));
  return segments;
}

void Performer::lay_on(const std::vector<int>& segments, const Eigen::VectorXd& q,
                       const Vec3& direction, Thing& thing) const {
  constexpr double kFar = 0.1;  // m to either side that is searched
  const Flesh shapes = flesh(q);
  const Vec3 start = thing.place_wrist.position;
  double outside = -kFar, inside = kFar;
  for (int i = 0; i < 40; ++i) {
    const double middle = 0.5 * (outside + inside);
    thing.place_wrist.position = start + middle * direction;
    const bool touches = std::any_of(segments.begin(), segments.end(),
                                     [&](int s) { return depth(shapes[s], thing) > 0.0; });
    (touches ? inside : outside) = middle;
  }
  thing.place_wrist.position = start + outside * direction;
}

bool Performer::free_of_palm(int s, const Flesh& shapes) const {
  for (int other = 0; other < hand_->segment_count(); ++other) {
    const bool palm = hand_->segments[other].phalanx <= 0;
    if (palm && !hand_->may_overlap(s, other) && depth(shapes[s], shapes[other]) > 0.0)
      return false;
  }
  return true;
}

// The coupled flexion of a finger's joints; progress counts steps of the MCP joint.
class Performer::Flexion : public ClosingPath {
 public:
  Flexion(const Performer& performer, Digit finger, const Touches& touches,
          const Eigen::VectorXd& most, double bending, Eigen::VectorXd& q)
      : performer_(performer),
        finger_(finger),
        touches_(touches),
        most_(most),
        bending_(bending),
        q_(q),
        kept_(q) {
    stopped_ = touching();
  }

  std::optional<double> next() override {
    if (stopped_ == 3 || ended_) return std::nullopt;
    return progress_ + 1.0;
  }
  bool free_at(double progress) override {
    q_ = kept_;
    flex(kStep * (progress - progress_));
    const int touching_now = touching();
    if (touching_now > 0) touching_ = touching_now;
    return touching_now == 0;
  }
  void keep(double progress) override {
    ended_ = q_ == kept_;
    kept_ = q_;
    progress_ = progress;
  }
  void stop() override {
    q_ = kept_;
    stopped_ = touching_;
  }

 private:
  static constexpr double kStep = radians(2.0);

  // The first phalanx that touches of those that go on, or 0.
  int touching() const {
    const Flesh shapes = performer_.flesh(q_);
    for (int phalanx = stopped_ + 1; phalanx <= 3; ++phalanx) {
      const int s = performer_.segment(finger_, phalanx);
      if (touches_(shapes[s]) || (phalanx > 1 && !performer_.free_of_palm(s, shapes)))
        return phalanx;
    }
    return 0;
  }
  void flex(double step) {
    const int pip = performer_.offsets_[performer_.segment(finger_, 2)];
    for (int phalanx = stopped_ + 1; phalanx <= 3; ++phalanx) {
      const int c = performer_.offsets_[performer_.segment(finger_, phalanx)];
      const double rate = phalanx == 1                   ? 1.0
                          : phalanx == 3 && stopped_ < 2 ? kDipPerPip * bending_
                                                         : bending_;
      const double end =
          phalanx < 3 ? most_[c] : std::min(most_[c], kDipPerPip * q_[pip] + kDipAlone);
      q_[c] = std::max(q_[c], std::min(q_[c] + rate * step, end));
    }
  }

  const Performer& performer_;
  const Digit finger_;
  const Touches& touches_;
  const Eigen::VectorXd& most_;  // upper limits of all coordinates
  const double bending_;
  Eigen::VectorXd& q_;
  Eigen::VectorXd kept_;
  double progress_ = 0.0;  // of what was kept
  int stopped_ = 0;        // the joints up to this phalanx's go no farther
  int touching_ = 0;       // the phalanx that was last found in the way
  bool ended_ = false;     // no joint can flex on
};

void Performer::close_fingers(const Thing& thing, Eigen::VectorXd& q, double bending) const {
  close_fingers([&](const std::vector<Capsule>& shapes) { return depth(shapes, thing) > 0.0; }, q,
                bending);
}

void Performer::close_fingers(const Touches& touches, Eigen::VectorXd& q, double bending) const {
  constexpr std::array<std::pair<Digit, Digit>, 4> kOrder = {{{Digit::kMiddle, Digit::kMiddle},
                                                              {Digit::kIndex, Digit::kMiddle},
                                                              {Digit::kRing, Digit::kMiddle},
                                                              {Digit::kLittle, Digit::kRing}}};
  for (const auto& [finger, neighbor] : kOrder) {
    Eigen::VectorXd most = limits_.upper;
    for (int phalanx = 1; phalanx <= 3 && finger != neighbor; ++phalanx) {
      const int c = offsets_[segment(finger, phalanx)];
      most[c] = std::min(most[c], q[offsets_[segment(neighbor, phalanx)]] + kBeyondNeighbor);
    }
    Flexion flexion(*this, finger, touches, most, bending, q);
    close_by_trial(flexion, kHalvings);
  }
}

std::vector<int> Performer::coordinates_of(const std::vector<Digit>& digits) const {
  std::vector<int> chosen;
  for (int s = 0; s < hand_->segment_count(); ++s) {
    const Segment& segment = hand_->segments[s];
    const bool metacarpal = segment.phalanx == 0 && segment.digit != Digit::kThumb;
    if (metacarpal || std::find(digits.begin(), digits.end(), segment.digit) == digits.end())
      continue;
    for (int c = offsets_[s]; c < offsets_[s + 1]; ++c) chosen.push_back(c);
  }
  return chosen;
}

void Performer::overlap_residuals(const Meeting& meeting, const Thing& thing,
                                  const Eigen::VectorXd& q, std::vector<double>& residuals) const {
  const Flesh shapes = flesh(q);
  std::vector<bool> moves(shapes.size());
  for (std::size_t s = 0; s < shapes.size(); ++s) {
    const Digit digit = hand_->segments[s].digit;
    moves[s] =
        std::find(meeting.moving.begin(), meeting.moving.end(), digit) != meeting.moving.end();
    if (moves[s] || meeting.thing_moves)
      residuals.push_back(kOverlapWeight * depth(shapes[s], thing));
  }
  for (const auto& [a, b] : apart_) {
    if (moves[a] || moves[b]) residuals.push_back(kOverlapWeight * depth(shapes[a], shapes[b]));
  }
}

void Performer::meeting_residuals(const Meeting& meeting, const Thing& thing,
                                  const Eigen::VectorXd& q, std::vector<double>& residuals) const {
  const auto push = [&](const Vec3& v) { residuals.insert(residuals.end(), v.begin(), v.end()); };
  const auto at = frames(q);
  const Transform thing_from_wrist = thing.place_wrist.inverse();
  Vec3 thumb = Vec3::Zero(), others = Vec3::Zero();
  for (std::size_t i = 0; i < meeting.spots.size(); ++i) {
    const Spot& spot = meeting.spots[i];
    const Transform local = thing_from_wrist * at[spot.segment];
    const Vec3 point = local * spot.point;
    const geometry::DistanceSample surface = thing.distance->sample(point);
    residuals.push_back(surface.distance);
    push(kFacingWeight * (local.turn(spot.normal) + surface.gradient));
    if (i == 0) thumb = point;
    if (i > 0) others += point / double(meeting.spots.size() - 1);
  }
  if (meeting.spots.size() > 1) {
    const Vec3 across = others - thumb;
    residuals.push_back(meeting.opposition * across.x());
    residuals.push_back(meeting.opposition * across.y());
    if (meeting.thing_moves) push(kCenteringWeight * (others + thumb));
  }
  overlap_residuals(meeting, thing, q, residuals);
  for (Digit finger : meeting.moving) {
    if (finger == Digit::kThumb) continue;
    residuals.push_back(kCouplingWeight * (q[offsets_[segment(finger, 3)]] -
                                           kDipPerPip * q[offsets_[segment(finger, 2)]]));
  }
}

double Performer::meet(const Meeting& meeting, Thing& thing, Eigen::VectorXd& q) const {
  const std::vector<int> free = coordinates_of(meeting.moving);
  const int angles = static_cast<int>(free.size()), place = meeting.thing_moves ? 6 : 0;
  Eigen::VectorXd start(angles + place), lower(angles + place), upper(angles + place);
  for (int i = 0; i < angles; ++i) {
    start[i] = q[free[i]];
    lower[i] = limits_.lower[free[i]];
    upper[i] = limits_.upper[free[i]];
  }
  // Millimeters' worth of a radian of turn: both kinds of variables have the same scale.
  constexpr double kMetersPerUnit = 0.05;
  start.tail(place).setZero();
  lower.tail(place).setConstant(-2.0);
  upper.tail(place).setConstant(2.0);
  const Transform first = thing.place_wrist;
  std::vector<double> list;
  const auto evaluate = [&](const Eigen::VectorXd& x) {
    list.clear();
    for (int i = 0; i < angles; ++i) q[free[i]] = x[i];
    if (meeting.thing_moves) {
      thing.place_wrist = {first.rotation * exp_map(x.tail<3>()),
                           first.position + kMetersPerUnit * x.segment<3>(angles)};
    }
    meeting_residuals(meeting, thing, q, list);
    for (int i = 0; i < angles + place; ++i) list.push_back(kHabitWeight * (x[i] - start[i]));
  };
  evaluate(start);
  optimize::LeastSquaresOptions options;
  options.max_iterations = 40;
  options.function_tolerance = 1e-5;
  const auto solved = optimize::minimize_squares(
      [&](const Eigen::VectorXd& x, Eigen::VectorXd& residuals) {
        evaluate(x);
        residuals = Eigen::Map<const Eigen::VectorXd>(list.data(), Eigen::Index(list.size()));
      },
      static_cast<int>(list.size()), start, lower, upper, options);
  evaluate(solved.x);
  double farthest = 0.0;
  const auto at = frames(q);
  for (const Spot& spot : meeting.spots) {
    const auto& moving = meeting.moving;
    const Digit digit = hand_->segments[spot.segment].digit;
    if (std::find(moving.begin(), moving.end(), digit) == moving.end()) continue;
    const Vec3 point = thing.place_wrist.inverse() * (at[spot.segment] * spot.point);
    farthest = std::max(farthest, std::abs(thing.distance->sample(point).distance));
  }
  return farthest;
}

}  // namespace prehend::hands
