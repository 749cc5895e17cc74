// Beyond the paper: when hands hold an object. The paper lets digits touch whenever they reach the
// object; here contact lasts a little longer than the object needs it, so that digits do not touch
// on the way past.
#include <algorithm>
#include <cmath>

#include "methods/contact_sampling/scene.h"

namespace prehend::contact_sampling {
namespace {

// Times without need between two holds that are shorter than this belong to them, s.
constexpr double kGap = 0.35;
// Contact begins this long before the object needs it, and ends this long after, s. People touch an
// object about a tenth of a second before it moves.
constexpr double kLead = 0.08;
// While the hand moves faster than this against the object it is not in contact yet, m/s.
constexpr double kSliding = 0.08;
// A frame's need alone is noise.
constexpr int kLeastNeeded = 2;

double relative_speed(const Scene& scene, int hand, int object, int frame) {
  const int last = scene.frames() - 1;
  const int a = std::max(0, frame - 1), b = std::min(last, frame + 1);
  const auto& wrist = scene.hands[hand].wrist_world;
  const auto& poses = scene.objects[object].poses_world;
  const Vec3 before = poses[a].inverse() * wrist[a].position;
  const Vec3 after = poses[b].inverse() * wrist[b].position;
  return (after - before).norm() / ((b - a) * scene.frame_time());
}

std::vector<FrameRange> needed_runs(const SceneObject& object, double frame_rate) {
  std::vector<FrameRange> runs;
  const int gap = static_cast<int>(std::lround(kGap * frame_rate));
  const int frames = static_cast<int>(object.needs_hand.size());
  for (int f = 0; f < frames; ++f) {
    if (!object.needs_hand[f]) continue;
    if (!runs.empty() && f - runs.back().last <= gap) {
      runs.back().last = f;
    } else {
      runs.push_back({f, f});
    }
  }
  std::erase_if(runs, [&](const FrameRange& run) {
    int count = 0;
    for (int f = run.first; f <= run.last; ++f) count += object.needs_hand[f];
    return count < kLeastNeeded;
  });
  return runs;
}

// Hands near the object in most of the frames that need one.
std::vector<int> hands_of(const SceneObject& object, const FrameRange& run) {
  std::vector<int> result;
  for (int h = 0; h < static_cast<int>(object.hand_near.size()); ++h) {
    int near = 0, needed = 0;
    for (int f = run.first; f <= run.last; ++f) {
      needed += object.needs_hand[f];
      near += object.needs_hand[f] && object.hand_near[h][f];
    }
    if (2 * near > needed) result.push_back(h);
  }
  if (!result.empty()) return result;
  // None keeps calm by it: the one that is within reach most of the time.
  int most = 0;
  for (int h = 0; h < static_cast<int>(object.hand_reaches.size()); ++h) {
    int reached = 0, needed = 0;
    for (int f = run.first; f <= run.last; ++f) {
      needed += object.needs_hand[f];
      reached += object.needs_hand[f] && object.hand_reaches[h][f];
    }
    if (2 * reached <= needed || reached <= most) continue;
    most = reached;
    result = {h};
  }
  return result;
}

void widen(const Scene& scene, Hold& hold) {
  const int lead = std::max(2, static_cast<int>(std::lround(kLead * scene.problem->frame_rate)));
  const auto calm = [&](int frame) {
    for (const int h : hold.hands) {
      if (relative_speed(scene, h, hold.object, frame) > kSliding) return false;
    }
    return true;
  };
  hold.frames = hold.needed;
  for (int k = 0; k < lead && hold.frames.first > 0; ++k) {
    if (k > 0 && !calm(hold.frames.first - 1)) break;
    --hold.frames.first;
  }
  for (int k = 0; k < lead && hold.frames.last + 1 < scene.frames(); ++k) {
    if (k > 0 && !calm(hold.frames.last + 1)) break;
    ++hold.frames.last;
  }
}

}  // namespace

std::vector<Hold> find_holds(const Scene& scene) {
  std::vector<Hold> holds;
  for (int o = 0; o < static_cast<int>(scene.objects.size()); ++o) {
    for (const FrameRange& run : needed_runs(scene.objects[o], scene.problem->frame_rate)) {
      Hold hold;
      hold.object = o;
      hold.needed = run;
      hold.hands = hands_of(scene.objects[o], run);
      widen(scene, hold);
      holds.push_back(hold);
    }
  }
  std::stable_sort(holds.begin(), holds.end(),
                   [](const Hold& a, const Hold& b) { return a.frames.first < b.frames.first; });
  return holds;
}

}  // namespace prehend::contact_sampling
