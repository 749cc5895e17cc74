// The handshake: two right hands of one shape, the second the first turned half about the vertical
// through the middle of the clasp. So each is to the other what the other is to it, and closing one
// closes both.
#include <algorithm>
#include <cmath>

#include "methods/example_control/examples/performance.h"
#include "prehend/hands/closed_hand.h"

namespace prehend::example_control {

namespace {

using hands::kFingers;
using hands::Performer;
using hands::ThumbAngles;

// The first hand points to -Z, its thumb up, its palm to -X, before these turns about x, y and z.
// So turned the palms and the webs of the thumbs meet together, each thumb has the other's web to
// lie in, and the fingers reach around the other's edge.
constexpr double kPitch = radians(-33.0), kYaw = radians(-8.0), kRoll = radians(-12.0);
constexpr double kAlong = 0.066;  // of the wrist from the middle
constexpr double kHeight = 1.0;
// Of the first hand, before it reaches and after: along the fingers, so that each thumb passes the
// other.
const Vec3 kAway(0.02, -0.04, 0.34);
constexpr double kShake = 0.04;     // meters up and down
constexpr double kFrequency = 2.0;  // Hz
constexpr int kShakes = 3;

// Seconds.
constexpr double kStill = 0.5;
constexpr double kStart = kStill, kWidest = kStart + 0.65, kArrived = kStart + 1.0;
constexpr double kClosed = kArrived + 0.4;
constexpr double kShaking = kClosed + 0.1, kShaken = kShaking + kShakes / kFrequency;
constexpr double kLettingGo = kShaken + 0.1, kOpen = kLettingGo + 0.4;
constexpr double kLeaving = kOpen - 0.05, kRelaxing = kOpen + 0.35, kLeft = kLeaving + 1.0;
constexpr double kEnd = kLeft + kStill;

const Transform kHalfTurn = {exp_map({0.0, kPi, 0.0}), Vec3::Zero()};

double gap(const std::vector<Capsule>& some, const std::vector<Capsule>& others) {
  double least = INFINITY;
  for (const Capsule& one : some) {
    for (const Capsule& other : others) least = std::min(least, distance(one, other));
  }
  return least;
}

// The hands where they hold each other. Frames are the first wrist's.
class Clasp {
 public:
  explicit Clasp(const Performer& performer)
      : performer_(performer), open_(Eigen::VectorXd::Zero(performer.hand()->dof())) {
    for (Digit finger : kFingers) performer.set(finger, {-10.0, 3.0, 2.0}, open_);
    performer.set(ThumbAngles{40.0, -25.0, 20.0, -5.0, 0.0}, open_);
    lay_palm_on_palm();
    closed_ = open_;
    performer.close_fingers([&](const auto& shapes) { return touches(shapes, closed_); }, closed_);
    lay_thumb_over();
  }

  const Transform& wrist_world() const { return wrist_world_; }
  const Eigen::VectorXd& open() const { return open_; }
  const Eigen::VectorXd& closed() const { return closed_; }

 private:
  // Whether these shapes of the first hand, or any, touch the second.
  bool touches(const std::vector<Capsule>& shapes, const Eigen::VectorXd& q) const {
    const Transform first_from_second = wrist_world_.inverse() * kHalfTurn * wrist_world_;
    for (auto& others : performer_.flesh(q)) {
      for (Capsule& capsule : others) capsule = first_from_second * capsule;
      if (gap(shapes, others) < 0.0) return true;
    }
    return false;
  }

  bool touches(const Eigen::VectorXd& q) const {
    const Performer::Flesh all = performer_.flesh(q);
    return std::any_of(all.begin(), all.end(), [&](const auto& s) { return touches(s, q); });
  }

