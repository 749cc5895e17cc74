// How far a hand's capsules are from obstacles and from each other, and how that changes with the
// hand's coordinates: what all solvers of poses share.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "prehend/core/hand_kinematics.h"
#include "prehend/geometry/capsule_contacts.h"
#include "prehend/hands/digits.h"

namespace prehend::hands {

// A place where a capsule comes near an obstacle.
struct ObstacleGap {
  int capsule = -1;  // of HandGaps::capsules()
  int segment = -1;
  Vec3 point_world;   // half way between the two surfaces
  Vec3 normal_world;  // unit, out of the obstacle
  double gap = 0.0;   // m, negative by the overlap
};

// Where two capsules of the hand come near each other.
struct SelfGap {
  int segment_a = -1;
  int segment_b = -1;
  Vec3 point_a_world;  // on the capsules' axes
  Vec3 point_b_world;
  Vec3 apart_world;  // unit, from a to b
  double gap = 0.0;
};

// Adds `factor` times the derivative of the gap over the root's six and the coordinates, as
// HandKinematics::add_row does.
void add_gap_row(const HandKinematics& kinematics, const ObstacleGap& gap, double factor,
                 Eigen::Ref<Eigen::RowVectorXd> row);
void add_gap_row(const HandKinematics& kinematics, const SelfGap& gap, double factor,
                 Eigen::Ref<Eigen::RowVectorXd> row);

// One object a thread. Only the constructor allocates.
class HandGaps {
 public:
  explicit HandGaps(const Hand& hand);

  const std::vector<PlacedCapsule>& capsules() const { return placed_; }
  // Capsules, by index, that must not overlap: of different segments, without Hand::overlapping.
  struct Pair {
    int first = -1;
    int second = -1;
  };
  const std::vector<Pair>& pairs() const { return pairs_; }

  // Moves the capsules to where the segments are now: all, or those of some indices.
  void place(std::span<const Transform> frames_world);
  void place(std::span<const Transform> frames_world, std::span<const int> capsules);

  // Where a capsule is nearer than `margin` to an obstacle. Returns how many places.
  using Found = std::array<ObstacleGap, geometry::kMaxFieldContacts>;
  int near_obstacle(int capsule, const geometry::SignedDistance& distance,
                    const Transform& pose_world, double margin, Found& found) const;
  // The gap of a pair if it is below `margin`.
  std::optional<SelfGap> near_self(const Pair& pair, double margin) const;

 private:
  std::vector<Capsule> shapes_;  // in the segments' frames
  std::vector<double> bounds_;   // radius of the ball around a capsule's middle that holds it
  std::vector<PlacedCapsule> placed_;
  std::vector<Pair> pairs_;
};

}  // namespace prehend::hands
