// Beyond the paper: the wrist's path through the task of the built-in scenes. The paper replays the
// example's wrist; here its approach and retreat are kept and a lift and a shake lie between them.
#include "prehend/methods/example_control/grasp_task.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "methods/example_control/placing/closing_poses.h"

namespace prehend::example_control {
namespace {

constexpr double kRate = 120.0;       // samples a second
constexpr double kSmoothing = 0.02;   // s: rounds the corners where two parts of the path meet
constexpr double kNoise = 0.05;       // s: a recording is smoothed over this long
constexpr double kEase = 0.2;         // s: a recording is played from rest and to rest within this
constexpr double kPause = 0.2;        // s between two parts
constexpr double kRampPeriods = 0.5;  // of a shake, to begin and to end
// The hand has left what it held when it is this far away, in lengths of the hand: farther than its
// fingers reach. Until then a retreat must lead backwards, or it would sweep the object away.
constexpr double kClear = 0.65;
constexpr double kStraight = 0.7;  // least cosine between the retreat and the back of the hand
// The straight path that is taken where a recording has no approach or no retreat.
constexpr double kOwnPath = 1.5;     // lengths of the hand
constexpr double kOwnSeconds = 1.2;  // s

// The wrist's path as it grows, sampled at kRate.
class WristPath {
 public:
  double time() const { return static_cast<double>(poses_.size()) / kRate; }
  const Transform& last() const { return poses_.back(); }
  const std::vector<Transform>& poses() const { return poses_; }
  std::vector<Transform>& poses() { return poses_; }

  // `at` gives the pose at a fraction of the seconds, from 0 to 1; the pose at 1 is left to what
  // comes next.
  template <typename At>
  void add(double seconds, At at) {
    const int count = static_cast<int>(std::lround(seconds * kRate));
    for (int i = 0; i < count; ++i) poses_.push_back(at(double(i) / count));
  }
  void stay(const Transform& pose, double seconds) {
    add(seconds, [&](double) { return pose; });
  }
  void shift(const Transform& from, const Vec3& by, double seconds) {
    add(seconds, [&](double part) {
      return Transform{from.rotation, from.position + minimum_jerk(part) * by};
    });
  }

