#include "prehend/hands/digit_closer.h"

#include <algorithm>
#include <cmath>

#include "prehend/hands/closing.h"

namespace prehend::hands {
namespace {

// Steps of the path to the end; a fingertip moves by at most 4 mm in one.
constexpr int kSteps = 45;
constexpr int kHalvings = 7;  // of a step: 0.03 mm at a fingertip
// Digits stop this far before they enter each other, m.
constexpr double kSelfGap = 0.0;
// A digit that was stopped touches what is within this of its skin, m.
constexpr double kTouchGap = 1e-3;
constexpr double kFar = 0.05;  // m; what is farther is not looked at

int slot(Digit digit) { return digit == Digit::kNone ? kDigitCount : static_cast<int>(digit); }

}  // namespace

DigitCloser::DigitCloser(const Hand& hand) : kinematics_(hand), gaps_(hand) {
  for (int s = 0; s < hand.segment_count(); ++s) {
    segments_[slot(hand.segments[s].digit)].push_back(s);
  }
  for (int c = 0; c < static_cast<int>(gaps_.capsules().size()); ++c) {
    const Segment& segment = hand.segments[gaps_.capsules()[c].segment];
    capsules_[slot(segment.digit)].push_back(c);
    // A finger's metacarpal is the palm's too.
    if (segment.digit != Digit::kNone && segment.digit != Digit::kThumb && segment.phalanx == 0)
      capsules_[kDigitCount].push_back(c);
  }
  for (const auto& pair : gaps_.pairs()) {
    for (int d = 0; d < kDigitCount; ++d) {
      const Digit a = hand.segments[gaps_.capsules()[pair.first].segment].digit;
      const Digit b = hand.segments[gaps_.capsules()[pair.second].segment].digit;
      if (a == kDigits[d] || b == kDigits[d]) pairs_[d].push_back(pair);
    }
  }
}

void DigitCloser::place(int digit, const Eigen::VectorXd& pose) {
  kinematics_.update_segments(segments_[digit], pose);
  gaps_.place(kinematics_.frames_world(), capsules_[digit]);
}

int DigitCloser::blocked_segment(int digit, std::span<const Obstacle> obstacles) const {
  HandGaps::Found found;
  int blocked = -1;
  for (const int c : capsules_[digit]) {
    for (const Obstacle& obstacle : obstacles) {
      if (gaps_.near_obstacle(c, *obstacle.distance, obstacle.pose_world, 0.0, found) > 0)
        blocked = std::max(blocked, gaps_.capsules()[c].segment);
    }
  }
  return blocked;
}

bool DigitCloser::self_blocked(int digit) const {
  return std::any_of(pairs_[digit].begin(), pairs_[digit].end(),
                     [&](const auto& pair) { return gaps_.near_self(pair, kSelfGap).has_value(); });
}

double DigitCloser::gap(Digit digit, const Transform& root_world,
                        std::span<const Obstacle> obstacles, const Eigen::VectorXd& pose) {
  kinematics_.update(root_world, pose);
  gaps_.place(kinematics_.frames_world());
  HandGaps::Found found;
  double least = kFar;
  for (const int c : capsules_[slot(digit)]) {
    for (const Obstacle& obstacle : obstacles) {
      const int count =
          gaps_.near_obstacle(c, *obstacle.distance, obstacle.pose_world, least, found);
      for (int i = 0; i < count; ++i) least = std::min(least, found[i].gap);
    }
  }
  return least;
}

// The digit's coordinates on a straight line; progress is the share of it that is done.
class DigitCloser::Path : public ClosingPath {
 public:
  Path(DigitCloser& closer, Digit digit, std::span<const Obstacle> obstacles,
       const Eigen::VectorXd& end, const Eigen::VectorXd& start)
      : closer_(closer),
        digit_(static_cast<int>(digit)),
        obstacles_(obstacles),
        start_(start),
        end_(end),
        pose_(start) {
    const std::vector<int>& offsets = closer.kinematics_.offsets();
    for (const int s : closer.segments_[digit_]) {
      for (int c = offsets[s]; c < offsets[s + 1]; ++c) moving_.push_back(c);
    }
  }

  std::optional<double> next() override {
    if (step_ == kSteps || moving_.empty()) return std::nullopt;
    first_blocked_.reset();
    return static_cast<double>(++step_) / kSteps;
  }
  bool free_at(double share) override {
    place(share);
    const int blocked = closer_.blocked_segment(digit_, obstacles_);
    if (blocked < 0 && !closer_.self_blocked(digit_)) return true;
    if (!first_blocked_) first_blocked_ = blocked;
    return false;
  }
  void keep(double share) override { share_ = share; }
  void stop() override {
    place(share_);
    // One that meets the rest of the hand has come to its end.
    if (*first_blocked_ < 0) return moving_.clear();
    HandGaps::Found found;
    for (const int c : closer_.capsules_[digit_]) {
      touched_ =
          touched_ || closer_.gaps_.near_obstacle(c, *obstacles_[0].distance,
                                                  obstacles_[0].pose_world, kTouchGap, found) > 0;
    }
    const int beyond = closer_.kinematics_.offsets()[*first_blocked_ + 1];
    std::erase_if(moving_, [&](int c) { return c < beyond; });
  }

  const Eigen::VectorXd& pose() const { return pose_; }
  bool touched() const { return touched_; }

 private:
  void place(double share) {
    for (const int c : moving_) pose_[c] = start_[c] + share * (end_[c] - start_[c]);
    closer_.place(digit_, pose_);
  }

  DigitCloser& closer_;
  const int digit_;
  const std::span<const Obstacle> obstacles_;
  const Eigen::VectorXd start_;
  const Eigen::VectorXd& end_;
  Eigen::VectorXd pose_;
  std::vector<int> moving_;  // coordinates that go on
  int step_ = 0;
  double share_ = 0.0;  // that was kept last
  // The farthest segment in the way at the end of the step; -1: the hand itself is. Farther
  // segments than the one that touches may be in the way there, and are stopped with it: asked
  // after the halvings they would go on, but contact sampling was measured as it is.
  std::optional<int> first_blocked_;
  bool touched_ = false;
};

bool DigitCloser::close(Digit digit, const Transform& root_world,
                        std::span<const Obstacle> obstacles, const Eigen::VectorXd& end,
                        Eigen::VectorXd& pose) {
  kinematics_.update(root_world, pose);
  gaps_.place(kinematics_.frames_world());
  if (blocked_segment(static_cast<int>(digit), obstacles) >= 0) return false;
  Path path(*this, digit, obstacles, end, pose);
  close_by_trial(path, kHalvings);
  pose = path.pose();
  return path.touched();
}

}  // namespace prehend::hands
