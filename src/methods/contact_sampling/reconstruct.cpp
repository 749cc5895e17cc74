// Ye and Liu 2012, section 6, and beyond it: digits come and go without touching.
// Implements: initialization by the poses of the kinematic test, a rest pose for free digits, the
//   space-time problem, repeated resolving of collisions.
// Departs:    before a contact the hand opens wider than the grasp and then closes; the paper goes
//   from the rest pose straight to the grasp.
#include "methods/contact_sampling/reconstruct.h"

#include <algorithm>
#include <cmath>

#include "methods/contact_sampling/space_time.h"

namespace prehend::contact_sampling {
namespace {

// Seconds in which a hand opens and closes before it touches, and opens and relaxes after.
constexpr double kComing = 0.45, kGoing = 0.4;
// Of that, the part in which it closes, or first opens.
constexpr double kClosingPart = 0.35;
// How much wider than the grasp a hand opens, as a part of the way to the stretched hand.
constexpr double kOpening = 0.35;
// Rounds of smoothing and resolving.
constexpr int kRounds = 2;
// How much digits stay where they are while smoothing: in contact, free in a hold, and outside.
constexpr double kHoldContact = 0.05, kHoldFree = 0.02, kHoldOutside = 0.02;
// Weight of the smoothed pose while collisions are resolved, 1 / rad.
constexpr double kPreference = 2.0;

// The states of the hold that a hand is in at a frame; null: none.
struct InHold {
  const HoldChoice* hold = nullptr;
  const State* state = nullptr;
  int hand = -1;  // in the hold
};
InHold in_hold(const std::vector<HoldChoice>& holds, int hand, int frame) {
  for (const HoldChoice& choice : holds) {
    if (!choice.path || choice.path->states.empty()) continue;
    const int index = frame - choice.plan->hold->frames.first;
    if (index < 0 || index >= static_cast<int>(choice.path->states.size())) continue;
    for (size_t h = 0; h < choice.plan->hold->hands.size(); ++h) {
      if (choice.plan->hold->hands[h] == hand)
        return {&choice, &choice.path->states[index], static_cast<int>(h)};
    }
  }
  return {};
}

class Reconstruction {
 public:
  Reconstruction(const Scene& scene, const std::vector<HoldChoice>& holds, int hand)
      : scene_(scene),
        holds_(holds),
        index_(hand),
        hand_(scene.hands[hand]),
        test_(hand_, *scene.options),
        frames_(scene.frames()) {}

  HandMotion run() {
    place_wrists();
    first_guess();
    for (int round = 0; round < kRounds; ++round) {
      smooth();
      resolve(round + 1 == kRounds);
    }
    return std::move(motion_);
  }

 private:
  void place_wrists();
  void first_guess();
  void smooth();
  void resolve(bool last);
  void obstacles_at(int frame);

