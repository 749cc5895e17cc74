// Where things lie in the hand and how the digits come to them. Lengths are of the built-in hand,
// 19 cm long; angles in degrees. Power kinds (cylindrical, spherical, hook) are closed finger by
// finger on a thing that lies in the hand; precision kinds (palmar, lateral, tip) bring spots of
// the skin and the thing together.
#include "prehend/hands/closed_hand.h"

#include <algorithm>

#include "prehend/core/assert.h"

namespace prehend::hands {

namespace {

constexpr double kAxisTurn = radians(-17.0);  // of the line of knuckles about the wrist's Y
const Vec3 kPulp(0.0, -1.0, -0.15);
const Vec3 kTip(0.0, -1.0, -0.7);
const Vec3 kRadialSide(-1.0, -0.25, 0.0);

// Things' length (their Y) along the wrist's X, turned as the knuckles are.
Quat across_palm(double turn) {
  return exp_map({0.0, turn, 0.0}) * exp_map({0.0, 0.0, -0.5 * kPi});
}

class Maker {
 public:
  Maker(const Performer& performer, double size, Random& random)
      : performer_(performer), size_(size), random_(random) {
    made_.closed = made_.wide = Eigen::VectorXd::Zero(performer.hand()->dof());
  }

  ClosedHand cylindrical();
  ClosedHand spherical();
  ClosedHand palmar();
  ClosedHand lateral();
  ClosedHand tip();
  ClosedHand hook();

 private:
  double some(double deviation) { return deviation * random_.normal(); }
  void fingers(const FingerAngles& angles, double spread, Eigen::VectorXd& q);
  void thumb(const ThumbAngles& angles, Eigen::VectorXd& q);
  Spot thumb_pulp() const { return performer_.spot(Digit::kThumb, 3, 0.85, kPulp); }
  void meet(const Performer::Meeting& meeting);
  void wrap();
  void between(const std::vector<Spot>& spots);
  void open_wide(double opening);
  void come_along_face();

