// Ben Amor, Heumer, Jung and Vitzthum, "Grasp synthesis from low-dimensional probabilistic grasp
// models", CAVW 2008, section "Grasp Optimization", figure 3.
// Implements: the sensor model and its three opposition groups; eq. 2 down to frames.
// Departs:    sensors lie inside the contact capsules that simulation uses, so that a sensor that
//             touches is a hand that touches; the paper's sizes are not given.
#include "prehend/methods/grasp_space/sensors.h"

#include <algorithm>
#include <cmath>

#include "prehend/hands/palm.h"

namespace prehend::grasp_space {
namespace {

// The sphere inside `capsule` that is nearest to a point.
Sensor inscribed(int segment, const Capsule& capsule, const Vec3& near, Opposition group) {
  const Vec3 line = capsule.b - capsule.a;
  const double squared = line.squaredNorm();
  const double t =
      squared > 0.0 ? std::clamp((near - capsule.a).dot(line) / squared, 0.0, 1.0) : 0.0;
  return {segment, capsule.a + t * line, capsule.radius, group};
}

void add_digit_sensors(const Hand& hand, Digit digit, std::vector<Sensor>& sensors) {
  const bool thumb = digit == Digit::kThumb;
  for (int s = 0; s < hand.segment_count(); ++s) {
    const Segment& segment = hand.segments[s];
    if (segment.digit != digit || segment.capsules.empty()) continue;
    if (segment.phalanx == 0 && !thumb) continue;  // part of the palm
    const Capsule& capsule = segment.capsules[0];
    const FingerPad& pad = hand.pads[static_cast<int>(digit)];
    const Vec3 near = pad.segment == s ? pad.point : Vec3(0.5 * (capsule.a + capsule.b));
    sensors.push_back(
        inscribed(s, capsule, near, thumb ? Opposition::kThumb : Opposition::kFingers));
  }
}

// Where the palm's three sensors should be: behind the index's and the little finger's knuckles,
// and the heel. The fractions of the way from wrist to knuckle were chosen by eye; the paper
// has no numbers.
std::vector<Vec3> palm_points(const std::array<Transform, kXrJointCount>& xr) {
  const Vec3 wrist = xr[0].position;
  const auto towards = [&](Digit digit, double fraction) {
    const Vec3 knuckle = xr[xr_joint_of(digit, 1)].position;
    return Vec3(wrist + fraction * (knuckle - wrist));
  };
  return {towards(Digit::kIndex, 0.85), towards(Digit::kLittle, 0.85),
          towards(Digit::kMiddle, 0.5)};
}

}  // namespace

std::vector<Sensor> default_sensors(const Hand& hand) {
  std::vector<Sensor> sensors;
  for (Digit digit : kDigits) add_digit_sensors(hand, digit, sensors);
  const HandPose rest = rest_pose(hand);
  const std::vector<Transform> frames = segment_frames(hand, rest);
  for (const Vec3& point : palm_points(xr_frames(hand, rest))) {
    Sensor best;
    double least = INFINITY;
    for (int s : hands::palm_segments(hand)) {
      for (const Capsule& capsule : hand.segments[s].capsules) {
        const Vec3 local = frames[s].inverse() * point;
        const Sensor sensor = inscribed(s, capsule, local, Opposition::kPalm);
        const double gap = (sensor.center - local).norm() - sensor.radius;
        if (gap < least) {
          least = gap;
          best = sensor;
        }
      }
    }
    if (best.segment >= 0) sensors.push_back(best);
  }
  return sensors;
}

ShapeKinematics::ShapeKinematics(const Hand& hand, const GraspSpace& space)
    : hand_(hand), space_(space) {
  straight_ = pose_from_vector(hand, Transform::Identity(), Eigen::VectorXd::Zero(kPoseSize));
  place_wrist(hand, Transform::Identity(), straight_);
  for (int j = 0; j < kPoseJoints; ++j) segment_of_[j] = hand.xr_segments[pose_joints()[j]];
  rotations_ = straight_.rotations;
  frames_.resize(hand.segments.size());
}

void ShapeKinematics::rotations(const Eigen::Ref<const Eigen::VectorXd>& reduced,
                                std::vector<Quat>& out) const {
  const auto& components = space_.pca.components;
  for (int j = 0; j < kPoseJoints; ++j) {
    if (segment_of_[j] < 0) continue;
    Vec3 v = space_.pca.mean.segment<3>(3 * j);  // eq. 2
    for (int k = 0; k < components.cols(); ++k)
      v += reduced[k] * components.col(k).segment<3>(3 * j);
    const Quat turn = exp_map(v);
    out[segment_of_[j]] =
        straight_.rotations[segment_of_[j]] * (hand_.side == Side::kLeft ? mirror_x(turn) : turn);
  }
}

const std::vector<Transform>& ShapeKinematics::frames_wrist(
    const Eigen::Ref<const Eigen::VectorXd>& reduced) {
  rotations(reduced, rotations_);
  frames_[0] = straight_.root_world;
  for (int i = 1; i < hand_.segment_count(); ++i) {
    const Segment& segment = hand_.segments[i];
    const Transform& parent = frames_[segment.parent];
    frames_[i] = {parent.rotation * rotations_[i], parent * segment.rest_parent.position};
  }
  return frames_;
}

HandPose ShapeKinematics::pose(const Eigen::Ref<const Eigen::VectorXd>& reduced) const {
  HandPose pose = straight_;
  rotations(reduced, pose.rotations);
  return pose;
}

}  // namespace prehend::grasp_space
