// Beyond the paper: pick-ups in a recording, found by contact. A visit lasts while some part of the
// hand is beside the object. In each, the object's first motion away from where it stood is looked
// for, and from there back to when two opposing parts of the hand came to touch.
#include <algorithm>
#include <cmath>
#include <optional>

#include "prehend/methods/example_control/grasp_spans.h"

namespace prehend::example_control {
namespace {

// Touching: markers and meshes are no better than the first, m. Where a capture leaves larger gaps
// while the object is carried, their median and a little more, up to the last, counts.
constexpr double kTouch = 0.006, kTouchMargin = 0.003, kMostTouch = 0.02;
constexpr double kBeside = 0.01;  // m beyond touching: farther, a hand has to do with nothing
// s without contact that do not end a touch, and that do not end a visit.
constexpr double kPause = 0.15, kAway = 0.15;
// An object stands while it is slower than this, m/s (optical capture of one that stands shows up
// to 0.02), within this of the lowest that it ever stood at, m, or where it stays within a sphere
// of the next for so long: a hand that holds something still shakes by more.
constexpr double kStill = 0.04, kSupport = 0.015, kFirmly = 0.0015, kFirmSeconds = 0.4;
constexpr double kPutDown = 0.1;  // s of standing after which an object was put down
// m from where it stood that are a motion, and m of height that are a lift.
constexpr double kMoved = 0.015, kLifted = 0.015;
// s before the motion, at most, that the grip began: what touches longer still finds its place.
constexpr double kEarliest = 0.3;
constexpr double kAround = 0.15;     // s around the motion in which the grip must touch
constexpr double kSettle = 0.5;      // s after the grip that are learned from, ...
constexpr double kCarries = 0.2;     // s after the motion that are, at least
constexpr double kShortest = 0.3;    // s of holding that are a grasp
constexpr double kLongestWay = 2.5;  // s of coming or going that are looked at
constexpr double kFarEnough = 0.05;  // m that the palm comes and goes
constexpr double kFacesUp = 0.5;     // cosine: a palm turned up by more lies below
constexpr double kThumbShare = 0.5;  // of the learned grip in which the thumb must oppose

double middle_of(std::vector<double> values, double part) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(part * double(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

struct Run {
  int first, last;
};

// Frames where `holds`, with pauses of at most so many frames bridged.
template <typename Holds>
std::vector<Run> runs_of(int frames, int pause, const Holds& holds) {
  std::vector<Run> runs;
  for (int f = 0; f < frames; ++f) {
    if (!holds(f)) continue;
    if (!runs.empty() && f - runs.back().last <= pause + 1)
      runs.back().last = f;
    else
      runs.push_back({f, f});
  }
  return runs;
}

class PickUpFinder {
 public:
  PickUpFinder(const TouchTrack& track, double tolerance) : track_(track), tolerance_(tolerance) {
    find_standing();
    find_touch();
    grips_ = runs_of(track.frames(), in_frames(kPause), [&](int f) { return opposes(f); });
  }

  std::vector<GraspSpan> find() {
    std::vector<GraspSpan> spans;
    visits_ = runs_of(track_.frames(), in_frames(kAway),
                      [&](int f) { return track_.nearest[f] < touch_ + kBeside; });
    int handled = -1;  // the last frame of what was taken, until it stands again
    for (std::size_t v = 0; v < visits_.size(); ++v) {
      const bool again = handled >= 0 && !stands_between(handled, visits_[v].first);
      if (handled >= 0) handled = again ? visits_[v].last : -1;
      if (again) continue;  // passed on and taken back
      auto span = pick_up(v);
      if (!span) continue;
      spans.push_back(std::move(*span));
      handled = visits_[v].last;
    }
    return spans;
  }

 private:
  int in_frames(double seconds) const {
    return static_cast<int>(std::lround(seconds * track_.frame_rate));
  }
  bool opposes(int f) const { return track_.opposed[f] < touch_; }

  void find_standing() {
    const int frames = track_.frames();
    std::vector<double> still;
    for (int f = 0; f < frames; ++f)
      if (track_.speed[f] < kStill) still.push_back(track_.height[f]);
    support_ = still.empty() ? -INFINITY : middle_of(still, 0.05);
    stands_.assign(frames, 0);
    const int half = in_frames(0.5 * kFirmSeconds);
    for (int f = 0; f < frames; ++f) {
      if (track_.speed[f] >= kStill) continue;
      stands_[f] = track_.height[f] < support_ + kSupport;
      if (stands_[f] || f < half || f + half >= frames) continue;
      double far = 0.0;
      for (int g = f - half; g <= f + half; ++g)
        far = std::max(far, (track_.place[g] - track_.place[f]).norm());
      stands_[f] = far < kFirmly;
    }
  }

  // Whether it stands for long enough to have been put down.
  bool stands_between(int first, int last) const {
    int so_far = 0;
    for (int f = first; f <= last; ++f) {
      so_far = stands_[f] ? so_far + 1 : 0;
      if (so_far >= in_frames(kPutDown)) return true;
    }
    return false;
  }

  void find_touch() {
    std::vector<double> carried;
    for (int f = 0; f < track_.frames(); ++f) {
      if (!stands_[f] && track_.nearest[f] < kTouch + kMostTouch &&
          std::isfinite(track_.opposed[f]))
        carried.push_back(track_.opposed[f]);
    }
    const double usual = carried.empty() ? 0.0 : middle_of(carried, 0.5);
    touch_ = std::clamp(usual + kTouchMargin, kTouch, kMostTouch);
  }

  // The first frame of a motion away from where the object stood, from `from` on; `stood` is the
  // last frame in which it did, or -1.
  struct Motion {
    int begins, moved, stood;
  };
  std::optional<Motion> motion(int from, int last) const {
    int stood = -1;
    for (int f = from; f >= 0 && f >= from - in_frames(kAway) && stood < 0; --f)
      if (stands_[f]) stood = f;
    for (int f = from; f <= last; ++f) {
      const bool away = stood < 0 || (track_.place[f] - track_.place[stood]).norm() > kMoved ||
                        track_.height[f] - track_.height[stood] > kLifted;
      if (!stands_[f] && away) return Motion{std::max(from, stood + 1), f, stood};
      if (stands_[f]) stood = f;
    }
    return std::nullopt;
  }

  bool held(int f) const {
    return std::any_of(grips_.begin(), grips_.end(),
                       [&](const Run& run) { return run.first <= f && f <= run.last; });
  }

  // The touch by opposing parts around a motion: its first frame.
  std::optional<int> grip_of(const Motion& motion) const {
    const int around = in_frames(kAround);
    for (const Run& run : grips_) {
      if (run.last < motion.begins - around) continue;
      if (run.first > motion.moved + around) break;
      return std::max(run.first, motion.begins - in_frames(kEarliest));
    }
    return std::nullopt;
  }

  std::optional<GraspSpan> pick_up(std::size_t v) const {
    const auto [first, last] = visits_[v];
    bool moves = false;
    std::optional<GraspSpan> pushed;
    for (int from = first; from <= last;) {
      const auto moved = motion(from, last);
      if (!moved) break;
      moves = true;
      // To where it stands again and is let go: what stands in the hand was not set down.
      int stands = moved->moved;
      bool lifts = false;
      for (; stands <= last && (!stands_[stands] || held(stands)); ++stands)
        lifts |= moved->stood < 0 || track_.height[stands] - track_.height[moved->stood] > kLifted;
      const auto grip = grip_of(*moved);
      if (grip && *grip <= last) {
        if (lifts) return span_of(v, *grip, *moved);
        if (!pushed) pushed = span_of(v, *grip, *moved);
      }
      // Something else moved it, or it was only pushed. What comes after it stood again is another
      // motion.
      from = stands;
    }
    if (pushed) return pushed;
    // Held but never moved, or moved but never held.
    for (const Run& run : grips_) {
      if (run.first < first || run.first > last) continue;
      if (run.last - run.first < in_frames(kShortest)) continue;
      return span_of(v, run.first, Motion{run.first, run.first, run.first});
    }
    if (!moves) return std::nullopt;
    auto span = span_of(v, first, Motion{first, first, first});
    span.why.assign(1, Unsuitable::kNeverCloses);
    return span;
  }

  GraspSpan span_of(std::size_t v, int grip, const Motion& moved) const {
    const auto [visit_first, visit_last] = visits_[v];
    const int frames = track_.frames(), way = in_frames(kLongestWay);
    GraspSpan span;
    span.grip = std::clamp(grip, 0, frames - 1);
    span.carry = std::clamp(moved.begins, span.grip, visit_last);
    int released = span.carry;
    for (const Run& run : grips_)
      if (run.first <= visit_last && run.last >= span.grip)
        released = std::max(released, std::min(run.last, visit_last));
    span.release = std::min(released + 1, frames);
    span.settled = std::min(
        span.release, std::max(span.grip + in_frames(kSettle), span.carry + in_frames(kCarries)));
    span.level = track_.palm[span.carry] + tolerance_;
    const int from = std::max({0, span.grip - way, v > 0 ? visits_[v - 1].last : 0});
    const int to = std::min({frames - 1, span.release + way,
                             v + 1 < visits_.size() ? visits_[v + 1].first : frames - 1});
    // The last moment on which the palm is farthest before, the first after.
    span.first = span.grip;
    for (int f = span.grip; f >= from; --f)
      if (track_.palm[f] > track_.palm[span.first]) span.first = f;
    span.last = std::min(span.release, frames - 1);
    for (int f = span.last; f <= to; ++f)
      if (track_.palm[f] > track_.palm[span.last]) span.last = f;
    span.comes = track_.palm[span.first] - span.level > kFarEnough;
    span.goes = track_.palm[span.last] - span.level > kFarEnough;
    judge(moved, span);
    return span;
  }

  void judge(const Motion& moved, GraspSpan& span) const {
    int thumb = 0, lifted = 0;
    for (int f = span.grip; f < span.settled; ++f) thumb += track_.thumb_opposed[f] < touch_;
    for (int f = span.carry; f < span.release; ++f)
      lifted += track_.height[f] - track_.height[span.carry] > kLifted;
    const bool still = moved.moved == moved.begins && moved.begins == moved.stood;
    if (!span.comes) span.why.push_back(Unsuitable::kNoApproach);
    if (moved.stood < 0) span.why.push_back(Unsuitable::kTakenOver);
    if (thumb < kThumbShare * (span.settled - span.grip)) span.why.push_back(Unsuitable::kHook);
    if (track_.palm_up[span.carry] > kFacesUp) span.why.push_back(Unsuitable::kFromBelow);
    if (span.release - span.grip < in_frames(kShortest))
      span.why.push_back(Unsuitable::kTooShort);
    else if (!still && lifted == 0)
      span.why.push_back(Unsuitable::kNotLifted);
  }

  const TouchTrack& track_;
  const double tolerance_;
  double support_ = 0.0, touch_ = kTouch;
  std::vector<char> stands_;
  std::vector<Run> grips_, visits_;
};

}  // namespace

const char* to_string(Unsuitable reason) {
  switch (reason) {
    case Unsuitable::kNoApproach:
      return "no approach";
    case Unsuitable::kTakenOver:
      return "taken over from the other hand";
    case Unsuitable::kNeverCloses:
      return "never closes";
    case Unsuitable::kHook:
      return "hooked, the thumb does not oppose";
    case Unsuitable::kFromBelow:
      return "from below";
    case Unsuitable::kNotLifted:
      return "not lifted";
    case Unsuitable::kHandled:
      return "handled at once, the fingers do not settle";
    case Unsuitable::kTooShort:
      return "let go at once";
  }
  return "";
}

std::vector<GraspSpan> find_pick_ups(const TouchTrack& track, double contact_tolerance) {
  if (track.frames() < 2) return {};
  return PickUpFinder(track, contact_tolerance).find();
}

int best_grasp(const std::vector<GraspSpan>& grasps) {
  const auto rank = [](const GraspSpan& span) {
    return (span.suitable() ? 4 : 0) + (span.comes ? 2 : 0) + (span.goes ? 1 : 0);
  };
  const auto best =
      std::max_element(grasps.begin(), grasps.end(),
                       [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  return static_cast<int>(best - grasps.begin());
}

}  // namespace prehend::example_control