  const Performer& performer_;
  const double size_;
  Random& random_;
  ClosedHand made_;
};

// All four alike, fanned out by `spread` from the middle finger on.
void Maker::fingers(const FingerAngles& angles, double spread, Eigen::VectorXd& q) {
  constexpr std::array<double, 4> kFan = {0.7, 0.0, -0.6, -1.3};
  for (std::size_t i = 0; i < kFingers.size(); ++i) {
    FingerAngles own = angles;
    own.mcp += some(2.0);
    own.pip += some(2.0);
    own.deviation += spread * kFan[i] + some(0.7);
    performer_.set(kFingers[i], own, q);
  }
}

void Maker::thumb(const ThumbAngles& a, Eigen::VectorXd& q) {
  performer_.set(ThumbAngles{a.abduction + some(2.0), a.flexion + some(2.0),
                             a.pronation + some(2.0), a.mcp + some(2.0), a.ip + some(2.0)},
                 q);
}

// The hand before it closes: fingers extended by a fraction of the way to straight, the thumb away
// from where it will be.
void Maker::open_wide(double opening) {
  made_.wide = made_.closed;
  for (Digit finger : kFingers) {
    FingerAngles angles = performer_.finger_angles(finger, made_.closed);
    angles.mcp = (1.0 - opening) * angles.mcp + some(2.0);
    angles.pip = (1.0 - opening) * angles.pip + some(2.0);
    angles.dip = (1.0 - opening) * angles.dip + some(1.0);
    performer_.set(finger, angles, made_.wide);
  }
  ThumbAngles angles = performer_.thumb_angles(made_.closed);
  thumb(
      {angles.abduction + 4.0, angles.flexion - 40.0 * opening, angles.pronation,
       (1.0 - opening) * angles.mcp - 8.0 * opening, (1.0 - opening) * angles.ip - 10.0 * opening},
      made_.wide);
  made_.wide = made_.wide.cwiseMax(performer_.limits().lower).cwiseMin(performer_.limits().upper);
}

// From the thumb as it stands, or from a little beside where it gets caught.
void Maker::meet(const Performer::Meeting& meeting) {
  constexpr double kNearEnough = 2.2e-3;  // m between the farthest spot and the thing
  // Degrees of abduction and flexion.
  constexpr std::array<std::array<double, 2>, 4> kAside = {{{0, 0}, {0, -14}, {-12, 0}, {0, 14}}};
  const ClosedHand start = made_;
  ClosedHand best;
  double least = INFINITY;
  for (const auto& [abduction, flexion] : kAside) {
    made_ = start;
    ThumbAngles angles = performer_.thumb_angles(made_.closed);
    angles.abduction += abduction;
    angles.flexion += flexion;
    performer_.set(angles, made_.closed);
    const double error = performer_.meet(meeting, made_.thing, made_.closed);
    if (error < least) best = made_;
    least = std::min(least, error);
    if (least < kNearEnough) break;
  }
  made_ = best;
}

void Maker::wrap() {
  // Performer::Meeting::opposition, a quarter of the usual: a thumb around a thing lies where it
  // can.
  constexpr double kOpposition = 0.12;
  performer_.close_fingers(made_.thing, made_.closed);
  const std::vector<Spot> spots = {thumb_pulp(), performer_.spot(Digit::kIndex, 3, 0.7, kPulp),
                                   performer_.spot(Digit::kMiddle, 3, 0.7, kPulp)};
  meet({{Digit::kThumb}, spots, false, kOpposition});
}

ClosedHand Maker::cylindrical() {
  const double r = size_;
  made_.thing = make_thing("cylinder", ShapeKind::kCylinder, {r, 0.08, 0.0});
  made_.thing.place_wrist = {across_palm(kAxisTurn + radians(some(3.0))),
                             {some(0.003), -0.03 - r, -0.078 + 0.1 * r + some(0.003)}};
  fingers({5, 8, 5, 0}, 5.0, made_.closed);
  thumb({32, 15 - 600 * r, 25, 20, 20}, made_.closed);
  performer_.lay_on(performer_.palm(), made_.closed, Vec3::UnitY(), made_.thing);
  wrap();
  open_wide(0.75);
  made_.approach_wrist = Vec3(0.0, 1.0, 0.0);
  made_.world_from_wrist = exp_map({0.0, 0.0, -0.5 * kPi});
  return made_;
}

ClosedHand Maker::spherical() {
  const double r = size_;
  made_.thing = make_thing("sphere", ShapeKind::kSphere, {r, 0.0, 0.0});
  made_.thing.place_wrist.position = {-0.006 + some(0.002), -0.03 - r, -0.08 + some(0.003)};
  fingers({5, 8, 5, 0}, std::max(2.0, 500.0 * (r - 0.025)), made_.closed);
  thumb({34, 15 - 350 * r, 25, 15, 15}, made_.closed);
  performer_.lay_on(performer_.palm(), made_.closed, Vec3::UnitY(), made_.thing);
  wrap();
  open_wide(0.75);
  made_.approach_wrist = Vec3(0.0, 1.0, 0.0);
  return made_;
}

ClosedHand Maker::hook() {
  const double r = size_;
  made_.thing = make_thing("bar", ShapeKind::kCylinder, {r, 0.07, 0.0});
  made_.thing.place_wrist = {across_palm(kAxisTurn + radians(some(2.0))),
                             {0.004, -0.026 - r + some(0.002), -0.114 + 0.6 * r + some(0.003)}};
  fingers({-12, 10, 6, 0}, 0.0, made_.closed);
  performer_.close_fingers(made_.thing, made_.closed);
  thumb({0, -10, 0, 5, 10}, made_.closed);
  open_wide(0.85);
  made_.approach_wrist = Vec3(0.0, 1.0, 0.0);
  made_.world_from_wrist = exp_map({-0.5 * kPi, 0.0, 0.0});
  return made_;
}

// Lays the thing between the thumb and the other spots as they stand, then brings them together.
void Maker::between(const std::vector<Spot>& spots) {
  const auto frames = performer_.frames(made_.closed);
  const Vec3 from = frames[spots[0].segment] * spots[0].point;
  Vec3 to = Vec3::Zero();
  for (std::size_t i = 1; i < spots.size(); ++i)
    to += frames[spots[i].segment] * spots[i].point / double(spots.size() - 1);
  const Vec3 z = (to - from).normalized();
  const Vec3 y = (Vec3::UnitX() - Vec3::UnitX().dot(z) * z).normalized();
  Mat3 axes;
  axes << y.cross(z), y, z;
  made_.thing.place_wrist = {Quat(axes), 0.5 * (from + to)};
}

// The digits pass on both sides of what they will hold.
void Maker::come_along_face() {
  const Vec3 across = made_.thing.place_wrist.turn(Vec3::UnitZ());
  made_.approach_wrist = Vec3::UnitZ() - Vec3::UnitZ().dot(across) * across;
}

ClosedHand Maker::palmar() {
  const double thickness = size_;
  const bool round = random_.uniform() < 0.4 && thickness < 0.035;
  made_.thing = round ? make_thing("rod", ShapeKind::kCylinder, {0.5 * thickness, 0.05, 0.0})
                      : make_thing("box", ShapeKind::kBox, {0.03, 0.05, 0.5 * thickness});
  fingers({58 - 300 * thickness, 22, 14, 0}, 0.0, made_.closed);
  thumb({30, 5 - 150 * thickness, 20, 10, 5}, made_.closed);
  const std::vector<Spot> spots = {thumb_pulp(), performer_.spot(Digit::kIndex, 3, 0.7, kPulp),
                                   performer_.spot(Digit::kMiddle, 3, 0.7, kPulp)};
  between(spots);
  meet({{Digit::kThumb, Digit::kIndex, Digit::kMiddle}, spots, true});
  // The other two come down beside them.
  const FingerAngles middle = performer_.finger_angles(Digit::kMiddle, made_.closed);
  double deviation = middle.deviation;
  for (Digit finger : {Digit::kRing, Digit::kLittle}) {
    deviation -= 2.5;
    performer_.set(finger, {-5.0, 0.8 * middle.pip, 0.5 * middle.pip, deviation}, made_.closed);
  }
  performer_.close_fingers(made_.thing, made_.closed, 0.2);
  open_wide(0.55);
  come_along_face();
  made_.world_from_wrist = exp_map({-0.25 * kPi, 0.0, 0.0});
  return made_;
}

ClosedHand Maker::tip() {
  const double radius = 0.5 * size_;
  made_.thing = make_thing("ball", ShapeKind::kSphere, {radius, 0.0, 0.0});
  fingers({45, 45, 30, 0}, 2.0, made_.closed);
  thumb({28, 5, 20, 15, 25}, made_.closed);
  const bool three = size_ > 0.015;
  std::vector<Digit> moving = {Digit::kThumb, Digit::kIndex};
  if (three) moving.push_back(Digit::kMiddle);
  std::vector<Spot> spots;
  for (Digit digit : moving) spots.push_back(performer_.spot(digit, 3, 1.0, kTip));
  between(spots);
  meet({moving, spots, true});
  open_wide(0.5);
  come_along_face();
  made_.world_from_wrist = exp_map({-0.25 * kPi, 0.0, 0.0});
  return made_;
}

ClosedHand Maker::lateral() {
  made_.thing = make_thing("plate", ShapeKind::kBox, {0.012, 0.02, 0.5 * size_});
  fingers({65, 85, 55, 0}, 6.5, made_.closed);
  performer_.set(Digit::kIndex, {50 + some(3.0), 75 + some(3.0), 45 + some(2.0), 4}, made_.closed);
  thumb({-5, 10, 0, 25, 30}, made_.closed);
  const Spot side = performer_.spot(Digit::kIndex, 2, 0.7, kRadialSide);
  const Transform index = performer_.frames(made_.closed)[side.segment];
  // Flat on the side of the index finger, reaching out to the front.
  const Vec3 out = index.turn(side.normal);
  const Vec3 front = (-Vec3::UnitZ() + Vec3::UnitZ().dot(out) * out).normalized();
  Mat3 axes;
  axes << front.cross(-out), front, -out;
  made_.thing.place_wrist = {Quat(axes), index * side.point + 0.5 * size_ * out + 0.008 * front};
  performer_.lay_on({performer_.segment(Digit::kIndex, 1), performer_.segment(Digit::kIndex, 2),
                     performer_.segment(Digit::kIndex, 3)},
                    made_.closed, -out, made_.thing);
  meet({{Digit::kThumb}, {thumb_pulp(), side}, false});
  open_wide(0.35);
  come_along_face();
  made_.world_from_wrist = exp_map({0.0, 0.0, -0.5 * kPi});
  return made_;
}

std::vector<double> steps(double low, double high, int count) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i) values.push_back(low + (high - low) * i / (count - 1));
  return values;
}

}  // namespace

