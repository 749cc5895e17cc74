#include "prehend/core/hand_pose.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>

#include "prehend/core/assert.h"
#include "prehend/core/capsule.h"

namespace prehend {

namespace {

// Rotation of one segment against its rest orientation.
Quat segment_rotation(const Segment& segment, const double* q) {
  Quat rotation = Quat::Identity();
  for (const Joint& joint : segment.joints) {
    if (joint.type == JointType::kBall) {
      rotation = rotation * exp_map(Vec3(q[0], q[1], q[2]));
    } else {
      rotation = rotation * Quat(Eigen::AngleAxisd(q[0], joint.axis));
    }
    q += joint.dof();
  }
  return rotation;
}

// Damped Gauss-Newton on the exponential map from the angles in q; returns the angle left over.
double refine_hinges(const Segment& segment, const Quat& wanted, double* q) {
  const int n = static_cast<int>(segment.joints.size());
  Eigen::Map<Eigen::VectorXd> angles(q, n);
  Eigen::Matrix<double, 3, Eigen::Dynamic> jacobian(3, n);
  for (int iteration = 0; iteration < 50; ++iteration) {
    const Vec3 error = log_map(segment_rotation(segment, q).conjugate() * wanted);
    Quat later = Quat::Identity();
    for (int j = n - 1; j >= 0; --j) {
      jacobian.col(j) = later.conjugate() * segment.joints[j].axis;
      later = Quat(Eigen::AngleAxisd(angles[j], segment.joints[j].axis)) * later;
    }
    const Eigen::MatrixXd normal =
        jacobian.transpose() * jacobian + 1e-9 * Eigen::MatrixXd::Identity(n, n);
    const Eigen::VectorXd step = normal.ldlt().solve(jacobian.transpose() * error);
    angles += step;
    if (step.norm() < 1e-13) break;
  }
  for (int j = 0; j < n; ++j) angles[j] = std::remainder(angles[j], 2.0 * kPi);
  return angle_between(segment_rotation(segment, q), wanted);
}

// Hinge angles whose product comes nearest to `wanted`. Three hinges reach most rotations in two
// ways and a shoulder's range holds both sides of the singularity, so several starts compete: first
// by what is left over, then by how far outside their ranges the angles lie.
void solve_hinges(const Segment& segment, const Quat& wanted, double* q) {
  const int n = static_cast<int>(segment.joints.size());
  Eigen::Map<Eigen::VectorXd> best(q, n);
  double best_cost = INFINITY;
  Eigen::VectorXd angles(n);
  for (const double start : {-1.0, 0.5, 0.1, 0.9}) {
    for (int j = 0; j < n; ++j) {
      const Joint& joint = segment.joints[j];
      angles[j] = start < 0.0 ? 0.0 : joint.lower[0] + start * (joint.upper[0] - joint.lower[0]);
    }
    double cost = 1e3 * refine_hinges(segment, wanted, angles.data());
    for (int j = 0; j < n; ++j) {
      const Joint& joint = segment.joints[j];
      cost += std::max({0.0, joint.lower[0] - angles[j], angles[j] - joint.upper[0]});
    }
    if (cost < best_cost - 1e-9) {
      best_cost = cost;
      best = angles;
    }
    if (best_cost < 1e-6) break;
  }
}

}  // namespace

HandPose rest_pose(const Hand& hand) {
  HandPose pose;
  pose.rotations.reserve(hand.segments.size());
  for (const Segment& segment : hand.segments) {
    pose.rotations.push_back(segment.rest_parent.rotation);
  }
  if (!pose.rotations.empty()) pose.rotations[0] = Quat::Identity();
  return pose;
}

void segment_frames(const Hand& hand, const HandPose& pose, std::span<Transform> frames_world) {
  PREHEND_ASSERT(pose.rotations.size() == hand.segments.size());
  PREHEND_ASSERT(frames_world.size() == hand.segments.size());
  frames_world[0] = pose.root_world;
  for (int i = 1; i < hand.segment_count(); ++i) {
    const Segment& segment = hand.segments[i];
    const Transform& parent = frames_world[segment.parent];
    frames_world[i] = {parent.rotation * pose.rotations[i], parent * segment.rest_parent.position};
  }
}

std::vector<Transform> segment_frames(const Hand& hand, const HandPose& pose) {
  std::vector<Transform> frames_world(hand.segments.size());
  segment_frames(hand, pose, frames_world);
  return frames_world;
}

std::array<Transform, kXrJointCount> xr_frames(const Hand& hand, const HandPose& pose) {
  const std::vector<Transform> segments = segment_frames(hand, pose);
  std::array<Transform, kXrJointCount> frames;
  for (int j = 0; j < kXrJointCount; ++j) {
    const int segment = hand.xr_segments[j];
    if (segment >= 0) {
      frames[j] = segments[segment];
    } else if (j > 0) {
      frames[j] = frames[xr_joint_parent(j)];
    }
  }
  for (Digit digit : kDigits) {
    const FingerPad& pad = hand.pads[static_cast<int>(digit)];
    if (pad.segment < 0) continue;
    const Transform& distal = segments[pad.segment];
    frames[xr_tip_of(digit)] = {distal.rotation, distal * pad.tip};
  }
  return frames;
}

std::vector<int> coordinate_offsets(const Hand& hand) {
  std::vector<int> offsets;
  offsets.reserve(hand.segments.size() + 1);
  int next = 0;
  for (const Segment& segment : hand.segments) {
    offsets.push_back(next);
    next += segment.dof();
  }
  offsets.push_back(next);
  return offsets;
}

Eigen::VectorXd coordinates(const Hand& hand, const HandPose& pose, double* residual_rad) {
  PREHEND_ASSERT(pose.rotations.size() == hand.segments.size());
  Eigen::VectorXd q = Eigen::VectorXd::Zero(hand.dof());
  double worst = 0.0;
  int next = 0;
  for (int i = 0; i < hand.segment_count(); ++i) {
    const Segment& segment = hand.segments[i];
    const Quat rest = i == 0 ? Quat::Identity() : segment.rest_parent.rotation;
    const Quat wanted = rest.conjugate() * pose.rotations[i];
    double* out = q.data() + next;
    if (segment.joints.size() == 1 && segment.joints[0].type == JointType::kBall) {
      Eigen::Map<Vec3>(out, 3) = log_map(wanted);
    } else if (segment.joints.size() == 1) {
      out[0] = twist_angle(wanted, segment.joints[0].axis);
    } else if (!segment.joints.empty()) {
      solve_hinges(segment, wanted, out);
    }
    worst = std::max(worst, angle_between(segment_rotation(segment, out), wanted));
    next += segment.dof();
  }
  if (residual_rad) *residual_rad = worst;
  return q;
}

HandPose pose_from_coordinates(const Hand& hand, const Transform& root_world,
                               const Eigen::VectorXd& q) {
  PREHEND_ASSERT(q.size() == hand.dof());
  HandPose pose = rest_pose(hand);
  pose.root_world = root_world;
  const double* next = q.data();
  for (int i = 0; i < hand.segment_count(); ++i) {
    pose.rotations[i] = pose.rotations[i] * segment_rotation(hand.segments[i], next);
    next += hand.segments[i].dof();
  }
  return pose;
}

CoordinateLimits coordinate_limits(const Hand& hand) {
  CoordinateLimits limits{Eigen::VectorXd(hand.dof()), Eigen::VectorXd(hand.dof())};
  int next = 0;
  for (const Segment& segment : hand.segments) {
    for (const Joint& joint : segment.joints) {
      limits.lower.segment(next, joint.dof()) = joint.lower.head(joint.dof());
      limits.upper.segment(next, joint.dof()) = joint.upper.head(joint.dof());
      next += joint.dof();
    }
  }
  return limits;
}

double limit_violation(const CoordinateLimits& limits, const Eigen::VectorXd& q) {
  if (q.size() == 0) return 0.0;
  const double below = (limits.lower - q).maxCoeff();
  const double above = (q - limits.upper).maxCoeff();
  return std::max({0.0, below, above});
}

HandPose interpolate(const HandPose& a, const HandPose& b, double fraction) {
  PREHEND_ASSERT(a.rotations.size() == b.rotations.size());
  HandPose pose;
  pose.root_world = interpolate(a.root_world, b.root_world, fraction);
  pose.rotations.reserve(a.rotations.size());
  for (size_t i = 0; i < a.rotations.size(); ++i) {
    pose.rotations.push_back(slerp(a.rotations[i], b.rotations[i], fraction));
  }
  return pose;
}

void place_wrist(const Hand& hand, const Transform& wrist_world, HandPose& pose) {
  const std::vector<Transform> frames = segment_frames(hand, pose);
  const Transform wrist_from_root = frames[hand.wrist()].inverse() * pose.root_world;
  pose.root_world = wrist_world * wrist_from_root;
}

HandPose retarget(const Hand& from, const HandPose& pose, const Hand& to) {
  const std::array<Transform, kXrJointCount> source = xr_frames(from, pose);
  HandPose result = rest_pose(to);
  for (int j = 1; j < kXrJointCount; ++j) {
    const int target = to.xr_segments[j];
    const int parent = to.xr_segments[xr_joint_parent(j)];
    if (target < 0 || parent < 0 || target == parent || from.xr_segments[j] < 0) continue;
    // OpenXR frames mean the same on every hand, so the relative rotation carries over; a target
    // whose tree has segments in between keeps those at rest.
    Quat between = Quat::Identity();
    for (int s = to.segments[target].parent; s != parent && s >= 0; s = to.segments[s].parent) {
      between = result.rotations[s] * between;
    }
    const Quat relative = source[xr_joint_parent(j)].rotation.conjugate() * source[j].rotation;
    result.rotations[target] = between.conjugate() * relative;
  }
  place_wrist(to, source[0], result);
  return result;
}

SelfPenetration self_penetration(const Hand& hand, const HandPose& pose) {
  const std::vector<Transform> frames = segment_frames(hand, pose);
  SelfPenetration worst;
  for (int a = 0; a < hand.segment_count(); ++a) {
    for (int b = a + 1; b < hand.segment_count(); ++b) {
      if (hand.may_overlap(a, b)) continue;
      for (const Capsule& first : hand.segments[a].capsules) {
        const Capsule first_world = frames[a] * first;
        for (const Capsule& second : hand.segments[b].capsules) {
          const double depth = -distance(first_world, frames[b] * second);
          if (depth > worst.depth) worst = {depth, a, b};
        }
      }
    }
  }
  return worst;
}

}  // namespace prehend
