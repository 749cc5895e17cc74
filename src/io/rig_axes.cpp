#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "io/rig_hand_builder.h"

namespace prehend::io {

void RigHandBuilder::find_wrist_axes() {
  const Vec3 back_if_right = along_palm().cross(across_palm());
  wrist_frame_ = bone_frame(along_palm(),
                            mapped().side == Side::kRight ? back_if_right : Vec3(-back_if_right));
}

// Directions of the standard hand, in the rig wrist's frame.
Vec3 RigHandBuilder::standard_back(Digit digit) const {
  const int segment = standard_.xr_segments[xr_joint_of(digit, 0)];
  return wrist_frame_ * (standard_.segments[segment].rest_parent.rotation * Vec3::UnitY());
}

Vec3 RigHandBuilder::metacarpal_base(Digit digit) {
  const Bone& metacarpal = bone(digit, 0);
  if (metacarpal.base_wrist) return *metacarpal.base_wrist;
  if (metacarpal.rig_joint >= 0) return mean_in(metacarpal.rig_joint, wrist(), metacarpal.base);
  const int segment = standard_.xr_segments[xr_joint_of(digit, 0)];
  const Vec3 base = standard_.segments[segment].rest_parent.position / standard_.length;
  if (digit == Digit::kThumb) return wrist_frame_ * base * length_units_;
  return knuckles_[static_cast<int>(digit)] * (base.norm() / standard_knuckle(digit).norm());
}

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
  const double unit = model_.meters_per_unit_;
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
// rig's own joint centers.
void RigHandBuilder::place_digit(Digit digit, Hand& hand) {
  const double unit = model_.meters_per_unit_;
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

// Up at rest: from the hips to the head, where the rig has them, since skeletons that stand along Y
// are often moved in a world whose Z is up. Else the world's.
Vec3 RigHandBuilder::rest_up() const {
  const auto named = [&](std::initializer_list<const char*> words) {
    for (std::size_t i = 0; i < rest_.size(); ++i) {
      std::string name = motion_.rig->names[i];
      std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) {
        return static_cast<char>(c < 128 ? std::tolower(c) : c);
      });
      for (const char* word : words)
        if (name.find(word) != std::string::npos) return static_cast<int>(i);
    }
    return -1;
  };
  const int head = named({"head", "neck"}), hips = named({"hips", "pelvis"});
  const Vec3 world = model_.up_.conjugate() * Vec3::UnitY();
  if (head < 0 || hips < 0) return world;
  const Vec3 trunk = rest_[head].position - rest_[hips].position;
  if (trunk.norm() < 1e-9) return world;
  Eigen::Index axis = 0;
  trunk.cwiseAbs().maxCoeff(&axis);
  if (std::abs(trunk[axis]) < 0.8 * trunk.norm()) return trunk.normalized();
  return Vec3::Unit(axis) * (trunk[axis] < 0.0 ? -1.0 : 1.0);
}

// A body recorded without fingers has wrists all the same. Rest shows how they are turned: arms
// stretched out with the palms down, or hanging with the palms at the thighs. The forearm tells the
// size.
Result<RigHandModel> RigHandBuilder::build_bare() {
  const int elbow = motion_.rig->parents[wrist()];
  const Vec3 forearm =
      elbow < 0 ? Vec3::Zero() : Vec3(rest_[wrist()].position - rest_[elbow].position);
  constexpr double kForearm = 1.43;  // of a hand's length
  length_units_ = forearm.norm() / kForearm;
  double& unit = model_.meters_per_unit_;
  if (unit == 0.0) unit = guess_unit(length_units_);
  if (!(length_units_ * unit >= 0.05 && length_units_ * unit <= 0.30)) {
    return Error{fmt::format("{}: joint \"{}\" has no fingers, and no forearm of human size", name_,
                             motion_.rig->names[wrist()])};
  }
  const Vec3 up = rest_up();
  const Vec3 outwards = rest_[wrist()].position - rest_[0].position;
  const bool hangs = std::abs(forearm.normalized().dot(up)) > std::cos(radians(30));
  const Vec3 back = hangs ? Vec3(outwards - outwards.dot(up) * up) : up;
  wrist_frame_ = rest_[wrist()].rotation.conjugate() * bone_frame(forearm, back);
  auto hand = build_hand({.profile = HandProfile::kBall,
                          .side = mapped().side,
                          .size = {.length = length_units_ * unit}});
  if (!hand) return Error{fmt::format("{}: {}", name_, hand.message())};
  for (int xr = 1; xr < kXrJointCount; ++xr) model_.mapped_.joints[xr].clear();
  model_.links_.resize(hand->segments.size());
  model_.links_[hand->wrist()] = {wrist(), wrist_frame_, -1};
  model_.hand_ = std::make_shared<const Hand>(std::move(*hand));
  model_.notes_.push_back("no fingers: a hand at rest, sized by the forearm, follows the wrist");
  return std::move(model_);
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
  hand.length = length_units_ * model_.meters_per_unit_;
  model_.hand_ = std::make_shared<const Hand>(std::move(hand));
  return std::move(model_);
}

}  // namespace prehend::io
