#include "jobs/detail_timing.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "prehend/core/hand_kinematics.h"
#include "prehend/core/math.h"

namespace prehend::jobs {
namespace {

// Offsets that are tried, s: filters and cameras are a frame or two late.
constexpr double kMost = 0.04, kStep = 0.0025;
// A hand carries an object that is this fast, m/s, and whose center is this near to the wrist, m.
constexpr double kCarried = 0.1, kNear = 0.3;
// Carrying is looked at in stretches of this length, s: slow shifts of the grasp do not count.
constexpr double kStretch = 0.4;
// What a radian counts, m: as much as it moves the far side of a thing as large as a hand.
constexpr double kRadian = 0.1;
// Offsets count that take away this part of the motion, of at least this size, m.
constexpr double kGain = 0.1, kLeast = 0.002;

Transform pose_at(const ObjectTrack& track, double frame) {
  const double last = static_cast<double>(track.poses_world.size()) - 1.0;
  const double at = std::clamp(frame, 0.0, last);
  const int first = std::min(static_cast<int>(at), std::max(0, static_cast<int>(last) - 1));
  const int next = std::min(first + 1, static_cast<int>(last));
  return interpolate(track.poses_world[first], track.poses_world[next], at - first);
}

struct Carry {
  int first = 0, last = 0;
};

std::vector<Carry> carried(const Clip& clip, const std::vector<Transform>& wrist,
                           const ObjectTrack& track) {
  std::vector<Carry> runs;
  const auto center = [&](int f) -> Vec3 {
    return track.poses_world[f] * track.object->center_of_mass;
  };
  const int frames = static_cast<int>(wrist.size());
  int first = -1;
  for (int f = 1; f < frames; ++f) {
    const bool carries =
        f + 1 < frames &&
        (center(f + 1) - center(f - 1)).norm() * clip.frame_rate > 2.0 * kCarried &&
        (center(f) - wrist[f].position).norm() < kNear;
    if (carries && first < 0) first = f;
    const bool whole = first >= 0 && f - first + 1 >= kStretch * clip.frame_rate;
    if (carries && whole) runs.push_back({first, f});
    if (!carries || whole) first = -1;
  }
  return runs;
}

// Mean square of how far the object is from its middle place in the wrist's frame, m^2.
double unrest(const std::vector<Transform>& wrist, const ObjectTrack& track,
              const std::vector<Carry>& runs, double delay) {
  double sum = 0.0;
  int count = 0;
  std::vector<Transform> seen;
  for (const Carry& run : runs) {
    seen.clear();
    Vec3 middle = Vec3::Zero();
    Eigen::Vector4d turned = Eigen::Vector4d::Zero();
    for (int f = run.first; f <= run.last; ++f) {
      const Transform pose = pose_at(track, f - delay);
      Transform& own = seen.emplace_back(wrist[f].inverse() * pose);
      own.position = wrist[f].inverse() * (pose * track.object->center_of_mass);
      middle += own.position;
      const Eigen::Vector4d q = own.rotation.coeffs();
      turned += q.dot(seen[0].rotation.coeffs()) < 0.0 ? Eigen::Vector4d(-q) : q;
    }
    middle /= static_cast<double>(seen.size());
    const Quat mean(Eigen::Vector4d(turned.normalized()));
    for (const Transform& own : seen) {
      sum += (own.position - middle).squaredNorm() +
             std::pow(kRadian * angle_between(mean, own.rotation), 2);
      ++count;
    }
  }
  return sum / std::max(1, count);
}

}  // namespace

double time_offset(const Clip& clip, int object) {
  const ObjectTrack& track = clip.objects[object];
  double best = 0.0, least = 1.0 - kGain;
  for (const HandTrack& hand : clip.hands) {
    std::vector<Transform> wrist;
    for (const HandPose& pose : hand.poses)
      wrist.push_back(segment_frames(*hand.hand, pose)[hand.hand->wrist()]);
    const std::vector<Carry> runs = carried(clip, wrist, track);
    if (runs.empty()) continue;
    const double as_is = std::sqrt(unrest(wrist, track, runs, 0.0));
    if (as_is < kLeast) continue;
    const int steps = static_cast<int>(std::lround(kMost / kStep));
    for (int i = -steps; i <= steps; ++i) {
      const double delay = i * kStep;
      const double part = std::sqrt(unrest(wrist, track, runs, delay * clip.frame_rate)) / as_is;
      if (part >= least) continue;
      least = part;
      best = delay;
    }
  }
  return best;
}

void delay_object(double frame_rate, double seconds, ObjectTrack& track) {
  std::vector<Transform> poses;
  for (size_t f = 0; f < track.poses_world.size(); ++f)
    poses.push_back(pose_at(track, static_cast<double>(f) - seconds * frame_rate));
  track.poses_world = std::move(poses);
}

void align_objects(Clip& clip, std::vector<std::string>& notes) {
  for (size_t o = 0; o < clip.objects.size(); ++o) {
    const double delay = time_offset(clip, static_cast<int>(o));
    if (delay == 0.0) continue;
    delay_object(clip.frame_rate, delay, clip.objects[o]);
    notes.push_back(fmt::format(
        "{}: moves {:g} ms {} the hand that carries it; taken that much {} (--time-offset)",
        clip.objects[o].object->name, 1e3 * std::abs(delay), delay > 0.0 ? "before" : "after",
        delay > 0.0 ? "later" : "earlier"));
  }
}

}  // namespace prehend::jobs