const char* to_string(GraspKind kind) {
  switch (kind) {
    case GraspKind::kCylindrical:
      return "cylindrical";
    case GraspKind::kSpherical:
      return "spherical";
    case GraspKind::kPalmar:
      return "palmar";
    case GraspKind::kLateral:
      return "lateral";
    case GraspKind::kTip:
      return "tip";
    case GraspKind::kHook:
      return "hook";
  }
  PREHEND_ASSERT(false);
  return "";
}

std::vector<double> thing_sizes(GraspKind kind) {
  constexpr int kCount = 8;
  switch (kind) {
    case GraspKind::kCylindrical:
      return steps(0.010, 0.048, kCount);
    case GraspKind::kSpherical:
      return steps(0.025, 0.055, kCount);
    case GraspKind::kPalmar:
      return steps(0.010, 0.060, kCount);
    case GraspKind::kLateral:
      return steps(0.002, 0.015, kCount);
    case GraspKind::kTip:
      return steps(0.003, 0.030, kCount);
    case GraspKind::kHook:
      return steps(0.006, 0.020, kCount);
  }
  PREHEND_ASSERT(false);
  return {};
}

ClosedHand close_hand(const Performer& performer, GraspKind kind, double size, Random& random) {
  Maker maker(performer, size, random);
  switch (kind) {
    case GraspKind::kCylindrical:
      return maker.cylindrical();
    case GraspKind::kSpherical:
      return maker.spherical();
    case GraspKind::kPalmar:
      return maker.palmar();
    case GraspKind::kLateral:
      return maker.lateral();
    case GraspKind::kTip:
      return maker.tip();
    case GraspKind::kHook:
      return maker.hook();
  }
  PREHEND_ASSERT(false);
  return {};
}

Eigen::VectorXd relaxed_hand(const Performer& performer, Random& random) {
  Eigen::VectorXd q = Eigen::VectorXd::Zero(performer.hand()->dof());
  for (Digit finger : kFingers) {
    const double pip = 34.0 + 4.0 * random.normal();
    performer.set(finger, {20.0 + 3.0 * random.normal(), pip, 0.55 * pip, random.normal()}, q);
  }
  performer.set(ThumbAngles{8.0 + 3.0 * random.normal(), 4.0 + 3.0 * random.normal(),
                            4.0 + 2.0 * random.normal(), 8.0 + 2.0 * random.normal(),
                            12.0 + 3.0 * random.normal()},
                q);
  return q;
}

}  // namespace prehend::hands
