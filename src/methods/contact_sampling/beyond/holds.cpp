// Beyond the paper: when hands hold an object. The paper lets digits touch whenever they reach the
// object; here contact lasts a little longer than the object needs it, so that digits do not touch
// on the way past. A time in which an object goes from one hand to another is parted into stages,
// each with the hands that carry it then.
#include <algorithm>
#include <array>
#include <cmath>

#include "methods/contact_sampling/scene.h"

namespace prehend::contact_sampling {
namespace {

// Times without need between two holds that are shorter than this belong to them, s.
constexpr double kGap = 0.35;
// Contact begins at most this long before the object needs it, and ends at most this long after, s.
// Recorded hands touch 0 to 0.24 s before the object moves.
constexpr double kLead = 0.16;
// While the wrist moves faster than this against the object the hand is not in contact yet, m/s:
// fingers land while the wrist still comes to rest. Digits that cannot keep up land later.
constexpr double kComing = 0.2;
// Where another hand has the object before or after, it needs this one's force while both touch:
// both are shorter and calmer, s and m/s.
constexpr double kShared = 0.08, kSharedSpeed = 0.08;
// A frame's need alone is noise.
constexpr int kLeastNeeded = 2;
// A hand that moves as fast as this against an object, m/s, hardly carries it; what is faster than
// that by a factor of kMostMoving counts no more.
constexpr double kMoving = 0.3, kMostMoving = 4.0;
// What it counts that a hand cannot reach the object, in the same units.
constexpr double kOutOfReach = 8.0;
// Two hands are taken to carry an object together unless one of them moves against it faster than
// the other by more than this part of kMoving.
constexpr double kTogether = 0.5;
// Hands change only where that is worth so many seconds at kMoving.
constexpr double kChange = 0.15;

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

// Which of the hands carry the object, as bits: 1 the first, 2 the second, 3 both.
using HandSet = int;

// What it costs in a frame to say that a hand carries an object: how fast it moves against it, in
// parts of kMoving, and much if it is out of reach.
double carrying_cost(const Scene& scene, int object, int hand, int frame) {
  const double speed = relative_speed(scene, hand, object, frame) / kMoving;
  return std::min(speed, kMostMoving) +
         (scene.objects[object].hand_reaches[hand][frame] ? 0.0 : kOutOfReach);
}

double set_cost(const Scene& scene, int object, HandSet set, int frame) {
  double worst = 0.0;
  for (int h = 0; h < static_cast<int>(scene.hands.size()); ++h) {
    if (set & (1 << h)) worst = std::max(worst, carrying_cost(scene, object, h, frame));
  }
  return worst - (set == 3 ? kTogether : 0.0);
}

struct Stage {
  FrameRange frames;
  std::vector<int> hands;
};

// The cheapest way through the frames, where every change of hands costs as much as kChange seconds
// of a hand that moves at kMoving against what it carries.
std::vector<Stage> stages_of(const Scene& scene, int object, const FrameRange& run) {
  const HandSet last_set = scene.hands.size() > 1 ? 3 : 1;
  const double change = kChange * scene.problem->frame_rate;
  const int count = run.size();
  std::vector<std::array<double, 4>> cost(count);
  std::vector<std::array<HandSet, 4>> before(count);
  for (int i = 0; i < count; ++i) {
    for (HandSet set = 1; set <= last_set; ++set) {
      before[i][set] = set;
      double best = i > 0 ? cost[i - 1][set] : 0.0;
      for (HandSet other = 1; other <= last_set && i > 0; ++other) {
        if (other == set || cost[i - 1][other] + change >= best) continue;
        best = cost[i - 1][other] + change;
        before[i][set] = other;
      }
      cost[i][set] = best + set_cost(scene, object, set, run.first + i);
    }
  }
  HandSet set = 1;
  for (HandSet other = 2; other <= last_set; ++other) {
    if (cost[count - 1][other] < cost[count - 1][set]) set = other;
  }
  std::vector<Stage> stages;
  for (int i = count - 1; i >= 0; --i) {
    if (i == count - 1 || before[i + 1][set] != set) {
      if (i < count - 1) set = before[i + 1][set];
      Stage stage{{run.first + i, run.first + i}, {}};
      for (int h = 0; h < 2; ++h) {
        if (set & (1 << h)) stage.hands.push_back(h);
      }
      stages.push_back(stage);
    }
    stages.back().frames.first = run.first + i;
  }
  std::reverse(stages.begin(), stages.end());
  return stages;
}

bool ever_reached(const SceneObject& object, const Stage& stage) {
  int reached = 0;
  for (int f = stage.frames.first; f <= stage.frames.last; ++f) {
    for (const int h : stage.hands) {
      if (!object.hand_reaches[h][f]) continue;
      ++reached;
      break;
    }
  }
  return 2 * reached > stage.frames.size();
}

void widen(const Scene& scene, Hold& hold) {
  const double rate = scene.problem->frame_rate;
  const auto longest = [&](double seconds) {
    return std::max(2, static_cast<int>(std::lround(seconds * rate)));
  };
  // Whether the hold may reach `frame`, which is `k` frames beyond what is needed.
  const auto reaches = [&](int frame, int k) {
    if (frame < 0 || frame >= scene.frames()) return false;
    const bool shared = scene.objects[hold.object].needs_hand[frame];
    if (k >= longest(shared ? kShared : kLead)) return false;
    return k == 0 || std::all_of(hold.hands.begin(), hold.hands.end(), [&](int h) {
             return relative_speed(scene, h, hold.object, frame) <=
                    (shared ? kSharedSpeed : kComing);
           });
  };
  hold.frames = hold.needed;
  for (int k = 0; reaches(hold.frames.first - 1, k); ++k) --hold.frames.first;
  for (int k = 0; reaches(hold.frames.last + 1, k); ++k) ++hold.frames.last;
}

}  // namespace

std::vector<Hold> find_holds(const Scene& scene) {
  std::vector<Hold> holds;
  for (int o = 0; o < static_cast<int>(scene.objects.size()); ++o) {
    for (const FrameRange& run : needed_runs(scene.objects[o], scene.problem->frame_rate)) {
      for (const Stage& stage : stages_of(scene, o, run)) {
        Hold hold;
        hold.object = o;
        hold.needed = stage.frames;
        if (ever_reached(scene.objects[o], stage)) hold.hands = stage.hands;
        widen(scene, hold);
        holds.push_back(hold);
      }
    }
  }
  std::stable_sort(holds.begin(), holds.end(),
                   [](const Hold& a, const Hold& b) { return a.frames.first < b.frames.first; });
  return holds;
}

}  // namespace prehend::contact_sampling
