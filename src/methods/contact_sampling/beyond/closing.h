// Beyond the paper: digits that close until they lie on an object. Where they then touch is where a
// person's would, so these places join the samples of section 4.2.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "methods/contact_sampling/beyond/working_hand.h"
#include "prehend/hands/contact_ik.h"
#include "prehend/hands/hand_gaps.h"

namespace prehend::contact_sampling {

// One object a thread.
class Closing {
 public:
  explicit Closing(const WorkingHand& hand);

  // Moves a digit from where `pose` has it towards `end`. A segment that touches stops the joints
  // up to it; those beyond go on. Returns whether anything of the digit touches the first obstacle.
  // A digit that enters something at the start stays, and false is returned.
  bool close(Digit digit, const Transform& wrist_world, std::span<const hands::Obstacle> obstacles,
             const Eigen::VectorXd& end, Eigen::VectorXd& pose);

  // Whether segments of the digit, or of the palm for kNone, enter anything, and what is the gap.
  double gap(Digit digit, const Transform& wrist_world, std::span<const hands::Obstacle> obstacles,
             const Eigen::VectorXd& pose);

 private:
  // Deepest-lying segment of the digit with a gap below zero; -1: none.
  int blocked_segment(int digit, std::span<const hands::Obstacle> obstacles) const;
  bool self_blocked(int digit) const;
  void place(int digit, const Eigen::VectorXd& pose);

  const WorkingHand& hand_;
  HandKinematics kinematics_;
  hands::HandGaps gaps_;
  std::array<std::vector<int>, kDigitCount + 1> segments_, capsules_;  // last: the palm
  std::array<std::vector<hands::HandGaps::Pair>, kDigitCount> pairs_;
  Eigen::VectorXd trial_;
};

}  // namespace prehend::contact_sampling
