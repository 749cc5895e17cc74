// Beyond the paper: see the header.
#include "methods/example_control/closing_direction.h"

#include <algorithm>

#include "prehend/core/hand_kinematics.h"
#include "prehend/hands/digits.h"

namespace prehend::example_control {
namespace {

// Fingers flex by this for an alpha of one, and their joints as these shares of it: MCP, PIP, and
// DIP, which the tendons couple to PIP by about two thirds (docs/hand.md).
constexpr double kFlexion = radians(25.0);
constexpr double kShares[] = {1.0, 1.0, 2.0 / 3.0};
// The thumb's pad moves by this towards the fingers', m, about half as far as theirs do, and none
// of its joints turns by more than the angle.
constexpr double kThumbWay = 0.03;
constexpr double kThumbMost = radians(35.0);

// Fingers whose pads the thumb meets.
constexpr Digit kOpposite[] = {Digit::kIndex, Digit::kMiddle};

}  // namespace

Eigen::VectorXd closing_direction(const Hand& hand, const Eigen::VectorXd& grip) {
  HandKinematics kinematics(hand);
  kinematics.update({}, grip);
  const auto& offsets = kinematics.offsets();
  Eigen::VectorXd closing = Eigen::VectorXd::Zero(hand.dof());
  for (int s = 0; s < hand.segment_count(); ++s) {
    const Segment& segment = hand.segments[s];
    if (segment.digit == Digit::kThumb || segment.phalanx < 1 || segment.dof() != 3) continue;
    closing[offsets[s]] = -kFlexion * kShares[segment.phalanx - 1];  // flexion turns about -X
  }
  const auto pad = [&](Digit digit) {
    const FingerPad& at = hand.pads[static_cast<std::size_t>(digit)];
    return Vec3(kinematics.frames_world()[at.segment] * at.point);
  };
  Vec3 goal = Vec3::Zero();
  for (const Digit digit : kOpposite) goal += pad(digit) / double(std::size(kOpposite));
  const Vec3 thumb = pad(Digit::kThumb), way = (goal - thumb).stableNormalized();
  Eigen::Matrix<double, 3, Eigen::Dynamic> jacobian(3, 6 + hand.dof());
  jacobian.setZero();
  kinematics.point_jacobian(hand.pads[0].segment, thumb, jacobian);
  Eigen::VectorXd turn = Eigen::VectorXd::Zero(hand.dof());
  for (int s = 0; s < hand.segment_count(); ++s) {
    const Segment& segment = hand.segments[s];
    if (segment.digit != Digit::kThumb || segment.dof() != 3) continue;
    turn.segment<3>(offsets[s]) = jacobian.middleCols<3>(6 + offsets[s]).transpose() * way;
    // Beyond its saddle joint the thumb only flexes.
    if (segment.phalanx >= 1)
      turn.segment<3>(offsets[s]) = Vec3(std::min(0.0, turn[offsets[s]]), 0.0, 0.0);
  }
  const double speed = (jacobian.rightCols(hand.dof()) * turn).dot(way);
  if (speed > 1e-9)
    closing += turn * std::min(kThumbWay / speed, kThumbMost / turn.cwiseAbs().maxCoeff());
  return closing;
}

}  // namespace prehend::example_control