 private:
  std::vector<Transform> poses_;
};

// A recording of `seconds`, played from rest to rest: how far it is after a time.
double eased(double time, double seconds) {
  const double ease = std::min(kEase, 0.5 * seconds);
  // Integral of the speed that rises from 0 to 1 within 2 ease, as 3 u^2 - 2 u^3.
  const auto rise = [&](double t) {
    const double u = std::clamp(t / (2.0 * ease), 0.0, 1.0);
    return 2.0 * ease * u * u * u * (1.0 - 0.5 * u) + std::max(0.0, t - 2.0 * ease);
  };
  const double all = seconds + 2.0 * ease;
  return 2.0 * time < all ? rise(time) : seconds - rise(all - time);
}

enum class Anchor { kStart, kEnd };

// The recording's frames from first to last, turned and shifted as a whole such that one end comes
// to lie on `onto`.
void follow(const ExamplePath& path, int first, int last, Anchor anchor, const Transform& onto,
            WristPath& wrist) {
  const std::span<const Transform> frames(path.wrist_world.data() + first, last - first + 1);
  const RigidCurve curve = RigidCurve::through_samples(frames, path.frame_rate, kNoise);
  const Transform from = curve.at(anchor == Anchor::kStart ? 0.0 : curve.end_time()).pose;
  const Quat turn = onto.rotation * from.rotation.conjugate();
  const double seconds = curve.end_time(), all = seconds + 2.0 * std::min(kEase, 0.5 * seconds);
  wrist.add(all, [&](double part) {
    const Transform pose = curve.at(eased(part * all, seconds)).pose;
    return Transform{turn * pose.rotation, onto.position + turn * (pose.position - from.position)};
  });
}

// Whether the hand first goes to where its back faces.
bool leaves_backwards(const ExamplePath& path, double clear) {
  const Transform& start = path.wrist_world[path.release_frame];
  for (size_t f = path.release_frame; f < path.wrist_world.size(); ++f) {
    const Vec3 gone = path.wrist_world[f].position - start.position;
    if (gone.norm() > clear) return gone.dot(start.turn(Vec3::UnitY())) > kStraight * gone.norm();
  }
  return false;
}

void approach(const ExamplePath& path, const Transform& grip, double length, WristPath& wrist) {
  const int frames = static_cast<int>(path.wrist_world.size());
  if (path.carried() > 0 && path.carried() < frames) {
    follow(path, 0, path.carried(), Anchor::kEnd, grip, wrist);
  } else {
    const Vec3 back = kOwnPath * length * grip.turn(Vec3::UnitY());
    wrist.shift({grip.rotation, grip.position + back}, -back, kOwnSeconds);
  }
}

void retreat(const ExamplePath& path, const Transform& grip, double length, WristPath& wrist) {
  const int last = static_cast<int>(path.wrist_world.size()) - 1;
  const bool recorded = path.release_frame < last;
  const double clear = kClear * length;
  Transform from = grip;
  if (!recorded || !leaves_backwards(path, clear)) {
    const Vec3 back = (recorded ? clear : kOwnPath * length) * grip.turn(Vec3::UnitY());
    wrist.shift(grip, back, kOwnSeconds);
    from.position += back;
  }
  if (recorded) follow(path, path.release_frame, last, Anchor::kStart, from, wrist);
}

// To and fro along x, from rest to rest: the amplitude comes and goes by least jerk.
void shake(const Transform& around, const GraspTask& task, WristPath& wrist) {
  const double seconds = task.shakes / task.shake_frequency;
  const double ramp = std::min(kRampPeriods / task.shake_frequency, 0.5 * seconds);
  wrist.add(seconds, [&](double part) {
    const double time = part * seconds;
    const double size =
        minimum_jerk(time, 0.0, ramp) * (1.0 - minimum_jerk(time, seconds - ramp, seconds));
    const double x = task.shake * size * std::sin(2.0 * kPi * task.shake_frequency * time);
    return Transform{around.rotation, around.position + Vec3(x, 0.0, 0.0)};
  });
}

}  // namespace

TaskPlan plan_task(const Controller& controller, const Hand& hand, const GraspPlacement& placement,
                   const GraspTask& task) {
  const Transform& grip = placement.grip_wrist_world;
  const Vec3 up = task.lift * Vec3::UnitY();
  const Transform lifted{grip.rotation, grip.position + up};
  TaskPlan plan;
  WristPath wrist;
  const hands::ClosingHand open_hand(hand, closing_poses(hand, controller));
  const auto keep_above_floor = [&](size_t from) {
    for (Transform& pose : std::span(wrist.poses()).subspan(from))
      pose = open_hand.above_floor(pose, grip, placement.floor_height);
  };
  approach(controller.path, grip, hand.length, wrist);
  keep_above_floor(0);
  plan.grip = wrist.time();
  wrist.stay(grip, task.settle_seconds);
  plan.lift = wrist.time();
  wrist.shift(grip, up, task.lift_seconds);
  wrist.stay(lifted, kPause);
  plan.shake = wrist.time();
  if (task.shakes > 0) shake(lifted, task, wrist);
  wrist.stay(lifted, kPause);
  plan.set_down = wrist.time();
  wrist.shift(lifted, -up, task.lift_seconds);
  plan.down = wrist.time();
  wrist.stay(grip, kPause);
  plan.release = wrist.time();
  wrist.stay(grip, task.release_seconds);
  plan.leave = wrist.time();
  const size_t left = wrist.poses().size();
  retreat(controller.path, grip, hand.length, wrist);
  keep_above_floor(left);
  wrist.stay(wrist.last(), kPause);
  plan.end = wrist.time();
  plan.wrist_world = RigidCurve::through_samples(wrist.poses(), kRate, kSmoothing);
  return plan;
}

}  // namespace prehend::example_control
