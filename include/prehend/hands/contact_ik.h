// The pose that puts points of a hand on surfaces: Ye and Liu, "Synthesis of Detailed Hand
// Manipulations Using Contact Sampling", SIGGRAPH 2012, section 4.3, eq. 1 to 3.
//
// Over the joint coordinates q and, if it is free, the root, it minimizes
//   1 target      (weight_i |x_i(q) - point_i| / position_scale)^2, x_i a point of the skin   eq. 1
//   2 preference  (preference_j (q_j - preferred_j))^2
//   3 root        (shift / root_shift_scale)^2 + (turn / root_turn_scale)^2
// subject to
//   4 facing      the skin's normal against the surface's within an angle                     eq. 2
//   5 limits      of the joints and of the change since the previous pose, kept exactly       eq. 3
//   6 gaps        of the capsules to all obstacles, and of the digits to each other
// All world frames are one frame of the caller's choice: the world's or the object's.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "prehend/core/hand_pose.h"
#include "prehend/core/summary.h"
#include "prehend/geometry/signed_distance.h"
#include "prehend/hands/digits.h"

namespace prehend::hands {

// Where a point of the skin shall be.
struct ContactTarget {
  SkinPoint skin;                     // a pad (pad_of) or any point of a capsule (skin_point)
  Vec3 point_world = Vec3::Zero();    // on the surface
  Vec3 normal_world = Vec3::UnitY();  // unit, out of the surface; read only for the facing
  double weight = 1.0;
  // Greatest angle between the skin's normal and the direction into the surface. Pi asks for
  // nothing, pi/2 is the paper's eq. 2: the pad, not the nail, faces the surface.
  double facing_angle = kPi;
};

// What the hand must not enter.
struct Obstacle {
  const geometry::SignedDistance* distance = nullptr;
  Transform pose_world;
};

// Vectors may be kept from one problem to the next, so that nothing is allocated.
struct ContactIkProblem {
  Transform root_world;  // of the hand's root segment
  // How far each component of the root's shift (m) and turn (rotation vector, rad), both along the
  // world's axes, may leave `root_world`. Zero for both keeps the root and lets the digits be
  // solved one by one.
  double root_shift = 0.0;
  double root_turn = 0.0;

  std::span<const ContactTarget> targets;

  Eigen::VectorXd preferred;  // coordinates of the pose to stay near
  // Weight of each coordinate's preference, 1 / rad. Empty: ContactIkOptions::preference for all.
  Eigen::VectorXd preference;

  // Coordinates of the frame before and how far each may go from there, rad (eq. 3). Both empty:
  // any change. A change of zero locks a joint. If the previous pose is outside the joint limits,
  // the limits win.
  Eigen::VectorXd previous;
  Eigen::VectorXd greatest_change;

  // Where to begin. Empty: from `previous`, or else from `preferred`; the root from `root_world`.
  Eigen::VectorXd start;
  std::optional<Transform> start_root_world;

  // Digits that may move. The others stay where the solver begins.
  std::array<bool, kDigitCount> moving = {true, true, true, true, true};

  std::span<const Obstacle> obstacles;
  // Segments that must not enter obstacles. Empty: all that can move. The paper looks at phalanges
  // 2 and 3 only.
  std::span<const int> clear_segments;
  // Segments of different digits, and of a digit and the palm, do not enter each other.
  bool keep_apart = true;
};

struct ContactIkOptions {
  // Least-squares steps in all, over every digit's own.
  int max_iterations = 200;
  // Starts that a digit gets which misses its targets or stays in an obstacle: the given one; the
  // same, but through all obstacles to the targets and only then out of them, as in the paper; from
  // what was found towards the middle of the joints' ranges; from their other side. What is out of
  // reach takes as many times the time of what is not: a caller that tries many targets takes 1.
  int tries = 4;
  // The error of a target that weighs 1.
  double position_scale = 0.001;  // m
  // A joint 1 rad away from its preference then costs a reached target about 0.0002 mm.
  double preference = 0.1;         // 1 / rad
  double root_shift_scale = 0.02;  // m
  double root_turn_scale = 0.3;    // rad
  // Deepest entry that counts as none, with obstacles and with the hand itself. The skin of a
  // fingertip gives way by ten times this under a light touch.
  double penetration_tolerance = 1e-4;  // m
  // A digit is done when its step moves no joint by more than this: about 0.001 mm at a fingertip.
  double step_tolerance = 1e-5;  // rad
};

// The deepest entry into an obstacle.
struct ObstaclePenetration {
  double depth = 0.0;  // m, 0 if none
  int segment = -1;
  int obstacle = -1;
};

struct ContactIkResult {
  Transform root_world;
  Eigen::VectorXd coordinates;
  std::vector<double> errors;  // m, of each target
  double facing_excess = 0.0;  // rad, worst angle beyond ContactTarget::facing_angle
  ObstaclePenetration penetration;
  SelfPenetration self_penetration;
  int iterations = 0;
  // kConverged says that no step helped any more, not that the targets were reached: see `errors`.
  Termination termination = Termination::kConverged;

  double worst_error() const;
};

// Keeps a reference to the hand. One object a thread. The same problem gives the same answer,
// whatever was solved before.
class ContactIk {
 public:
  explicit ContactIk(const Hand& hand, const ContactIkOptions& options = {});
  ~ContactIk();
  ContactIk(ContactIk&&) noexcept;
  ContactIk& operator=(ContactIk&&) noexcept;

  // The nearest pose. The result is kept until the next call. Nothing is allocated unless the
  // problem has more targets or obstacles than any before and than kReserved.
  const ContactIkResult& solve(const ContactIkProblem& problem);

  static constexpr int kReservedTargets = 32;
  static constexpr int kReservedObstacles = 4;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace prehend::hands
