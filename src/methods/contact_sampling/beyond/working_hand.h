// Beyond the paper: any hand as one that begins at its wrist, which is where captures say it is.
//
// A captured hand may have a forearm or an arm before its wrist. The search moves digits alone, so
// it works on a copy whose root is the wrist.
#pragma once

#include <array>
#include <vector>

#include "prehend/hands/digits.h"
#include "prehend/methods/contact_sampling/options.h"
#include "prehend/methods/contact_sampling/problem.h"

namespace prehend::contact_sampling {

struct WorkingHand {
  HandPtr full;                      // as captured
  HandPtr hand;                      // from the wrist on
  std::vector<int> full_segment;     // of each segment of `hand`
  std::vector<int> full_coordinate;  // of each coordinate of `hand`
  std::vector<Digit> digit_of;       // of each coordinate; kNone: of the palm
  CoordinateLimits limits;
  Eigen::VectorXd rest;  // free digits take this pose
  Eigen::VectorXd open;  // digits stretched and spread, as before a grasp
  Eigen::VectorXd fist;
  // Where a thumb may go to when it closes: against the fingers, or beside them.
  std::vector<Eigen::VectorXd> thumb_ends;
  std::array<bool, kDigitCount> has_digit = {};
  // A prior's mean, and the pose that it prefers after a pose q: drawn_turn q + drawn_shift. Empty:
  // there is none.
  Eigen::VectorXd natural;
  Eigen::MatrixXd drawn_turn;
  Eigen::VectorXd drawn_shift;
  std::vector<HandPose> captured;      // of `full`
  std::vector<Transform> wrist_world;  // as captured, one a frame

  int dof() const { return static_cast<int>(limits.lower.size()); }
};

Result<WorkingHand> make_working_hand(const CapturedHand& captured);

// Sets what a prior over the coordinates of the captured hand prefers.
void take_prior(const PosePrior& prior, WorkingHand& hand);

// The captured pose with these digits, its wrist moved to `wrist_world`.
HandPose full_pose(const WorkingHand& hand, int frame, const Transform& wrist_world,
                   const Eigen::VectorXd& coordinates);

}  // namespace prehend::contact_sampling
