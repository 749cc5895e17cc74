#include "prehend/core/hand_kinematics.h"

#include <cmath>

#include "prehend/core/assert.h"

namespace prehend {

Mat3 exp_map_jacobian(const Vec3& v) {
  const double angle = v.norm();
  const Mat3 cross = cross_matrix(v);
  if (angle < 1e-5) return Mat3::Identity() - 0.5 * cross;
  const double squared = angle * angle;
  return Mat3::Identity() - (1.0 - std::cos(angle)) / squared * cross +
         (angle - std::sin(angle)) / (squared * angle) * cross * cross;
}

HandKinematics::HandKinematics(const Hand& hand)
    : hand_(hand),
      offsets_(coordinate_offsets(hand)),
      frames_(hand.segments.size()),
      axes_(static_cast<size_t>(hand.dof())) {}

void HandKinematics::update(const Transform& root_world,
                            const Eigen::Ref<const Eigen::VectorXd>& coordinates) {
  PREHEND_ASSERT(coordinates.size() == hand_.dof());
  frames_[0] = root_world;
  for (int i = 1; i < hand_.segment_count(); ++i) place(i, coordinates);
}

void HandKinematics::update_segments(std::span<const int> segments,
                                     const Eigen::Ref<const Eigen::VectorXd>& coordinates) {
  PREHEND_ASSERT(coordinates.size() == hand_.dof());
  for (const int i : segments) {
    if (i > 0) place(i, coordinates);
  }
}

void HandKinematics::place(int i, const Eigen::Ref<const Eigen::VectorXd>& coordinates) {
  const Segment& segment = hand_.segments[i];
  Transform frame = frames_[segment.parent] * segment.rest_parent;
  int c = offsets_[i];
  for (const Joint& joint : segment.joints) {
    if (joint.type == JointType::kBall) {
      const Vec3 v = coordinates.segment<3>(c);
      frame.rotation = frame.rotation * exp_map(v);
      const Mat3 axes = frame.rotation * exp_map_jacobian(v);
      for (int k = 0; k < 3; ++k) axes_[c + k] = axes.col(k);
    } else {
      axes_[c] = frame.rotation * joint.axis;
      frame.rotation = frame.rotation * Quat(Eigen::AngleAxisd(coordinates[c], joint.axis));
    }
    c += joint.dof();
  }
  frames_[i] = frame;
}

void HandKinematics::point_jacobian(
    int segment, const Vec3& point_world,
    Eigen::Ref<Eigen::Matrix<double, 3, Eigen::Dynamic>> jacobian) const {
  jacobian.setZero();
  jacobian.leftCols<3>().setIdentity();
  jacobian.middleCols<3>(3) = -cross_matrix(point_world - frames_[0].position);
  for (int s = segment; s > 0; s = hand_.segments[s].parent) {
    const Vec3 arm = point_world - frames_[s].position;
    for (int c = offsets_[s]; c < offsets_[s + 1]; ++c) jacobian.col(6 + c) = axes_[c].cross(arm);
  }
}

void HandKinematics::add_row(int segment, const Vec3& point_world, const Vec3& direction_world,
                             double factor, Eigen::Ref<Eigen::RowVectorXd> row) const {
  const Vec3 direction = factor * direction_world;
  row.head<3>() += direction;
  row.segment<3>(3) += (point_world - frames_[0].position).cross(direction);
  for (int s = segment; s > 0; s = hand_.segments[s].parent) {
    const Vec3 moment = (point_world - frames_[s].position).cross(direction);
    for (int c = offsets_[s]; c < offsets_[s + 1]; ++c) row[6 + c] += axes_[c].dot(moment);
  }
}

Transform moved_root(const Transform& root_world, const Eigen::Ref<const Eigen::VectorXd>& step) {
  return {(exp_map(step.segment<3>(3)) * root_world.rotation).normalized(),
          root_world.position + step.head<3>()};
}

}  // namespace prehend
