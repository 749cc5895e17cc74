// Frames and derivatives of a hand from its joint coordinates, without the engine: for inner loops
// that move a hand thousands of times a second.
#pragma once

#include <span>
#include <vector>

#include <Eigen/Core>

#include "prehend/core/hand_pose.h"

namespace prehend {

// Keeps a reference to the hand. One object a thread; `update` does not allocate.
class HandKinematics {
 public:
  explicit HandKinematics(const Hand& hand);

  const Hand& hand() const { return hand_; }
  void update(const Transform& root_world, const Eigen::Ref<const Eigen::VectorXd>& coordinates);
  // The same for these segments alone, parents first: the root and all others stay as they were.
  void update_segments(std::span<const int> segments,
                       const Eigen::Ref<const Eigen::VectorXd>& coordinates);

  const std::vector<Transform>& frames_world() const { return frames_; }

  // d point / d (root, coordinates) of a point that moves with a segment: 3 x (6 + dof). The root's
  // six are a shift and then a turn, both along the world's axes and the turn about the root's
  // origin.
  void point_jacobian(int segment, const Vec3& point_world,
                      Eigen::Ref<Eigen::Matrix<double, 3, Eigen::Dynamic>> jacobian) const;
  // The derivative of point . direction: one row of 6 + dof.
  void add_row(int segment, const Vec3& point_world, const Vec3& direction_world, double factor,
               Eigen::Ref<Eigen::RowVectorXd> row) const;
  // What a coordinate turns about: the axis in the world, times the turn per unit of the
  // coordinate.
  const Vec3& axis_world(int coordinate) const { return axes_[coordinate]; }
  // First coordinate of each segment, and the total last.
  const std::vector<int>& offsets() const { return offsets_; }

 private:
  void place(int segment, const Eigen::Ref<const Eigen::VectorXd>& coordinates);

  const Hand& hand_;
  std::vector<int> offsets_;
  std::vector<Transform> frames_;
  std::vector<Vec3> axes_;  // of each coordinate, world; a ball's three are not unit
};

// Body angular velocity of exp_map(v) over the rate of v. That of the world is its transpose.
Mat3 exp_map_jacobian(const Vec3& rotation_vector);

// The root moved by the first six of such a step.
Transform moved_root(const Transform& root_world, const Eigen::Ref<const Eigen::VectorXd>& step);

}  // namespace prehend
