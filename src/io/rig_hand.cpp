#include "io/rig_hand.h"

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "prehend/core/hand_builder.h"

namespace prehend::io {
namespace {

// Frame whose -Z is `direction` and whose +Y comes nearest to `back`.
Quat bone_frame(const Vec3& direction, const Vec3& back) {
  const Vec3 z = -direction.normalized();
  Vec3 x = back.cross(z);
  x = x.norm() < 1e-9 ? any_orthogonal(z) : Vec3(x.normalized());
  Mat3 m;
  m << x, z.cross(x), z;
  return Quat(m).normalized();
}

int phalanx_after(Digit digit, int phalanx) {
  return digit == Digit::kThumb && phalanx == 1 ? 3 : phalanx + 1;
}

int xr_joint_of(Digit digit, int phalanx) {
  const int tip = xr_tip_of(digit);
  if (digit != Digit::kThumb) return tip - 4 + phalanx;
  return phalanx <= 1 ? tip - 3 + phalanx : tip - 4 + phalanx;
}

constexpr double kAdultLength = 0.185;

}  // namespace

double guess_unit(double length) {
  struct Candidate {
    double metres;
    double doubt;
  };
  // Inches are rare, so they must fit clearly better.
  constexpr Candidate kCandidates[] = {
      {1.0, 0.0}, {0.1, 0.0}, {0.01, 0.0}, {0.001, 0.0}, {0.0254, 0.35}};
  double best = 0.0, best_misfit = std::log(0.30 / kAdultLength);
  for (const Candidate& candidate : kCandidates) {
    const double misfit =
        std::abs(std::log(length * candidate.metres / kAdultLength)) + candidate.doubt;
    // A child's hand of 0.09 m is farther off on this scale than any adult's.
    const double allowed = length * candidate.metres < kAdultLength ? misfit * 0.66 : misfit;
    if (allowed < best_misfit) {
      best_misfit = allowed;
      best = candidate.metres;
    }
  }
  return best;
}

// Gathers what is constant over the recording, then builds the hand.
class RigHandBuilder {
 public:
  RigHandBuilder(const RigMotion& motion, RigHand mapped, double metres_per_unit, UpAxis up,
                 const std::string& name)
      : motion_(motion), name_(name) {
    model_.mapped_ = std::move(mapped);
    model_.metres_per_unit_ = metres_per_unit;
    if (up == UpAxis::kZ) model_.up_ = exp_map({-kPi / 2, 0.0, 0.0});
  }

  Result<RigHandModel> build() {
    sample();
    measure_joints();
    if (const Status s = measure_palm(); !s) return s.error();
    if (const Status s = settle_units(); !s) return s.error();
    supply_missing();
    settle_side();
    find_wrist_axes();
    for (const Digit digit : kDigits) find_digit_axes(digit);
    keep_openxr_axes();
    return assemble();
  }

 private:
  // One phalanx in its rig joint's frame, in the rig's unit.
  struct Bone {
    int rig_joint = -1;
    Vec3 base = Vec3::Zero();  // joint centre; not the origin only where a joint is split
    Vec3 end = Vec3::Zero();   // the next joint centre
    bool has_end = false;      // measured, not supplied
    Quat frame;                // segment frame in the rig joint's
    Vec3 vector() const { return end - base; }
  };
  using Digits = std::array<std::array<Bone, 4>, kDigitCount>;

  const RigHand& mapped() const { return model_.mapped_; }
  int wrist() const { return mapped().last(0); }
  Bone& bone(Digit digit, int phalanx) { return bones_[static_cast<int>(digit)][phalanx]; }

  void sample() {
    constexpr int kSamples = 240;
    const int count = std::clamp(motion_.frame_count, 1, kSamples);
    for (int i = 0; i < count; ++i) {
      const int frame =
          motion_.frame_count == 0
              ? -1
              : static_cast<int>((static_cast<long>(i) * motion_.frame_count) / count);
      samples_.emplace_back(motion_.rig->names.size());
      motion_.frames(frame, samples_.back());
    }
    rest_.resize(motion_.rig->names.size());
    motion_.frames(-1, rest_);
  }