  void lay_palm_on_palm() {
    constexpr double kFar = 0.06, kStep = 2e-4;
    wrist_world_.rotation = exp_map({0.0, kYaw, 0.0}) * exp_map({kPitch, 0.0, 0.0}) *
                            exp_map({0.0, 0.0, kRoll - 0.5 * kPi});
    wrist_world_.position = {kFar, kHeight, kAlong};
    // Thumbs that reach over the other would meet from this side; they come along the fingers.
    Eigen::VectorXd thumb_up = open_;
    performer_.set(ThumbAngles{0.0, -30.0, 0.0, 0.0, 0.0}, thumb_up);
    while (!touches(thumb_up)) wrist_world_.position.x() -= kStep;
    wrist_world_.position.x() += kStep;
  }

  // Joint after joint until something touches, from the base on.
  void lay_thumb_over() {
    constexpr double ThumbAngles::*kOrder[] = {&ThumbAngles::abduction, &ThumbAngles::pronation,
                                               &ThumbAngles::flexion, &ThumbAngles::mcp,
                                               &ThumbAngles::ip};
    constexpr ThumbAngles kMost = {40.0, 35.0, 35.0, 50.0, 50.0};
    constexpr double kStep = 0.25;
    ThumbAngles angles = performer_.thumb_angles(open_);
    for (const auto joint : kOrder) {
      Eigen::VectorXd next = closed_;
      for (; angles.*joint < kMost.*joint; closed_ = next) {
        angles.*joint += kStep;
        performer_.set(angles, next);
        if (touches(next)) break;
      }
      angles = performer_.thumb_angles(closed_);
    }
  }

  const Performer& performer_;
  Transform wrist_world_;
  Eigen::VectorXd open_, closed_;
};

Timeline<Transform> wrist_path(const Transform& clasp_world) {
  const Transform away = {clasp_world.rotation, clasp_world.position + kAway};
  Timeline<Transform> way(0.0, away);
  way.stay(kStart);
  way.add(kArrived, clasp_world);
  way.stay(kLeaving);
  way.add(kLeft, away);
  way.stay(kEnd);
  return way;
}

Timeline<Eigen::VectorXd> shapes(const Eigen::VectorXd& relaxed, const Clasp& clasp) {
  Timeline<Eigen::VectorXd> shapes(0.0, relaxed);
  shapes.stay(kStart);
  shapes.add(kWidest, clasp.open());
  shapes.stay(kArrived);
  shapes.add(kClosed, clasp.closed());
  shapes.stay(kLettingGo);
  shapes.add(kOpen, clasp.open());
  shapes.stay(kRelaxing);
  shapes.add(kLeft, relaxed);
  return shapes;
}

// Up first, both hands together; it begins and ends gently.
Vec3 shaken(double time) {
  constexpr double kEase = 0.5 / kFrequency;
  const double ease = minimum_jerk(time, kShaking, kShaking + kEase) *
                      (1.0 - minimum_jerk(time, kShaken - kEase, kShaken));
  return {0.0, kShake * ease * std::sin(2.0 * kPi * kFrequency * (time - kShaking)), 0.0};
}

}  // namespace

Clip handshake(const PerformanceOptions& options) {
  const Performer performer;
  Random random(options.seed);
  const Clasp clasp(performer);
  const Timeline<Transform> wrist = wrist_path(clasp.wrist_world());
  const Timeline<Eigen::VectorXd> hand = shapes(hands::relaxed_hand(performer, random), clasp);

  Tracker first(performer, options, "first", 0), second(performer, options, "second", 1);
  Clip clip;
  clip.name = "handshake";
  clip.frame_rate = options.frame_rate;
  clip.hands = {{first.hand(), {}}, {second.hand(), {}}};
  for (int f = 0; f < frame_count(kEnd, options.frame_rate); ++f) {
    const double time = f / options.frame_rate;
    Transform at = wrist.at(time);
    at.position += shaken(time);
    clip.hands[0].poses.push_back(first.see(at, hand.at(time)));
    clip.hands[1].poses.push_back(second.see(kHalfTurn * at, hand.at(time)));
  }
  return clip;
}

}  // namespace prehend::example_control
