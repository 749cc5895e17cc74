// Frames and derivatives of a hand from its joint coordinates, without the engine: for inner loops
// that move a hand thousands of times a second.
#pragma once

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

  const std::vector<Transform>& frames_world() const { return frames_; }

  // d point / d (root, coordinates) of a point that moves with a segment: 3 x (6 + dof). The root's
  // six are a shift and then a turn, both along the world's axes and the turn about the root's
  // origin.
  void point_jacobian(int segment, const Vec3& point_world,
                      Eigen::Ref<Eigen::Matrix<double, 3, Eigen::Dynamic>> jacobian) const;
  // The derivative of point . direction: one row of 6 + dof.
  void add_row(int segment, const Vec3& point_world, const Vec3& direction_world, double factor,
               Eigen::Ref<Eigen::RowVectorXd> row) const;

 private:
  const Hand& hand_;
  std::vector<int> offsets_;
  std::vector<Transform> frames_;
  std::vector<Vec3> axes_;  // of each coordinate, world; a ball's three are not unit
};

// The root moved by the first six of such a step.
Transform moved_root(const Transform& root_world, const Eigen::Ref<const Eigen::VectorXd>& step);

}  // namespace prehend
