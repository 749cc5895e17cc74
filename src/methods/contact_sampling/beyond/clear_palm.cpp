// Beyond the paper: see clear_palm.h.
#include "methods/contact_sampling/beyond/clear_palm.h"

#include <algorithm>
#include <cmath>

#include "prehend/hands/hand_gaps.h"

namespace prehend::contact_sampling {
namespace {

// s, over which the wrist goes out of its way before a frame in which the palm would enter
// something, and comes back after it.
constexpr double kAside = 0.1;
// Rounds of measuring and moving: what one round moves the palm out of may bring it into another.
constexpr int kRounds = 3;
// m, that the palm is moved out farther than it is inside.
constexpr double kClear = 0.0003;

class PalmClearing {
 public:
  PalmClearing(const Scene& scene, int hand)
      : scene_(scene), hand_(scene.hands[hand]), kinematics_(*hand_.hand), gaps_(*hand_.hand) {
    for (int c = 0; c < static_cast<int>(gaps_.capsules().size()); ++c) {
      const Segment& segment = hand_.hand->segments[gaps_.capsules()[c].segment];
      // A finger's metacarpal is the palm's too.
      const bool finger = segment.digit != Digit::kNone && segment.digit != Digit::kThumb;
      if (segment.digit == Digit::kNone || (finger && segment.phalanx == 0)) palm_.push_back(c);
    }
  }

  // The way out of what the palm enters most; zero: it enters nothing.
  Vec3 way_out(int frame, const Transform& wrist_world) {
    kinematics_.update(wrist_world, hand_.rest);
    gaps_.place(kinematics_.frames_world());
    double deepest = 0.0;
    Vec3 out = Vec3::Zero();
    const auto look = [&](const hands::Obstacle& obstacle) {
      hands::HandGaps::Found found;
      for (const int c : palm_) {
        const int count =
            gaps_.near_obstacle(c, *obstacle.distance, obstacle.pose_world, 0.0, found);
        for (int i = 0; i < count; ++i) {
          if (-found[i].gap <= deepest) continue;
          deepest = -found[i].gap;
          out = (deepest + kClear) * found[i].normal_world;
        }
      }
    };
    for (const hands::Obstacle& obstacle : scene_.surroundings) look(obstacle);
    for (const SceneObject& object : scene_.objects)
      look({object.prepared->contact().get(), object.poses_world[frame]});
    return out;
  }

 private:
  const Scene& scene_;
  const WorkingHand& hand_;
  HandKinematics kinematics_;
  hands::HandGaps gaps_;
  std::vector<int> palm_;  // capsules
};

// What each frame asks for, less and less around it; the greatest counts.
std::vector<Vec3> spread(const std::vector<Vec3>& wanted, double reach) {
  const int frames = static_cast<int>(wanted.size());
  std::vector<Vec3> result(frames, Vec3::Zero());
  for (int f = 0; f < frames; ++f) {
    if (wanted[f].squaredNorm() == 0.0) continue;
    const int most = static_cast<int>(reach);
    for (int g = std::max(0, f - most); g <= std::min(frames - 1, f + most); ++g) {
      const Vec3 part = (1.0 - minimum_jerk(std::abs(f - g), 0.0, reach + 1.0)) * wanted[f];
      if (part.squaredNorm() > result[g].squaredNorm()) result[g] = part;
    }
  }
  return result;
}

}  // namespace

void clear_palm(const Scene& scene, int hand, const std::vector<HeldWrist>& held,
                std::vector<Transform>& wrist_world) {
  if (!scene.options->give) return;
  const int frames = scene.frames();
  double most = scene.options->give->shift;
  std::vector<bool> fixed(frames, false);
  for (const HeldWrist& hold : held) {
    most = std::max(most, hold.most_shift);
    std::fill(fixed.begin() + hold.frames.first, fixed.begin() + hold.frames.last + 1, true);
  }
  PalmClearing clearing(scene, hand);
  const std::vector<Transform>& captured = scene.hands[hand].wrist_world;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<Vec3> wanted(frames, Vec3::Zero());
    bool any = false;
    for (int f = 0; f < frames; ++f) {
      if (fixed[f]) continue;
      wanted[f] = clearing.way_out(f, wrist_world[f]);
      any = any || wanted[f].squaredNorm() > 0.0;
    }
    if (!any) return;
    const std::vector<Vec3> moved = spread(wanted, kAside * scene.problem->frame_rate);
    for (int f = 0; f < frames; ++f) {
      if (fixed[f]) continue;
      Vec3 off = wrist_world[f].position + moved[f] - captured[f].position;
      if (off.norm() > most) off *= most / off.norm();
      wrist_world[f].position = captured[f].position + off;
    }
  }
}

}  // namespace prehend::contact_sampling
