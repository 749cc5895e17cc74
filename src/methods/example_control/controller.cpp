// Pollard and Zordan 2005, sections 4 and 5: what a controller holds. Mirroring it, keeping it
// within a hand's range and opening it wider are beyond the paper.
#include "prehend/methods/example_control/controller.h"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "prehend/core/hand_builder.h"
#include "prehend/geometry/mirrored_object.h"

namespace prehend::example_control {
namespace {

Status check_sizes(const Controller& controller) {
  const Eigen::Index dof = 3 * static_cast<Eigen::Index>(controller.joints.size());
  if (dof == 0) return Error{"the controller has no joints"};
  const auto check = [&](const char* what, Eigen::Index size) -> Status {
    if (size == dof) return {};
    return Error{fmt::format("{} has {} numbers for {} joints; give {}", what, size,
                             controller.joints.size(), dof)};
  };
  for (const Status& status : {check("the neutral pose", controller.neutral.size()),
                               check("the lower limit", controller.lower.size()),
                               check("the upper limit", controller.upper.size()),
                               check("each setpoint's position", controller.positions.cols()),
                               check("each setpoint's velocity", controller.velocities.cols())}) {
    if (!status) return status;
  }
  return {};
}

Status check_angles(const Controller& controller) {
  for (const Eigen::VectorXd* added : {&controller.touching, &controller.closing}) {
    if (added->size() == 0) continue;
    if (added->size() != controller.neutral.size() || !added->allFinite())
      return Error{"touching and closing must have a finite number for each degree of freedom"};
  }
  if (!controller.neutral.allFinite() || !controller.positions.allFinite() ||
      !controller.velocities.allFinite()) {
    return Error{"the neutral pose and the setpoints must be finite numbers"};
  }
  for (Eigen::Index i = 0; i < controller.lower.size(); ++i) {
    if (controller.lower[i] <= controller.upper[i]) continue;  // false for NaN too
    return Error{fmt::format("{}: the lower limit {:g} is not below the upper limit {:g}",
                             controller.joints[i / 3], controller.lower[i], controller.upper[i])};
  }
  return {};
}

Status check_scalars(const Controller& controller) {
  const auto [stiffness, damping, limit_stiffness] = controller.gains;
  for (const auto& [name, gain] : {std::pair{"stiffness", stiffness},
                                   {"damping", damping},
                                   {"limit_stiffness", limit_stiffness}}) {
    if (!(gain > 0.0) || !std::isfinite(gain)) {
      return Error{fmt::format("the gain {} is {:g}; give a number above zero", name, gain)};
    }
  }
  const auto [near, far] = controller.distances;
  if (!(near > 0.0 && near < far) || !std::isfinite(far)) {
    return Error{fmt::format("D1 = {:g} m and D2 = {:g} m; give 0 < D1 < D2", near, far)};
  }
  if (!std::isfinite(controller.grip_distance) || !std::isfinite(controller.grip_seconds) ||
      !(controller.hand_length > 0.0)) {
    return Error{"the grip's distance, its seconds and the hand's length must be finite"};
  }
  return {};
}

Status check_path(const ExamplePath& path) {
  const int frames = static_cast<int>(path.wrist_world.size());
  if (path.target_world.size() != path.wrist_world.size()) {
    return Error{fmt::format("the example's path has {} frames of the wrist and {} of the target",
                             frames, path.target_world.size())};
  }
  if (path.distances.size() != path.wrist_world.size()) {
    return Error{fmt::format("the example's path has {} frames of the wrist and {} distances",
                             frames, path.distances.size())};
  }
  if (frames == 0) return {};
  if (!(path.frame_rate > 0.0)) return Error{"the example's path needs a frame rate above zero"};
  if (path.grip_frame < 0 || path.grip_frame > path.release_frame || path.release_frame > frames) {
    return Error{fmt::format("the example grips from frame {} to {} of {}", path.grip_frame,
                             path.release_frame, frames)};
  }
  if (path.carried() < path.grip_frame || path.carried() > path.release_frame) {
    return Error{fmt::format("the example carries from frame {}, not within its grip, {} to {}",
                             path.carried(), path.grip_frame, path.release_frame)};
  }
  for (const auto* poses : {&path.wrist_world, &path.target_world}) {
    for (const Transform& pose : *poses) {
      if (!all_finite(pose)) return Error{"the example's path must be finite numbers"};
    }
  }
  for (const double distance : path.distances) {
    if (!std::isfinite(distance)) return Error{"the example's path must be finite numbers"};
  }
  return {};
}

// A reflection in a segment's x = 0 keeps the flexion and reverses the other two components.
template <typename Angles>
Angles mirror_columns(Angles angles) {
  for (Eigen::Index i = 0; i < angles.cols(); ++i) {
    if (i % 3 != 0) angles.col(i) *= -1.0;
  }
  return angles;
}

}  // namespace

const char* to_string(Phase phase) {
  static constexpr std::array<const char*, kPhaseCount> kNames = {
      "neutral",   "opening-1", "closing",  "gripping",
      "releasing", "opening-2", "relaxing", "neutral-2"};
  return kNames[static_cast<int>(phase)];
}

Eigen::VectorXd Controller::rest_pose(Setpoint setpoint) const {
  const int i = index_of(setpoint);
  const double lead = gains.damping / gains.stiffness;
  const Eigen::VectorXd springs =
      0.5 * (positions.row(i).transpose() + lead * velocities.row(i).transpose() + neutral);
  const Eigen::VectorXd nearest = springs.cwiseMax(lower).cwiseMin(upper);
  // Beyond a limit both springs pull against that of the limit.
  const double yields = 2.0 * gains.stiffness / (2.0 * gains.stiffness + gains.limit_stiffness);
  return nearest + yields * (springs - nearest);
}

Eigen::VectorXd Controller::touching_pose() const {
  Eigen::VectorXd pose = rest_pose(Setpoint::kGrip);
  if (touching.size() > 0) pose += touching;
  return pose;
}

Controller opened_wider(Controller controller, double part) {
  constexpr std::pair<Setpoint, Setpoint> kOpenAndClosed[] = {
      {Setpoint::kOpen, Setpoint::kGrip}, {Setpoint::kOpenAgain, Setpoint::kRelease}};
  for (const auto& pair : kOpenAndClosed) {
    const int open = index_of(pair.first), closed = index_of(pair.second);
    for (Setpoints* setpoints : {&controller.positions, &controller.velocities})
      setpoints->row(open) += part * (setpoints->row(open) - setpoints->row(closed));
  }
  return controller;
}

Controller within_range(Controller controller, const Hand& hand) {
  const CoordinateLimits own = coordinate_limits(hand);
  for (Eigen::VectorXd* limit : {&controller.lower, &controller.upper})
    *limit = limit->cwiseMax(own.lower).cwiseMin(own.upper);
  return controller;
}

Status validate(const Controller& controller) {
  if (Status status = check_sizes(controller); !status) return status;
  if (Status status = check_angles(controller); !status) return status;
  if (Status status = check_scalars(controller); !status) return status;
  return check_path(controller.path);
}

Status fits_hand(const Controller& controller, const Hand& hand) {
  if (controller.side != hand.side) {
    return Error{fmt::format("controller {} is for a {} hand, and {} is a {} one", controller.name,
                             to_string(controller.side), hand.name, to_string(hand.side))};
  }
  for (const std::string& joint : controller.joints) {
    const int segment = hand.find(joint);
    const auto is_ball = [](const Segment& s) {
      return s.joints.size() == 1 && s.joints[0].type == JointType::kBall;
    };
    if (segment >= 0 && is_ball(hand.segments[segment])) continue;
    return Error{fmt::format("controller {} was fitted on another hand: {} has no ball joint {}",
                             controller.name, hand.name, joint)};
  }
  std::size_t next = 0;
  for (const Segment& segment : hand.segments) {
    if (segment.joints.empty()) continue;
    if (next < controller.joints.size() && controller.joints[next] == segment.name) {
      ++next;
      continue;
    }
    return Error{fmt::format("controller {} was fitted on another hand: it lacks {} of {} there",
                             controller.name, segment.name, hand.name)};
  }
  return {};
}

Status stable_at(const Gains& gains, double timestep) {
  const double bound = timestep * timestep * (2.0 * gains.stiffness + gains.limit_stiffness) +
                       2.0 * timestep * (2.0 * gains.damping);
  if (bound < 4.0) return {};  // false for NaN too
  return Error{fmt::format(
      "stiffness {:g}, damping {:g} and limit stiffness {:g} are unstable at steps of {:g} s: "
      "dt^2 (2 k_S + k_JL) + 4 dt k_D is {:.3g} and must stay below 4",
      gains.stiffness, gains.damping, gains.limit_stiffness, timestep, bound)};
}

Controller mirrored(const Controller& controller) {
  const auto mirror = [](const Eigen::VectorXd& angles) -> Eigen::VectorXd {
    return mirror_columns<Eigen::RowVectorXd>(angles.transpose()).transpose();
  };
  Controller other = controller;
  other.side = controller.side == Side::kRight ? Side::kLeft : Side::kRight;
  other.neutral = mirror(controller.neutral);
  const Eigen::VectorXd lower = mirror(controller.lower);
  const Eigen::VectorXd upper = mirror(controller.upper);
  other.lower = lower.cwiseMin(upper);
  other.upper = lower.cwiseMax(upper);
  other.positions = mirror_columns(controller.positions);
  other.velocities = mirror_columns(controller.velocities);
  for (auto* poses : {&other.path.wrist_world, &other.path.target_world}) {
    for (Transform& pose : *poses) pose = mirror_x(pose);
  }
  other.path.target_center = mirror_x(controller.path.target_center);
  if (other.path.grip_wrist_target)
    other.path.grip_wrist_target = mirror_x(*controller.path.grip_wrist_target);
  if (controller.touching.size() > 0) other.touching = mirror(controller.touching);
  if (controller.closing.size() > 0) other.closing = mirror(controller.closing);
  if (controller.hand)
    other.hand = std::make_shared<const Hand>(::prehend::mirrored(*controller.hand));
  if (controller.object)
    other.object = std::make_shared<const Object>(geometry::mirrored(*controller.object));
  return other;
}

}  // namespace prehend::example_control