  const Scene& scene_;
  const std::vector<HoldChoice>& holds_;
  int index_;
  const WorkingHand& hand_;
  KinematicTest test_;
  int frames_;
  HandMotion motion_;
  std::vector<hands::Obstacle> obstacles_;
};

void Reconstruction::place_wrists() {
  std::vector<HeldWrist> held;
  for (const HoldChoice& choice : holds_) {
    if (!choice.path || choice.path->states.empty()) continue;
    const Hold& hold = *choice.plan->hold;
    for (size_t h = 0; h < hold.hands.size(); ++h) {
      if (hold.hands[h] != index_) continue;
      HeldWrist own;
      own.frames.first = hold.frames.first;
      own.frames.last = hold.frames.first + static_cast<int>(choice.path->states.size()) - 1;
      for (int f = own.frames.first; f <= own.frames.last; ++f) {
        own.wrist_world.push_back(held_wrist(scene_, hold, index_, choice.plan->calm[h],
                                             choice.path->hands[h].offset, f));
      }
      held.push_back(std::move(own));
    }
  }
  motion_.wrist_world = faded_wrist(scene_, index_, held);
}

// The search's poses in holds; between them the hand opens, goes to its rest and comes back.
void Reconstruction::first_guess() {
  motion_.poses.assign(frames_, hand_.rest);
  std::vector<bool> held(frames_, false);
  for (int f = 0; f < frames_; ++f) {
    const InHold in = in_hold(holds_, index_, f);
    if (!in.state) continue;
    motion_.poses[f] = in.state->hands[in.hand].pose;
    held[f] = true;
  }
  const auto blend = [&](int frame, int edge, double frames) {
    const double away = std::abs(frame - edge) / frames;  // 0 at the grasp, 1 at rest
    if (away >= 1.0) return;
    const Eigen::VectorXd& grasp = motion_.poses[edge];
    const Eigen::VectorXd wide = grasp + kOpening * (hand_.open - grasp);
    Eigen::VectorXd& pose = motion_.poses[frame];
    if (away < kClosingPart) {
      pose = grasp + minimum_jerk(away, 0.0, kClosingPart) * (wide - grasp);
    } else {
      pose = wide + minimum_jerk(away, kClosingPart, 1.0) * (hand_.rest - wide);
    }
  };
  const double rate = scene_.problem->frame_rate;
  std::vector<int> before(frames_, -1), after(frames_, -1);  // nearest held frames
  for (int f = 0; f < frames_; ++f) before[f] = held[f] ? f : (f > 0 ? before[f - 1] : -1);
  for (int f = frames_ - 1; f >= 0; --f)
    after[f] = held[f] ? f : (f + 1 < frames_ ? after[f + 1] : -1);
  for (int f = 0; f < frames_; ++f) {
    if (held[f]) continue;
    const bool comes = after[f] >= 0, goes = before[f] >= 0;
    const double half = comes && goes ? 0.5 * (after[f] - before[f]) : INFINITY;
    if (comes && (!goes || after[f] - f <= f - before[f])) {
      blend(f, after[f], std::min(half, kComing * rate));
    } else if (goes) {
      blend(f, before[f], std::min(half, kGoing * rate));
    }
  }
}

void Reconstruction::smooth() {
  HandKinematics& kinematics = test_.kinematics();
  std::vector<std::vector<DigitFrame>> frames(kDigitCount, std::vector<DigitFrame>(frames_));
  std::vector<std::vector<int>> columns(kDigitCount);
  for (int c = 0; c < hand_.dof(); ++c) {
    if (hand_.digit_of[c] != Digit::kNone) columns[int(hand_.digit_of[c])].push_back(c);
  }
  Eigen::Matrix<double, 3, Eigen::Dynamic> jacobian(3, 6 + hand_.dof());
  for (int f = 0; f < frames_; ++f) {
    const InHold in = in_hold(holds_, index_, f);
    if (in.state) kinematics.update(motion_.wrist_world[f], motion_.poses[f]);
    for (int d = 0; d < kDigitCount; ++d) {
      DigitFrame& frame = frames[d][f];
      const bool contact = in.state && in.state->hands[in.hand].guides[d].active;
      frame.hold = contact ? kHoldContact : in.state ? kHoldFree : kHoldOutside;
      if (!contact || columns[d].empty()) continue;
      const Guide& guide = in.state->hands[in.hand].guides[d];
      const Vec3 point = kinematics.frames_world()[guide.skin.segment] * guide.skin.point_segment;
      kinematics.point_jacobian(guide.skin.segment, point, jacobian);
      frame.jacobian.resize(3, columns[d].size());
      for (size_t i = 0; i < columns[d].size(); ++i)
        frame.jacobian.col(i) = jacobian.col(6 + columns[d][i]);
    }
  }
  for (int d = 0; d < kDigitCount; ++d) {
    if (columns[d].empty()) continue;
    Eigen::MatrixXd angles(frames_, columns[d].size());
    for (int f = 0; f < frames_; ++f) {
      for (size_t i = 0; i < columns[d].size(); ++i) angles(f, i) = motion_.poses[f][columns[d][i]];
    }
    angles = smooth_digit(angles, frames[d], bending_columns(hand_, kDigits[d]));
    for (int f = 0; f < frames_; ++f) {
      for (size_t i = 0; i < columns[d].size(); ++i) motion_.poses[f][columns[d][i]] = angles(f, i);
    }
  }
}

void Reconstruction::obstacles_at(int frame) {
  obstacles_.clear();
  for (const SceneObject& object : scene_.objects)
    obstacles_.push_back({object.prepared->contact().get(), object.poses_world[frame]});
  for (const hands::Obstacle& fixed : scene_.surroundings) obstacles_.push_back(fixed);
}

// The nearest poses that keep the contacts and enter nothing.
void Reconstruction::resolve(bool last) {
  static const Guides kNone = {};
  for (int f = 0; f < frames_; ++f) {
    const InHold in = in_hold(holds_, index_, f);
    obstacles_at(f);
    Eigen::VectorXd& pose = motion_.poses[f];
    pose = pose.cwiseMax(hand_.limits.lower).cwiseMin(hand_.limits.upper);
    KinematicTest::Input input;
    input.wrist_world = motion_.wrist_world[f];
    input.guides = in.state ? &in.state->hands[in.hand].guides : &kNone;
    input.object_world =
        in.hold ? scene_.objects[in.hold->plan->hold->object].poses_world[f] : Transform();
    const Eigen::VectorXd preferred = pose;
    input.previous = &preferred;
    input.preferred = &preferred;
    input.preference = in.state ? 0.3 : kPreference;
    input.obstacles = obstacles_;
    const KinematicOutcome outcome = test_.solve(input);
    pose = test_.pose();
    // What smoothing spoilt goes back to what the search found.
    if (last && in.state && !outcome.feasible) pose = in.state->hands[in.hand].pose;
  }
}

}  // namespace

std::vector<HandMotion> reconstruct(const Scene& scene, const std::vector<HoldChoice>& holds) {
  std::vector<HandMotion> motions;
  for (int h = 0; h < static_cast<int>(scene.hands.size()); ++h)
    motions.push_back(Reconstruction(scene, holds, h).run());
  return motions;
}

}  // namespace prehend::contact_sampling
