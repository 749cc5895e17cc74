// Beyond the paper: see closing.h.
#include "methods/contact_sampling/beyond/closing.h"

#include <algorithm>
#include <cmath>

namespace prehend::contact_sampling {
namespace {

// Steps of the way to the end; a fingertip moves by at most 4 mm in one.
constexpr int kSteps = 45;
constexpr int kBisections = 7;  // of a step: 0.03 mm at a fingertip
// Digits stop this far before they enter each other, m.
constexpr double kSelfGap = 0.0;

int slot(Digit digit) { return digit == Digit::kNone ? kDigitCount : static_cast<int>(digit); }

}  // namespace

Closing::Closing(const WorkingHand& hand)
    : hand_(hand), kinematics_(*hand.hand), gaps_(*hand.hand), trial_(hand.rest) {
  const Hand& h = *hand.hand;
  for (int s = 0; s < h.segment_count(); ++s) {
    segments_[slot(h.segments[s].digit)].push_back(s);
  }
  for (int c = 0; c < static_cast<int>(gaps_.capsules().size()); ++c) {
    const Segment& segment = h.segments[gaps_.capsules()[c].segment];
    capsules_[slot(segment.digit)].push_back(c);
    // A finger's metacarpal is the palm's too.
    if (segment.digit != Digit::kNone && segment.digit != Digit::kThumb && segment.phalanx == 0)
      capsules_[kDigitCount].push_back(c);
  }
  for (const auto& pair : gaps_.pairs()) {
    for (int d = 0; d < kDigitCount; ++d) {
      const Digit a = h.segments[gaps_.capsules()[pair.first].segment].digit;
      const Digit b = h.segments[gaps_.capsules()[pair.second].segment].digit;
      if (a == kDigits[d] || b == kDigits[d]) pairs_[d].push_back(pair);
    }
  }
}

void Closing::place(int digit, const Eigen::VectorXd& pose) {
  kinematics_.update_segments(segments_[digit], pose);
  gaps_.place(kinematics_.frames_world(), capsules_[digit]);
}

int Closing::blocked_segment(int digit, std::span<const hands::Obstacle> obstacles) const {
  hands::HandGaps::Found found;
  int blocked = -1;
  for (const int c : capsules_[digit]) {
    for (const hands::Obstacle& obstacle : obstacles) {
      if (gaps_.near_obstacle(c, *obstacle.distance, obstacle.pose_world, 0.0, found) > 0)
        blocked = std::max(blocked, gaps_.capsules()[c].segment);
    }
  }
  return blocked;
}

bool Closing::self_blocked(int digit) const {
  return std::any_of(pairs_[digit].begin(), pairs_[digit].end(),
                     [&](const auto& pair) { return gaps_.near_self(pair, kSelfGap).has_value(); });
}

double Closing::gap(Digit digit, const Transform& wrist_world,
                    std::span<const hands::Obstacle> obstacles, const Eigen::VectorXd& pose) {
  constexpr double kFar = 0.05;  // m; what is farther is not looked at
  kinematics_.update(wrist_world, pose);
  gaps_.place(kinematics_.frames_world());
  hands::HandGaps::Found found;
  double least = kFar;
  for (const int c : capsules_[slot(digit)]) {
    for (const hands::Obstacle& obstacle : obstacles) {
      const int count =
          gaps_.near_obstacle(c, *obstacle.distance, obstacle.pose_world, least, found);
      for (int i = 0; i < count; ++i) least = std::min(least, found[i].gap);
    }
  }
  return least;
}

bool Closing::close(Digit digit, const Transform& wrist_world,
                    std::span<const hands::Obstacle> obstacles, const Eigen::VectorXd& end,
                    Eigen::VectorXd& pose) {
  const int d = static_cast<int>(digit);
  kinematics_.update(wrist_world, pose);
  gaps_.place(kinematics_.frames_world());
  if (blocked_segment(d, obstacles) >= 0) return false;
  const Eigen::VectorXd start = pose;
  std::vector<int> moving;  // coordinates that go on
  for (int c = 0; c < hand_.dof(); ++c) {
    if (hand_.digit_of[c] == digit) moving.push_back(c);
  }
  const std::vector<int>& offsets = kinematics_.offsets();
  bool touched = false;
  trial_ = pose;
  const auto set = [&](double share) {
    for (const int c : moving) trial_[c] = start[c] + share * (end[c] - start[c]);
    place(d, trial_);
  };
  double share = 0.0;
  for (int step = 1; step <= kSteps && !moving.empty(); ++step) {
    double next = static_cast<double>(step) / kSteps;
    set(next);
    const int blocked = blocked_segment(d, obstacles);
    const bool self = blocked < 0 && self_blocked(d);
    if (blocked < 0 && !self) {
      share = next;
      continue;
    }
    double low = share, high = next;
    for (int k = 0; k < kBisections; ++k) {
      const double middle = 0.5 * (low + high);
      set(middle);
      (blocked_segment(d, obstacles) >= 0 || self_blocked(d) ? high : low) = middle;
    }
    set(low);
    share = low;
    if (self) break;
    hands::HandGaps::Found found;
    for (const int c : capsules_[d]) {
      touched = touched || gaps_.near_obstacle(c, *obstacles[0].distance, obstacles[0].pose_world,
                                               1e-3, found) > 0;
    }
    // Joints that move the segment that touched have come to their end.
    std::erase_if(moving, [&](int c) { return c < offsets[blocked + 1]; });
  }
  pose = trial_;
  return touched;
}

}  // namespace prehend::contact_sampling
