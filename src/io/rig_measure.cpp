#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "io/rig_hand_builder.h"

namespace prehend::io {

RigHandBuilder::RigHandBuilder(const RigMotion& motion, RigHand mapped, double meters_per_unit,
                               UpAxis up, const std::string& name)
    : motion_(motion), name_(name) {
  model_.mapped_ = std::move(mapped);
  model_.meters_per_unit_ = meters_per_unit;
  if (up == UpAxis::kZ) model_.up_ = exp_map({-kPi / 2, 0.0, 0.0});
}

Result<RigHandModel> RigHandBuilder::build() {
  sample();
  measure_joints();
  if (const Status s = measure_palm(); !s)
    return mapped().may_be_bare ? build_bare() : Result<RigHandModel>(s.error());
  if (const Status s = settle_units(); !s) return s.error();
  supply_missing();
  settle_side();
  find_wrist_axes();
  for (const Digit digit : kDigits) find_digit_axes(digit);
  keep_openxr_axes();
  return assemble();
}

void RigHandBuilder::sample() {
  constexpr int kSamples = 240;
  const int count = std::clamp(motion_.frame_count, 1, kSamples);
  for (int i = 0; i < count; ++i) {
    const int frame = motion_.frame_count == 0
                          ? -1
                          : static_cast<int>((static_cast<long>(i) * motion_.frame_count) / count);
    samples_.emplace_back(motion_.rig->names.size());
    motion_.frames(frame, samples_.back());
  }
  rest_.resize(motion_.rig->names.size());
  motion_.frames(-1, rest_);
}

// Mean over the samples of a joint's origin (or a point of it) in another joint's frame.
Vec3 RigHandBuilder::mean_in(int joint, int of, const Vec3& point) const {
  Vec3 sum = Vec3::Zero();
  for (const auto& frames : samples_) sum += frames[of].inverse() * (frames[joint] * point);
  return sum / static_cast<double>(samples_.size());
}

void RigHandBuilder::measure_joints() {
  for (const Digit digit : kDigits) {
    for (const int phalanx : {0, 1, 2, 3}) {
      if (digit == Digit::kThumb && phalanx == 2) continue;
      Bone& b = bone(digit, phalanx);
      b.rig_joint = mapped().last(xr_joint_of(digit, phalanx));
      const auto& chain = mapped().joints[xr_joint_of(digit, phalanx)];
      if (chain.size() > 1) b.base = split_centre(chain, digit, phalanx);
      const int next = mapped().last(xr_joint_of(digit, phalanx_after(digit, phalanx)));
      if (chain.size() > 1 && phalanx == 0 && next >= 0) fit_arc(b, next);
    }
    for (int phalanx = 0; phalanx < 4; phalanx = phalanx_after(digit, phalanx)) {
      Bone& b = bone(digit, phalanx);
      if (b.rig_joint < 0) continue;
      int next = phalanx_after(digit, phalanx);
      while (next < 4 && bone(digit, next).rig_joint < 0) next = phalanx_after(digit, next);
      const int tip = mapped().last(xr_tip_of(digit));
      if (next < 4) {
        b.end = mean_in(bone(digit, next).rig_joint, b.rig_joint, bone(digit, next).base);
        b.has_end = true;
      } else if (tip >= 0) {
        b.end = mean_in(tip, b.rig_joint);
        b.has_end = true;
      } else if (!motion_.end_sites.empty() && motion_.end_sites[b.rig_joint].norm() > 0.0) {
        b.end = motion_.end_sites[b.rig_joint];
        b.has_end = true;
      }
      b.has_end = b.has_end && b.vector().norm() > 0.0;
    }
  }
}

// Where to put the one center of a joint that the rig splits over several with offsets between:
// the point that moves least both in the segment above and in the last of them.
Vec3 RigHandBuilder::split_centre(const std::vector<int>& chain, Digit digit, int phalanx) {
  int above = wrist();
  for (int p = 0; p < phalanx; p = phalanx_after(digit, p))
    if (bone(digit, p).rig_joint >= 0) above = bone(digit, p).rig_joint;
  const int last = chain.back();
  const auto count = static_cast<Eigen::Index>(samples_.size());
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(3 * count + 3, 6);
  Eigen::VectorXd b = Eigen::VectorXd::Zero(3 * count + 3);
  for (Eigen::Index i = 0; i < count; ++i) {
    const Transform rel = samples_[i][above].inverse() * samples_[i][last];
    a.block<3, 3>(3 * i, 0) = rel.rotation.toRotationMatrix();
    a.block<3, 3>(3 * i, 3) = -Mat3::Identity();
    b.segment<3>(3 * i) = -rel.position;
  }
  // Along the axis of a plain hinge any point is as good: stay near the last joint's origin.
  a.block<3, 3>(3 * count, 0) = 0.03 * std::sqrt(static_cast<double>(count)) * Mat3::Identity();
  return Eigen::VectorXd(a.colPivHouseholderQr().solve(b)).head<3>();
}

// Bone ends move on a sphere about a ball joint: from the center found, step to the one that
// keeps the length of the bone most even, without leaving the neighborhood.
void RigHandBuilder::fit_arc(Bone& b, int next) {
  const Vec3 end = mean_in(next, b.rig_joint);
  const Vec3 start = mean_in(b.rig_joint, wrist(), b.base);
  Vec3 center = start;
  double length = (end - b.base).norm();
  constexpr double kStay = 0.0002;  // weight of a step away, against a change of length
  for (int iteration = 0; iteration < 20; ++iteration) {
    Eigen::Matrix4d normal = Eigen::Matrix4d::Zero();
    Eigen::Vector4d gradient = Eigen::Vector4d::Zero();
    for (const auto& frames : samples_) {
      const Vec3 arm = frames[wrist()].inverse() * frames[next].position - center;
      Eigen::Vector4d row;
      row << -arm.normalized(), -1.0;
      normal += row * row.transpose();
      gradient += row * (arm.norm() - length);
    }
    const double stay = kStay * static_cast<double>(samples_.size());
    normal.topLeftCorner<3, 3>() += stay * Mat3::Identity();
    gradient.head<3>() += stay * (center - start);
    const Eigen::Vector4d step = normal.ldlt().solve(-gradient);
    if (!step.allFinite()) return;
    center += step.head<3>();
    length += step[3];
  }
  if (!(length > 0.0)) return;
  const Vec3 base_joint = [&] {
    Vec3 sum = Vec3::Zero();
    for (const auto& frames : samples_)
      sum += frames[b.rig_joint].inverse() * (frames[wrist()] * center);
    return Vec3(sum / static_cast<double>(samples_.size()));
  }();
  b.base_wrist = center;
  b.base = end + length * (base_joint - end).normalized();
}

Status RigHandBuilder::measure_palm() {
  const auto standard = build_hand({.profile = HandProfile::kBall, .side = mapped().side});
  if (!standard) return standard.error();
  standard_ = *standard;
  int known = 0;
  for (const Digit digit : kDigits) {
    const Bone& b = bone(digit, 1);
    if (b.rig_joint < 0) continue;
    knuckles_[static_cast<int>(digit)] = mean_in(b.rig_joint, wrist(), b.base);
    if (digit != Digit::kThumb) ++known;
  }
  if (known < 2) {
    return Error{fmt::format(
        "{}: only {} of the four fingers found below joint \"{}\"; two at least are needed, so "
        "name them in a map file",
        name_, known, motion_.rig->names[wrist()])};
  }
  return {};
}

// Standard lengths at a hand length of one.
double RigHandBuilder::standard_length(Digit digit, int phalanx) const {
  const int segment = standard_.xr_segments[xr_joint_of(digit, phalanx)];
  if (phalanx == 3) return -standard_.pads[static_cast<int>(digit)].tip.z() / standard_.length;
  const int next = standard_.xr_segments[xr_joint_of(digit, phalanx_after(digit, phalanx))];
  PREHEND_ASSERT(standard_.segments[next].parent == segment);
  return standard_.segments[next].rest_parent.position.norm() / standard_.length;
}

Vec3 RigHandBuilder::standard_knuckle(Digit digit) const {
  const auto frames = xr_frames(standard_, rest_pose(standard_));
  return (frames[0].inverse() * frames[xr_joint_of(digit, 1)].position) / standard_.length;
}

// From everything measured on the four fingers, so that missing fingertips do not matter.
Status RigHandBuilder::settle_units() {
  double measured = 0.0, standard = 0.0;
  for (const Digit digit : kDigits) {
    if (digit == Digit::kThumb || bone(digit, 1).rig_joint < 0) continue;
    measured += knuckles_[static_cast<int>(digit)].norm();
    standard += standard_knuckle(digit).norm();
    for (const int phalanx : {1, 2}) {
      const Bone& b = bone(digit, phalanx);
      if (!b.has_end) continue;
      // Only a bone whose next joint is the very next one has the length of one phalanx.
      if (bone(digit, phalanx + 1).rig_joint < 0) continue;
      measured += b.vector().norm();
      standard += standard_length(digit, phalanx);
    }
  }
  length_units_ = measured / standard;
  if (!(length_units_ > 0.0) || !std::isfinite(length_units_))
    return Error{fmt::format("{}: the hand below joint \"{}\" has no size", name_,
                             motion_.rig->names[wrist()])};
  double& unit = model_.meters_per_unit_;
  if (unit == 0.0) {
    unit = guess_unit(length_units_);
    if (unit == 0.0) {
      return Error{fmt::format(
          "{}: the hand is {:.4g} units long, human in no usual unit; give units in a map file",
          name_, length_units_)};
    }
  }
  const double length = length_units_ * unit;
  if (!(length >= 0.05 && length <= 0.30)) {
    return Error{
        fmt::format("{}: with {:g} m a unit the hand is {:.4g} m long; 0.05 to 0.30 is "
                    "human",
                    name_, unit, length)};
  }
  return {};
}

// Bones that end nowhere, or at a mark that cannot be a fingertip, get human lengths.
void RigHandBuilder::supply_missing() {
  std::string supplied;
  for (const Digit digit : kDigits) {
    for (int phalanx = 0; phalanx < 4; phalanx = phalanx_after(digit, phalanx)) {
      Bone& b = bone(digit, phalanx);
      if (b.rig_joint < 0) continue;
      const double human = standard_length(digit, phalanx) * length_units_;
      const double ratio = b.has_end ? b.vector().norm() / human : 0.0;
      const bool ends_digit = !measured_next(digit, phalanx);
      if (b.has_end && !(ends_digit && (ratio < 0.3 || ratio > 2.5))) continue;
      Vec3 direction = b.has_end ? b.vector() : straight_on(digit, phalanx);
      b.end = b.base + human * direction.normalized();
      supplied += fmt::format("{}{}", supplied.empty() ? "" : ", ",
                              xr_joint_names()[xr_joint_of(digit, phalanx_after(digit, phalanx))]);
    }
  }
  if (!supplied.empty()) model_.notes_.push_back("supplied from human proportions: " + supplied);
}

bool RigHandBuilder::measured_next(Digit digit, int phalanx) {
  for (int next = phalanx_after(digit, phalanx); next < 4; next = phalanx_after(digit, next))
    if (bone(digit, next).rig_joint >= 0) return true;
  return false;
}

// The bone before it, carried over by the rig at rest.
Vec3 RigHandBuilder::straight_on(Digit digit, int phalanx) {
  const int joint = bone(digit, phalanx).rig_joint;
  int before = -1;
  for (int p = 0; p < phalanx; p = phalanx_after(digit, p))
    if (bone(digit, p).rig_joint >= 0) before = p;
  Vec3 direction_rest;
  if (before >= 0) {
    direction_rest = rest_[bone(digit, before).rig_joint].turn(bone(digit, before).vector());
  } else {
    direction_rest = rest_[joint].position - rest_[wrist()].position;
  }
  if (direction_rest.norm() == 0.0) direction_rest = Vec3::UnitX();
  return rest_[joint].rotation.conjugate() * direction_rest;
}

Vec3 RigHandBuilder::across_palm() const {
  int first = -1, last = -1;
  for (int d = 1; d < kDigitCount; ++d) {
    if (bones_[d][1].rig_joint < 0) continue;
    if (first < 0) first = d;
    last = d;
  }
  return knuckles_[first] - knuckles_[last];
}

Vec3 RigHandBuilder::along_palm() const {
  if (bones_[2][1].rig_joint >= 0) return knuckles_[2];
  Vec3 sum = Vec3::Zero();
  for (int d = 1; d < kDigitCount; ++d)
    if (bones_[d][1].rig_joint >= 0) sum += knuckles_[d];
  return sum;
}

// How far the fingers bend at their knuckles, for rigs that show no more: sine, positive if they
// bend as a right hand's.
double RigHandBuilder::knuckle_bend(const Vec3& back_if_right) const {
  double bend = 0.0;
  int count = 0;
  for (const auto& frames : samples_) {
    for (int d = 1; d < kDigitCount; ++d) {
      const Bone& proximal = bones_[d][1];
      if (proximal.rig_joint < 0 || !proximal.has_end) continue;
      const Vec3 direction = frames[wrist()].rotation.conjugate() *
                             frames[proximal.rig_joint].turn(proximal.vector()).normalized();
      bend -= direction.dot(back_if_right) - knuckles_[d].normalized().dot(back_if_right);
      ++count;
    }
  }
  return bend / std::max(1, count);
}

// Fingers bend towards the palm. With the thumb's side known from index and little finger that
// tells left from right when no name does, and when the names are wrong: files written in
// left-handed coordinates mirror their hands.
void RigHandBuilder::settle_side() {
  if (mapped().side_given) return;
  const Vec3 back_if_right = along_palm().cross(across_palm()).normalized();
  double bend = 0.0;
  int count = 0;
  for (const auto& frames : samples_) {
    for (int d = 1; d < kDigitCount; ++d) {
      for (const int phalanx : {1, 2}) {
        const Bone& first = bones_[d][phalanx];
        const Bone& second = bones_[d][phalanx + 1];
        if (first.rig_joint < 0 || second.rig_joint < 0 || !second.has_end) continue;
        const Vec3 a = frames[first.rig_joint].turn(first.vector()).normalized();
        const Vec3 b = frames[second.rig_joint].turn(second.vector()).normalized();
        const Vec3 back = frames[wrist()].turn(back_if_right);
        // Across the finger, so that the sign holds however far it is closed.
        const Vec3 flexion = frames[wrist()].turn(along_palm()).normalized().cross(-back);
        bend += a.cross(b).dot(flexion);
        ++count;
      }
    }
  }
  bend /= std::max(1, count);
  if (count == 0) bend = knuckle_bend(back_if_right);
  const Side by_bend = bend >= 0.0 ? Side::kRight : Side::kLeft;
  constexpr double kClear = 0.12;  // seven degrees a joint on average, the wrong way
  if (!mapped().side_from_names) {
    model_.notes_.push_back(
        fmt::format("no name tells the side: {} by the way the fingers bend", to_string(by_bend)));
  } else if (by_bend != mapped().side && std::abs(bend) > kClear) {
    model_.left_handed_ = true;
    model_.notes_.push_back(
        fmt::format("named {}, but the fingers bend as a {} hand's: the file is in left-handed "
                    "coordinates; "
                    "mirror = true in a map file turns the whole scene around",
                    to_string(mapped().side), to_string(by_bend)));
  } else {
    return;
  }
  model_.mapped_.side = by_bend;
  standard_ = *build_hand({.profile = HandProfile::kBall, .side = by_bend});
}

}  // namespace prehend::io
