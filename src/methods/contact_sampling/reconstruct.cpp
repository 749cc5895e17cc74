// Ye and Liu 2012, section 6, and beyond it: digits come and go without touching.
// Implements: initialization by the poses of the kinematic test, a rest pose for free digits, the
//   space-time problem, repeated resolving of collisions.
// Departs:    before a contact the hand opens wider than the grasp and then closes; the paper goes
//   from the rest pose straight to the grasp.
#include "methods/contact_sampling/reconstruct.h"

#include <algorithm>
#include <cmath>

#include "methods/contact_sampling/beyond/clear_palm.h"
#include "methods/contact_sampling/beyond/other_hand.h"
#include "methods/contact_sampling/space_time.h"
#include "prehend/hands/timeline.h"

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
    const int index = frame - choice.path->states.front().frame;
    if (index < 0 || index >= static_cast<int>(choice.path->states.size())) continue;
    for (size_t h = 0; h < choice.plan->hold->hands.size(); ++h) {
      if (choice.plan->hold->hands[h] == hand)
        return {&choice, &choice.path->states[index], static_cast<int>(h)};
    }
  }
  return {};
}

// A hand as the search had it, in the frames in which it holds something.
HandSurfaces held_surfaces(const Scene& scene, const std::vector<HoldChoice>& holds, int hand) {
  KinematicTest test(scene.hands[hand], *scene.options);
  HandSurfaces surfaces(scene.frames());
  for (int f = 0; f < scene.frames(); ++f) {
    const InHold in = in_hold(holds, hand, f);
    if (!in.state) continue;
    test.place(in.state->hands[in.hand].pose,
               held_wrist(scene, *in.hold->plan->hold, hand, in.hold->plan->calm[in.hand],
                          in.hold->path->hands[in.hand].offset, f));
    surfaces[f] = std::make_shared<HandSurface>(test.gaps());
  }
  return surfaces;
}

class Reconstruction {
 public:
  Reconstruction(const Scene& scene, const std::vector<HoldChoice>& holds, int hand)
      : scene_(scene),
        holds_(holds),
        index_(hand),
        hand_(scene.hands[hand]),
        test_(hand_, *scene.options),
        frames_(scene.frames()) {
    for (int other = 0; other < static_cast<int>(scene.hands.size()); ++other) {
      if (other != hand) others_.push_back(held_surfaces(scene, holds, other));
    }
  }

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
  std::vector<HandSurfaces> others_;
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
      own.most_shift = choice.plan->calm[h].give.shift;
      own.frames.first = choice.path->states.front().frame;
      own.frames.last = choice.path->states.back().frame;
      for (int f = own.frames.first; f <= own.frames.last; ++f) {
        own.wrist_world.push_back(held_wrist(scene_, hold, index_, choice.plan->calm[h],
                                             choice.path->hands[h].offset, f));
      }
      held.push_back(std::move(own));
    }
  }
  motion_.wrist_world = faded_wrist(scene_, index_, held);
  clear_palm(scene_, index_, held, motion_.wrist_world);
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
    hands::Timeline<Eigen::VectorXd> opening(0.0, grasp);
    opening.add(kClosingPart, wide);
    opening.add(1.0, hand_.rest);
    motion_.poses[frame] = opening.at(away);
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
  if (!in_hold(holds_, index_, frame).state) return;
  for (const HandSurfaces& other : others_) {
    if (other[frame]) obstacles_.push_back({other[frame].get(), Transform()});
  }
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

// A hand in every frame.
HandSurfaces surfaces_of(const Scene& scene, int hand, const HandMotion& motion) {
  KinematicTest test(scene.hands[hand], *scene.options);
  HandSurfaces surfaces;
  for (int f = 0; f < scene.frames(); ++f) {
    test.place(motion.poses[f], motion.wrist_world[f]);
    surfaces.push_back(std::make_shared<HandSurface>(test.gaps()));
  }
  return surfaces;
}

// Fingers that pass through something as they come or go open wider around it, as little as helps:
// the cheapest way through a table of frames and openings.
class Opening {
 public:
  Opening(const Scene& scene, const std::vector<HoldChoice>& holds, int hand,
          std::vector<HandMotion>& motions)
      : scene_(scene),
        hand_(scene.hands[hand]),
        test_(hand_, *scene.options),
        motion_(motions[hand]),
        held_(scene.frames(), false) {
    for (int other = 0; other < static_cast<int>(motions.size()); ++other) {
      if (other != hand) others_.push_back(surfaces_of(scene, other, motions[other]));
    }
    for (int f = 0; f < scene.frames(); ++f) held_[f] = in_hold(holds, hand, f).state != nullptr;
  }

  void run() {
    const int frames = scene_.frames();
    for (int f = 0; f < frames; ++f) {
      if (held_[f] || depth(f, 0) <= kDeepest) continue;
      int first = f, last = f;
      while (first > 0 && !held_[first - 1] && f - first < kWindow) --first;
      while (last + 1 < frames && !held_[last + 1] && last - f < 2 * kWindow) ++last;
      open_around(first, last);
      f = last;
    }
  }

 private:
  static constexpr int kShares = 9;
  static constexpr int kWindow = 10;           // frames before; twice as many after
  static constexpr double kPerMeter = 1e4;     // cost of entering, 1 / m
  static constexpr double kPerChange = 20.0;   // cost of opening by a whole in a frame, squared
  static constexpr double kPerOpening = 0.01;  // cost of being open, so that it ends

  Eigen::VectorXd pose(int frame, int step) const {
    const double share = static_cast<double>(step) / (kShares - 1);
    return motion_.poses[frame] + share * (hand_.open - motion_.poses[frame]);
  }