  // Mean over the samples of a joint's origin (or a point of it) in another joint's frame.
  Vec3 mean_in(int joint, int of, const Vec3& point = Vec3::Zero()) const {
    Vec3 sum = Vec3::Zero();
    for (const auto& frames : samples_) sum += frames[of].inverse() * (frames[joint] * point);
    return sum / static_cast<double>(samples_.size());
  }

  void measure_joints() {
    for (const Digit digit : kDigits) {
      for (const int phalanx : {0, 1, 2, 3}) {
        if (digit == Digit::kThumb && phalanx == 2) continue;
        Bone& b = bone(digit, phalanx);
        b.rig_joint = mapped().last(xr_joint_of(digit, phalanx));
        if (mapped().joints[xr_joint_of(digit, phalanx)].size() > 1)
          b.base = split_centre(mapped().joints[xr_joint_of(digit, phalanx)], digit, phalanx);
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

  // Where to put the one centre of a joint that the rig splits over several with offsets between:
  // the point that moves least both in the segment above and in the last of them.
  Vec3 split_centre(const std::vector<int>& chain, Digit digit, int phalanx) {
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

  Status measure_palm() {
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
  double standard_length(Digit digit, int phalanx) const {
    const int segment = standard_.xr_segments[xr_joint_of(digit, phalanx)];
    if (phalanx == 3) return -standard_.pads[static_cast<int>(digit)].tip.z() / standard_.length;
    const int next = standard_.xr_segments[xr_joint_of(digit, phalanx_after(digit, phalanx))];
    PREHEND_ASSERT(standard_.segments[next].parent == segment);
    return standard_.segments[next].rest_parent.position.norm() / standard_.length;
  }
  Vec3 standard_knuckle(Digit digit) const {
    const auto frames = xr_frames(standard_, rest_pose(standard_));
    return (frames[0].inverse() * frames[xr_joint_of(digit, 1)].position) / standard_.length;
  }

  // From everything measured on the four fingers, so that missing fingertips do not matter.
  Status settle_units() {
    double measured = 0.0, standard = 0.0;
    for (const Digit digit : kDigits) {
      if (digit == Digit::kThumb || bone(digit, 1).rig_joint < 0) continue;
      measured += knuckles_[static_cast<int>(digit)].norm();
      standard += standard_knuckle(digit).norm();
      for (const int phalanx : {1, 2}) {
        const Bone& b = bone(digit, phalanx);
        if (!b.has_end) continue;
        const bool whole = phalanx == 2 || bone(digit, 2).rig_joint >= 0;
        if (!whole || bone(digit, 3).rig_joint < 0) continue;
        measured += b.vector().norm();
        standard += standard_length(digit, phalanx);
      }
    }
    length_units_ = measured / standard;
    if (!(length_units_ > 0.0) || !std::isfinite(length_units_))
      return Error{fmt::format("{}: the hand below joint \"{}\" has no size", name_,
                               motion_.rig->names[wrist()])};
    double& unit = model_.metres_per_unit_;
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
  void supply_missing() {
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
        supplied +=
            fmt::format("{}{}", supplied.empty() ? "" : ", ",
                        xr_joint_names()[xr_joint_of(digit, phalanx_after(digit, phalanx))]);
      }
    }
    if (!supplied.empty()) model_.notes_.push_back("supplied from human proportions: " + supplied);
  }
  bool measured_next(Digit digit, int phalanx) {
    for (int next = phalanx_after(digit, phalanx); next < 4; next = phalanx_after(digit, next))
      if (bone(digit, next).rig_joint >= 0) return true;
    return false;
  }
  // The bone before it, carried over by the rig at rest.
  Vec3 straight_on(Digit digit, int phalanx) {
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

  Vec3 across_palm() const {
    int first = -1, last = -1;
    for (int d = 1; d < kDigitCount; ++d) {
      if (bones_[d][1].rig_joint < 0) continue;
      if (first < 0) first = d;
      last = d;
    }
    return knuckles_[first] - knuckles_[last];
  }
  Vec3 along_palm() const {
    if (bones_[2][1].rig_joint >= 0) return knuckles_[2];
    Vec3 sum = Vec3::Zero();
    for (int d = 1; d < kDigitCount; ++d)
      if (bones_[d][1].rig_joint >= 0) sum += knuckles_[d];
    return sum;
  }

  // Fingers bend towards the palm. With the thumb's side known from index and little finger that
  // tells left from right when no name does, and when the names are wrong: files written in
  // left-handed coordinates mirror their hands.
  void settle_side() {
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
    const Side by_bend = bend >= 0.0 ? Side::kRight : Side::kLeft;
    constexpr double kClear = 0.12;  // seven degrees a joint on average, the wrong way
    if (!mapped().side_from_names) {
      model_.notes_.push_back(fmt::format("no name tells the side: {} by the way the fingers bend",
                                          to_string(by_bend)));
    } else if (by_bend != mapped().side && std::abs(bend) > kClear) {
      model_.notes_.push_back(fmt::format(
          "named {}, but the fingers bend as a {} hand's: the file is in left-handed coordinates; "
          "mirror = true in a map file turns the whole scene around",
          to_string(mapped().side), to_string(by_bend)));
    } else {
      return;
    }
    model_.mapped_.side = by_bend;
    standard_ = *build_hand({.profile = HandProfile::kBall, .side = by_bend});
  }

  void find_wrist_axes() {
    const Vec3 back_if_right = along_palm().cross(across_palm());
    wrist_frame_ = bone_frame(along_palm(),
                              mapped().side == Side::kRight ? back_if_right : Vec3(-back_if_right));
  }

  // Directions of the standard hand, in the rig wrist's frame.
  Vec3 standard_back(Digit digit) const {
    const int segment = standard_.xr_segments[xr_joint_of(digit, 0)];
    return wrist_frame_ * (standard_.segments[segment].rest_parent.rotation * Vec3::UnitY());
  }
  Vec3 metacarpal_base(Digit digit) {
    const Bone& metacarpal = bone(digit, 0);
    if (metacarpal.rig_joint >= 0) return mean_in(metacarpal.rig_joint, wrist(), metacarpal.base);
    const int segment = standard_.xr_segments[xr_joint_of(digit, 0)];
    const Vec3 base = standard_.segments[segment].rest_parent.position / standard_.length;
    if (digit == Digit::kThumb) return wrist_frame_ * base * length_units_;
    return knuckles_[static_cast<int>(digit)] * (base.norm() / standard_knuckle(digit).norm());
  }

  void find_digit_axes(Digit digit);
  void keep_openxr_axes();
  void straighten_end(Digit digit, int phalanx, int before);
  Vec3 carried_back(Digit digit, int phalanx, int before, const Quat& metacarpal);
  Vec3 bending_axis(Digit digit, int phalanx, const Vec3& back);
  Result<RigHandModel> assemble();
  Status fill_sizes(HandSize& size);
  void place_digit(Digit digit, Hand& hand);

  const RigMotion& motion_;
  std::string name_;
  RigHandModel model_;
  std::vector<std::vector<Transform>> samples_;
  std::vector<Transform> rest_;
  Digits bones_;
  std::array<Vec3, kDigitCount> knuckles_{};  // in the rig wrist's frame
  Hand standard_;
  double length_units_ = 0.0;
  Quat wrist_frame_;
};

// Back of a phalanx in its rig joint's frame: the back of the segment before it, swung along with
// the bone the shortest way, averaged over the samples.
Vec3 RigHandBuilder::carried_back(Digit digit, int phalanx, int before, const Quat& metacarpal) {
  const Bone& b = bone(digit, phalanx);
  Vec3 sum = Vec3::Zero();
  for (const auto& frames : samples_) {
    const Quat frame_before =
        before < 0 ? frames[wrist()].rotation * metacarpal
                   : frames[bone(digit, before).rig_joint].rotation * bone(digit, before).frame;
    const Vec3 from = frame_before * -Vec3::UnitZ();
    const Vec3 to = frames[b.rig_joint].turn(b.vector()).normalized();
    const Vec3 back = Quat::FromTwoVectors(from, to) * (frame_before * Vec3::UnitY());
    sum += (1.01 + from.dot(to)) * (frames[b.rig_joint].rotation.conjugate() * back);
  }
  return sum;
}

// A last bone without an end was taken to go straight on with the rig at rest. Where that bends it
// as no finger bends, rest means nothing: then it is straight where the recording flexes it least.
void RigHandBuilder::straighten_end(Digit digit, int phalanx, int before) {
  Bone& b = bone(digit, phalanx);
  const Bone& p = bone(digit, before);
  const auto relative = [&](const std::vector<Transform>& frames) {
    return ((frames[p.rig_joint].rotation * p.frame).conjugate() * frames[b.rig_joint].rotation)
        .normalized();
  };
  const Quat first = relative(samples_.front());
  double least = 1e9, most_bent = -1e9, aside = 0.0, least_bent = 1e9;
  Quat straightest = first;
  for (const auto& frames : samples_) {
    const Quat rel = relative(frames);
    const double turn = twist_angle(rel * first.conjugate(), -Vec3::UnitX());
    if (turn < least) {
      least = turn;
      straightest = rel;
    }
    const Vec3 d = rel * b.vector().normalized();
    const double flexion = std::atan2(-d.y(), -d.z());
    most_bent = std::max(most_bent, flexion);
    least_bent = std::min(least_bent, flexion);
    aside = std::max(aside, std::abs(d.x()));
  }
  if (least_bent > radians(-35) && most_bent < radians(115) && aside < std::sin(radians(40)))
    return;
  b.end = b.base + b.vector().norm() * (straightest.conjugate() * -Vec3::UnitZ());
  model_.notes_.push_back(fmt::format("{} taken to be straight where it bends least",
                                      xr_joint_names()[xr_joint_of(digit, phalanx)]));
}

// Mean axis of flexion (-X) at the hinges on either end of the phalanx, in its rig joint's frame;
// zero where the recording does not bend it enough to tell.
Vec3 RigHandBuilder::bending_axis(Digit digit, int phalanx, const Vec3& back) {
  const Bone& b = bone(digit, phalanx);
  const Vec3 flexion = b.vector().normalized().cross(-back.normalized());
  Vec3 sum = Vec3::Zero();
  double total = 0.0;
  const auto add = [&](int first, int second) {
    const Bone& p = bone(digit, first);
    const Bone& q = bone(digit, second);
    if (p.rig_joint < 0 || q.rig_joint < 0 || !q.has_end) return;
    for (const auto& frames : samples_) {
      const Vec3 axis = frames[b.rig_joint].rotation.conjugate() *
                        frames[p.rig_joint]
                            .turn(p.vector())
                            .normalized()
                            .cross(frames[q.rig_joint].turn(q.vector()).normalized());
      sum += axis.dot(flexion) < 0.0 ? Vec3(-axis) : axis;
      total += axis.norm();
    }
  };
  // A finger's knuckle is no hinge; everything beyond it is, and of a thumb all but its base.
  const bool thumb = digit == Digit::kThumb;
  if (thumb && phalanx <= 1) add(0, 1);
  if (thumb && phalanx >= 1) add(1, 3);
  if (!thumb && (phalanx == 1 || phalanx == 2)) add(1, 2);
  if (!thumb && phalanx >= 2) add(2, 3);
  const double count = static_cast<double>(samples_.size());
  const bool bends = total > std::sin(radians(12)) * count;
  const bool one_axis = sum.norm() > 0.9 * total;
  const bool agrees = sum.normalized().dot(flexion) > std::cos(radians(55));
  return bends && one_axis && agrees ? sum : Vec3::Zero();
}

void RigHandBuilder::find_digit_axes(Digit digit) {
  if (bone(digit, 1).rig_joint < 0) return;
  const Vec3 base = metacarpal_base(digit);
  Quat metacarpal = bone_frame(knuckles_[static_cast<int>(digit)] - base, standard_back(digit));
  int before = -1;
  for (int phalanx = 0; phalanx < 4; phalanx = phalanx_after(digit, phalanx)) {
    Bone& b = bone(digit, phalanx);
    if (b.rig_joint < 0) continue;
    if (!b.has_end && before >= 0) straighten_end(digit, phalanx, before);
    Vec3 back = carried_back(digit, phalanx, before, metacarpal);
    const Vec3 axis = bending_axis(digit, phalanx, back);
    // -X is the axis of flexion and -Z the bone, so Y = Z x X = bone x axis.
    if (axis.norm() > 0.0) back = b.vector().cross(axis);
    b.frame = bone_frame(b.vector(), back);
    before = phalanx;
  }
}

// A rig whose bones all lie along -Z with their backs near +Y follows OpenXR already: its own axes
// are then exact, where ours are estimates.
void RigHandBuilder::keep_openxr_axes() {
  if (angle_between(wrist_frame_, Quat::Identity()) > radians(20)) return;
  for (const Digit digit : kDigits) {
    for (int phalanx = 0; phalanx < 4; phalanx = phalanx_after(digit, phalanx)) {
      const Bone& b = bone(digit, phalanx);
      if (b.rig_joint < 0) continue;
      // The mark of a fingertip may lie on the skin beside the bone's axis.
      const double allowed = measured_next(digit, phalanx) ? 1e-5 : 0.12;
      const Vec3 direction = b.vector().normalized();
      if (std::hypot(direction.x(), direction.y()) > allowed || direction.z() > 0.0) return;
      if ((b.frame * Vec3::UnitY()).y() < std::cos(radians(35))) return;
    }
  }
  wrist_frame_ = Quat::Identity();
  for (auto& digit : bones_) {
    for (Bone& b : digit) {
      b.frame = Quat::Identity();
      // A segment's length counts along its axis.
      if (b.rig_joint >= 0 &&
          std::abs(b.vector().x()) + std::abs(b.vector().y()) > 1e-4 * length_units_)
        b.end = b.base + Vec3(0.0, 0.0, b.vector().z());
    }
  }
}

Status RigHandBuilder::fill_sizes(HandSize& size) {
  const double unit = model_.metres_per_unit_;
  size.length = length_units_ * unit;
  for (const Digit digit : kDigits) {
    if (bone(digit, 1).rig_joint < 0) continue;
    auto& lengths = size.segment_lengths[static_cast<int>(digit)];
    lengths[0] = (knuckles_[static_cast<int>(digit)] - metacarpal_base(digit)).norm() * unit;
    for (int phalanx = 1; phalanx < 4; phalanx = phalanx_after(digit, phalanx))
      if (bone(digit, phalanx).rig_joint >= 0)
        lengths[phalanx] = bone(digit, phalanx).vector().norm() * unit;
    if (bone(digit, 0).rig_joint >= 0) lengths[0] = bone(digit, 0).vector().norm() * unit;
  }
  if (bone(Digit::kIndex, 1).rig_joint >= 0 && bone(Digit::kLittle, 1).rig_joint >= 0) {
    const double standard =
        (standard_knuckle(Digit::kIndex) - standard_knuckle(Digit::kLittle)).norm();
    const double ratio = across_palm().norm() / (standard * length_units_);
    size.breadth = std::clamp(0.44 * ratio, 0.31, 0.64) * size.length;
  }
  return {};
}

// The standard hand's straight fingers stay the rest, about which joint limits are given, on the
// rig's own joint centres.
void RigHandBuilder::place_digit(Digit digit, Hand& hand) {
  const double unit = model_.metres_per_unit_;
  const auto segment_of = [&](int phalanx) {
    return hand.xr_segments[xr_joint_of(digit, phalanx)];
  };
  Segment& metacarpal = hand.segments[segment_of(0)];
  Segment& proximal = hand.segments[segment_of(1)];
  const Quat straight = metacarpal.rest_parent.rotation * proximal.rest_parent.rotation;
  const Quat to_wrist = wrist_frame_.conjugate();
  const Vec3 base = metacarpal_base(digit);
  const Vec3 knuckle = knuckles_[static_cast<int>(digit)];
  metacarpal.rest_parent.position = to_wrist * base * unit;
  if (digit != Digit::kThumb || bone(digit, 0).rig_joint < 0) {
    metacarpal.rest_parent.rotation = to_wrist * bone_frame(knuckle - base, standard_back(digit));
    proximal.rest_parent.rotation = metacarpal.rest_parent.rotation.conjugate() * straight;
  }
  for (int phalanx = 0; phalanx < 4; phalanx = phalanx_after(digit, phalanx)) {
    const Bone& b = bone(digit, phalanx);
    auto& link = model_.links_[segment_of(phalanx)];
    link.rig_joint = b.rig_joint;
    link.segment_rotation_rig = b.frame;
    const double length =
        phalanx == 0 ? (knuckle - base).norm() : standard_length(digit, phalanx) * length_units_;
    const Vec3 along =
        b.rig_joint >= 0 ? b.frame.conjugate() * b.vector() : Vec3(0.0, 0.0, -length);
    const int next = phalanx_after(digit, phalanx);
    if (next < 4) hand.segments[segment_of(next)].rest_parent.position = along * unit;
    if (mapped().joints[xr_joint_of(digit, phalanx)].size() > 1 && next < 4)
      link.aim_rig_joint = bone(digit, next).rig_joint;
  }
}

Result<RigHandModel> RigHandBuilder::assemble() {
  HandOptions options{.profile = HandProfile::kBall, .side = mapped().side};
  if (const Status s = fill_sizes(options.size); !s) return s.error();
  auto built = build_hand(options);
  if (!built) return Error{fmt::format("{}: {}", name_, built.message())};
  Hand hand = std::move(*built);
  model_.links_.resize(hand.segments.size());
  model_.links_[hand.wrist()] = {wrist(), wrist_frame_, -1};
  for (const Digit digit : kDigits)
    if (bone(digit, 1).rig_joint >= 0) place_digit(digit, hand);
  hand.length = length_units_ * model_.metres_per_unit_;
  model_.hand_ = std::make_shared<const Hand>(std::move(hand));
  return std::move(model_);
}

Result<RigHandModel> RigHandModel::build(const RigMotion& motion, RigHand mapped,
                                         double metres_per_unit, UpAxis up,
                                         const std::string& name) {
  return RigHandBuilder(motion, std::move(mapped), metres_per_unit, up, name).build();
}

Transform RigHandModel::to_world(const Transform& frame_rig) const {
  return {up_ * frame_rig.rotation, up_ * frame_rig.position * metres_per_unit_};
}

HandPose RigHandModel::pose(std::span<const Transform> frames_rig) const {
  HandPose pose = rest_pose(*hand_);
  std::vector<Transform> frames(hand_->segments.size());
  for (std::size_t s = 0; s < frames.size(); ++s) {
    const Segment& segment = hand_->segments[s];
    const Link& link = links_[s];
    Quat rotation = Quat::Identity();
    if (link.rig_joint >= 0) {
      const Transform carrier = to_world(frames_rig[link.rig_joint]);
      rotation = carrier.rotation * link.segment_rotation_rig;
      if (segment.parent < 0) frames[s].position = carrier.position;
    }
    if (segment.parent >= 0) {
      const Transform& parent = frames[segment.parent];
      frames[s].position = parent * segment.rest_parent.position;
      if (link.rig_joint < 0) rotation = parent.rotation * segment.rest_parent.rotation;
    }
    if (link.aim_rig_joint >= 0) {
      const Vec3 target = to_world(frames_rig[link.aim_rig_joint]).position;
      rotation =
          Quat::FromTwoVectors(rotation * -Vec3::UnitZ(), target - frames[s].position) * rotation;
    }
    frames[s].rotation = rotation.normalized();
    if (segment.parent < 0) {
      pose.root_world = frames[s];
      pose.rotations[s] = Quat::Identity();
    } else {
      pose.rotations[s] = (frames[segment.parent].rotation.conjugate() * rotation).normalized();
    }
  }
  return pose;
}

double RigHandModel::residual(std::span<const Transform> frames_rig) const {
  const auto frames = segment_frames(*hand_, pose(frames_rig));
  double worst = 0.0;
  for (std::size_t s = 0; s < frames.size(); ++s) {
    const Link& link = links_[s];
    if (link.rig_joint < 0 || link.aim_rig_joint >= 0) continue;
    worst = std::max(worst,
                     (frames[s].position - to_world(frames_rig[link.rig_joint]).position).norm());
  }
  return worst;
}

}  // namespace prehend::io
