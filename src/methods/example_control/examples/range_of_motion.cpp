// What a person is asked to do before a capture, so that the tracker knows the ranges of the
// joints: finger by finger, then the thumb, then the whole hand.
#include <algorithm>

#include "methods/example_control/examples/performance.h"

namespace prehend::example_control {

namespace {

using hands::kFingers;
using hands::Performer;

// A movement stops where the hand is this deep in itself: flesh gives.
constexpr double kGive = 0.002;

// Parts of a joint's range, from zero to one of its ends: 1 is the upper limit, -1 the lower.
struct FingerParts {
  double mcp = 0.0, pip = 0.0, dip = 0.0;
  double deviation = 0.0;  // towards the thumb
};
struct ThumbParts {
  double abduction = 0.0, flexion = 0.0, pronation = 0.0;  // of the metacarpal
  double mcp = 0.0, deviation = 0.0, ip = 0.0;
};

class Routine {
 public:
  explicit Routine(const Performer& performer)
      : performer_(performer),
        offsets_(coordinate_offsets(*performer.hand())),
        q_(Eigen::VectorXd::Zero(performer.hand()->dof())),
        keys_(0.0, q_) {}

  const Timeline<Eigen::VectorXd>& keys() const { return keys_; }

  void finger(Digit digit, const FingerParts& parts) {
    const int mcp = first(digit, 1);
    set(mcp, parts.mcp);
    set(mcp + 1, parts.deviation);
    set(first(digit, 2), parts.pip);
    set(first(digit, 3), parts.dip);
  }
  // All alike, or fanned out from the middle finger on.
  void fingers(const FingerParts& parts, double fan = 0.0) {
    constexpr std::array<double, 4> kFan = {1.0, 0.0, -0.8, -1.4};
    for (std::size_t i = 0; i < kFan.size(); ++i) {
      FingerParts own = parts;
      own.deviation = std::clamp(own.deviation + fan * kFan[i], -1.0, 1.0);
      finger(kFingers[i], own);
    }
  }
  // The palm's bones: the little finger's and the ring finger's move the most.
  void palm(double flexion, double deviation) {
    for (Digit digit : kFingers) {
      set(first(digit, 0), flexion);
      set(first(digit, 0) + 1, deviation);
    }
  }
  void thumb(const ThumbParts& parts) {
    const int cmc = first(Digit::kThumb, 0), mcp = first(Digit::kThumb, 1);
    set(cmc, parts.abduction);
    set(cmc + 1, parts.flexion);
    set(cmc + 2, parts.pronation);
    set(mcp, parts.mcp);
    set(mcp + 1, parts.deviation);
    set(first(Digit::kThumb, 3), parts.ip);
  }
  void flat() { q_.setZero(); }

  // To what was set, or as far as the hand itself lets it.
  void go(double seconds) {
    constexpr int kSteps = 64;
    int clear = 0;
    while (clear < kSteps && depth(double(clear + 1) / kSteps) < kGive) ++clear;
    q_ = interpolate(keys_.last(), q_, double(clear) / kSteps);
    keys_.add(keys_.end() + seconds, q_);
  }
  void stay(double seconds) { keys_.stay(keys_.end() + seconds); }

 private:
  int first(Digit digit, int phalanx) const { return offsets_[performer_.segment(digit, phalanx)]; }
  void set(int c, double part) {
    const CoordinateLimits& limits = performer_.limits();
    q_[c] = part > 0.0 ? part * limits.upper[c] : -part * limits.lower[c];
  }
  double depth(double fraction) const {
    const Hand& hand = *performer_.hand();
    const Eigen::VectorXd q = interpolate(keys_.last(), q_, fraction);
    return self_penetration(hand, pose_from_coordinates(hand, {}, q)).depth;
  }

  const Performer& performer_;
  std::vector<int> offsets_;
  Eigen::VectorXd q_;
  Timeline<Eigen::VectorXd> keys_;
};

void each_finger(Routine& routine) {
  for (Digit finger : kFingers) {
    routine.finger(finger, {-1.0, 0.0, -1.0});
    routine.go(0.3);
    routine.finger(finger, {0.0, 1.0, 1.0});  // a hook
    routine.go(0.4);
    routine.finger(finger, {1.0, 1.0, 1.0});
    routine.go(0.3);
    routine.flat();
    routine.go(0.4);
  }
}

// Side by side they do not hinder each other.
void palm_and_sides(Routine& routine) {
  routine.thumb({.abduction = 0.5, .flexion = -1.0});
  for (double side : {1.0, -1.0}) {
    routine.fingers({.deviation = side});
    routine.palm(0.0, side);
    routine.go(0.4);
  }
  // The palm makes a cup.
  routine.fingers({.mcp = 0.2});
  routine.palm(1.0, 0.0);
  routine.go(0.4);
  routine.flat();
  routine.go(0.4);
}

void thumb(Routine& routine) {
  // Back beside the palm.
  routine.thumb({-1.0, -1.0, -1.0, -1.0, -1.0, -1.0});
  routine.go(0.4);
  // Away from the palm.
  routine.thumb({1.0, -1.0, 0.0, 0.0, 1.0, 0.0});
  routine.go(0.4);
  // Across to the little finger.
  routine.thumb({1.0, 1.0, 1.0, 0.0, 0.0, 0.0});
  routine.go(0.5);
  routine.thumb({1.0, 1.0, 1.0, 1.0, 0.0, 1.0});
  routine.go(0.4);
  routine.flat();
  routine.go(0.5);
}

// A fist, whose bent fingers need a little room, and the hand as large as it gets.
void all_together(Routine& routine) {
  const ThumbParts aside = {.abduction = 0.8, .flexion = -0.8, .pronation = 0.8};
  routine.fingers({1.0, 1.0, 1.0}, 0.3);
  routine.thumb(aside);
  routine.go(0.6);
  // The thumb lies down over the fingers.
  routine.thumb({.abduction = 0.9, .pronation = 1.0});
  routine.go(0.3);
  routine.thumb({.abduction = 0.9, .pronation = 1.0, .mcp = 1.0, .ip = 0.7});
  routine.go(0.3);
  routine.thumb(aside);
  routine.go(0.3);
  routine.palm(-1.0, 0.0);
  routine.fingers({-1.0, 0.0, -1.0}, 1.0);
  routine.thumb({.abduction = 0.3, .flexion = -1.0, .mcp = -1.0, .ip = -1.0});
  routine.go(0.6);
  routine.flat();
  routine.go(0.5);
}

}  // namespace

Clip range_of_motion(const PerformanceOptions& options) {
  constexpr double kStill = 0.5;
  const Performer performer;
  Routine routine(performer);
  routine.stay(kStill);
  each_finger(routine);
  palm_and_sides(routine);
  thumb(routine);
  all_together(routine);
  routine.stay(kStill);

  const Transform wrist_world = Transform::from_position({0.0, 0.3, 0.0});
  Tracker tracker(performer, options, "right");
  Clip clip;
  clip.name = "range-of-motion";
  clip.frame_rate = options.frame_rate;
  clip.hands.push_back({tracker.hand(), {}});
  for (int f = 0; f < frame_count(routine.keys().end(), options.frame_rate); ++f) {
    clip.hands[0].poses.push_back(
        tracker.see(wrist_world, routine.keys().at(f / options.frame_rate)));
  }
  return clip;
}

}  // namespace prehend::example_control