  double depth(int frame, int step) {
    obstacles_.clear();
    for (const SceneObject& object : scene_.objects)
      obstacles_.push_back({object.prepared->contact().get(), object.poses_world[frame]});
    for (const hands::Obstacle& fixed : scene_.surroundings) obstacles_.push_back(fixed);
    for (const HandSurfaces& other : others_)
      obstacles_.push_back({other[frame].get(), Transform()});
    return test_.deepest(pose(frame, step), motion_.wrist_world[frame], obstacles_);
  }

  void open_around(int first, int last) {
    const int count = last - first + 1;
    std::vector<std::array<double, kShares>> cost(count);
    std::vector<std::array<int, kShares>> from(count);
    for (int i = 0; i < count; ++i) {
      for (int s = 0; s < kShares; ++s) {
        double best = i == 0 ? kPerChange * s * s / kStepSquared : INFINITY;
        for (int before = 0; before < kShares && i > 0; ++before) {
          const double change =
              cost[i - 1][before] + kPerChange * (s - before) * (s - before) / kStepSquared;
          if (change >= best) continue;
          best = change;
          from[i][s] = before;
        }
        cost[i][s] =
            best + kPerOpening * s + kPerMeter * std::max(0.0, depth(first + i, s) - kDeepest);
      }
    }
    int step = 0;
    for (int s = 1; s < kShares; ++s) {
      if (cost[count - 1][s] + kPerChange * s * s / kStepSquared <
          cost[count - 1][step] + kPerChange * step * step / kStepSquared)
        step = s;
    }
    std::vector<int> steps(count);
    for (int i = count - 1; i >= 0; --i) {
      steps[i] = step;
      step = i > 0 ? from[i][step] : 0;
    }
    for (int i = 0; i < count; ++i) motion_.poses[first + i] = pose(first + i, steps[i]);
  }

  static constexpr double kStepSquared = (kShares - 1.0) * (kShares - 1.0);
  const Scene& scene_;
  const WorkingHand& hand_;
  KinematicTest test_;
  HandMotion& motion_;
  std::vector<HandSurfaces> others_;
  std::vector<bool> held_;
  std::vector<hands::Obstacle> obstacles_;
};

// Frames of a hold that smoothing spoilt: contacts that nothing guides, of the palm or a finger's
// side, may have carried the object. There, and a little around it, hands go back to what the
// search found.
class Repair {
 public:
  Repair(const Scene& scene, const HoldChoice& choice, std::vector<HandMotion>& motions)
      : scene_(scene), choice_(choice), hold_(*choice.plan->hold), motions_(motions) {
    tests_.reserve(hold_.hands.size());
    for (const int h : hold_.hands) {
      tests_.emplace_back(scene.hands[h], *scene.options);
      smoothed_.push_back(motions[h].poses);
    }
  }

  void run() {
    const std::vector<State>& states = choice_.path->states;
    const int count = static_cast<int>(states.size());
    std::vector<double> back(count, 0.0);  // 1: as the search had it
    for (int round = 0; round < kRepairs; ++round) {
      std::vector<int> spoilt;
      for (int i = 0; i < count; ++i) {
        if (back[i] < 1.0 && !explained(states[i].frame)) spoilt.push_back(i);
      }
      if (spoilt.empty()) return;
      // In the end what is spoilt goes back alone.
      const int around = 2 * round < kRepairs ? kAround : 0;
      for (const int bad : spoilt) {
        for (int i = std::max(0, bad - around); i <= std::min(count - 1, bad + around); ++i)
          back[i] = std::max(back[i], 1.0 - minimum_jerk(std::abs(i - bad), 0.0, kAround + 1.0));
      }
      for (int i = 0; i < count; ++i) {
        const int f = states[i].frame;
        for (size_t h = 0; h < hold_.hands.size(); ++h)
          motions_[hold_.hands[h]].poses[f] =
              smoothed_[h][f] + back[i] * (states[i].hands[h].pose - smoothed_[h][f]);
      }
    }
  }

 private:
  static constexpr int kRepairs = 8;
  static constexpr int kAround = 4;  // frames

  bool explained(int frame) {
    const SceneObject& object = scene_.objects[hold_.object];
    contacts_.clear();
    for (size_t h = 0; h < hold_.hands.size(); ++h) {
      const HandMotion& motion = motions_[hold_.hands[h]];
      tests_[h].touching(motion.poses[frame], motion.wrist_world[frame], object.poses_world[frame],
                         *object.prepared->contact(), static_cast<int>(h), hold_.object, contacts_);
    }
    if (scene_.options->proxy_points) add_proxies(*object.prepared->exact(), contacts_);
    return dynamics_.solve(object.load(frame), contacts_, object.supports[frame]) <= kExplained;
  }

  const Scene& scene_;
  const HoldChoice& choice_;
  const Hold& hold_;
  std::vector<HandMotion>& motions_;
  std::vector<std::vector<Eigen::VectorXd>> smoothed_;  // by hand of the hold
  std::vector<KinematicTest> tests_;
  DynamicTest dynamics_;
  std::vector<TestContact> contacts_;
};

}  // namespace

std::vector<HandMotion> reconstruct(const Scene& scene, const std::vector<HoldChoice>& holds) {
  std::vector<HandMotion> motions;
  for (int h = 0; h < static_cast<int>(scene.hands.size()); ++h)
    motions.push_back(Reconstruction(scene, holds, h).run());
  for (const HoldChoice& choice : holds) {
    if (choice.path && !choice.path->states.empty()) Repair(scene, choice, motions).run();
  }
  for (int h = 0; h < static_cast<int>(scene.hands.size()); ++h)
    Opening(scene, holds, h, motions).run();
  return motions;
}

}  // namespace prehend::contact_sampling
