// A digit that closes from one pose towards another until it lies on something (see closing.h).
#pragma once

#include <array>
#include <span>
#include <vector>

#include "prehend/hands/contact_ik.h"
#include "prehend/hands/hand_gaps.h"

namespace prehend::hands {

// Keeps a reference to the hand. One object a thread.
class DigitCloser {
 public:
  explicit DigitCloser(const Hand& hand);

  // Moves a digit from where `pose` has it towards `end`, on a straight line of its coordinates.
  // Returns whether anything of the digit touches the first obstacle. It stops for the rest of the
  // hand as well. A digit that enters something at the start stays, and false is returned.
  bool close(Digit digit, const Transform& root_world, std::span<const Obstacle> obstacles,
             const Eigen::VectorXd& end, Eigen::VectorXd& pose);

  // The gap between the digit's segments, or the palm's for kNone, and the nearest obstacle, m;
  // negative by how far they enter it. Gaps beyond 5 cm count as 5 cm.
  double gap(Digit digit, const Transform& root_world, std::span<const Obstacle> obstacles,
             const Eigen::VectorXd& pose);

 private:
  class Path;

  // The farthest segment of the digit with a gap below zero; -1: none.
  int blocked_segment(int digit, std::span<const Obstacle> obstacles) const;
  bool self_blocked(int digit) const;
  void place(int digit, const Eigen::VectorXd& pose);

  HandKinematics kinematics_;
  HandGaps gaps_;
  std::array<std::vector<int>, kDigitCount + 1> segments_, capsules_;  // last: the palm
  std::array<std::vector<HandGaps::Pair>, kDigitCount> pairs_;
};

}  // namespace prehend::hands
