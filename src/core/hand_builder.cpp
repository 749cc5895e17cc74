#include "prehend/core/hand_builder.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/hand_tables.h"
#include "prehend/core/hand_pose.h"

namespace prehend {

namespace {

using hand_tables::DigitTable;
using hand_tables::HingeRange;

constexpr const char* kPhalanxNames[4] = {"metacarpal", "proximal", "intermediate", "distal"};

// Frame whose -Z is `direction` and whose +Y comes nearest to `back`.
Quat bone_frame(const Vec3& direction, const Vec3& back) {
  const Vec3 z = -direction.normalized();
  const Vec3 x = back.cross(z).normalized();
  Mat3 m;
  m << x, z.cross(x), z;
  return Quat(m).normalized();
}

Joint hinge(const std::string& segment, const HingeRange& range, const Vec3& axis,
            const hand_tables::HingeStrength& strength) {
  Joint joint;
  joint.name = segment + "-" + range.name;
  joint.axis = axis;
  joint.lower.setConstant(radians(range.lower_deg));
  joint.upper.setConstant(radians(range.upper_deg));
  joint.max_torque = strength.max_torque;
  joint.passive_stiffness = strength.passive_stiffness;
  joint.damping = strength.damping;
  return joint;
}

// Flexion turns about -X and deviation towards the thumb about +Y (right hand); the thumb's
// pronation, which turns its pulp towards the fingers, about +Z.
const Vec3 kFlexionAxis = -Vec3::UnitX();
const Vec3 kDeviationAxis = Vec3::UnitY();
const Vec3 kPronationAxis = Vec3::UnitZ();

std::vector<Joint> thumb_hinges(const std::string& name, int phalanx) {
  const auto& strength = hand_tables::kThumbStrength[phalanx];
  switch (phalanx) {
    case 0:
      return {hinge(name, {"abduction", -25, 40}, kDeviationAxis, strength),
              hinge(name, {"flexion", -30, 35}, kFlexionAxis, strength),
              hinge(name, {"pronation", -15, 35}, kPronationAxis, strength)};
    case 1:
      return {hinge(name, {"flexion", -10, 55}, kFlexionAxis, strength),
              hinge(name, {"deviation", -10, 10}, kDeviationAxis, strength)};
    default:
      return {hinge(name, {"flexion", -20, 80}, kFlexionAxis, strength)};
  }
}

std::vector<Joint> finger_hinges(const std::string& name, Digit digit, int phalanx) {
  const auto& strength = hand_tables::kStrength[phalanx];
  if (phalanx == 0) {
    // The index and middle metacarpals hardly move; the ring's and the little finger's cup the
    // palm.
    const double flexion = digit == Digit::kLittle ? 25 : digit == Digit::kRing ? 12 : 3;
    const double deviation = digit == Digit::kLittle ? 4 : digit == Digit::kRing ? 2 : 1;
    return {hinge(name, {"flexion", -2, flexion}, kFlexionAxis, strength),
            hinge(name, {"deviation", -deviation, deviation}, kDeviationAxis, strength)};
  }
  if (phalanx == 1) {
    const double ulnar = digit == Digit::kLittle ? -25 : -20;
    return {hinge(name, {"flexion", -25, 90}, kFlexionAxis, strength),
            hinge(name, {"deviation", ulnar, 20}, kDeviationAxis, strength)};
  }
  if (phalanx == 2) return {hinge(name, {"flexion", 0, 105}, kFlexionAxis, strength)};
  return {hinge(name, {"flexion", -5, 80}, kFlexionAxis, strength)};
}

// One ball joint whose exponential map may take what the hinges may, with a little twist of the
// tissue.
Joint ball_from_hinges(const std::string& segment, const std::vector<Joint>& hinges) {
  // How far tissue gives way about an axis that has no hinge, rad (docs/hand.md, "Ranges").
  constexpr double kTissue = radians(5);
  Joint ball;
  ball.name = segment + "-ball";
  ball.type = JointType::kBall;
  ball.lower.setConstant(-kTissue);
  ball.upper.setConstant(kTissue);
  for (const Joint& h : hinges) {
    for (int k = 0; k < 3; ++k) {
      if (h.axis[k] == 0.0) continue;
      const double a = h.axis[k] * h.lower[0], b = h.axis[k] * h.upper[0];
      ball.lower[k] = std::min(ball.lower[k], std::min(a, b));
      ball.upper[k] = std::max(ball.upper[k], std::max(a, b));
    }
    ball.max_torque = std::max(ball.max_torque, h.max_torque);
    ball.passive_stiffness = std::max(ball.passive_stiffness, h.passive_stiffness);
    ball.damping = std::max(ball.damping, h.damping);
  }
  return ball;
}

void set_mass(Segment& segment, double density) {
  segment.mass = 0.0;
  Vec3 moment = Vec3::Zero();
  for (const Capsule& capsule : segment.capsules) {
    const CapsuleMass part = capsule_mass(capsule, density);
    segment.mass += part.mass;
    moment += part.mass * part.center;
  }
  if (segment.mass <= 0.0) return;
  segment.center_of_mass = moment / segment.mass;
  segment.inertia.setZero();
  for (const Capsule& capsule : segment.capsules) {
    const CapsuleMass part = capsule_mass(capsule, density);
    const Mat3 cross = cross_matrix(part.center - segment.center_of_mass);
    segment.inertia += part.inertia - part.mass * cross * cross;
  }
}

// Builds a right hand; a left one is its mirror image.
class Builder {
 public:
  explicit Builder(const HandOptions& options)
      : options_(options),
        length_(options.size.length),
        widen_(options.size.breadth > 0.0
                   ? options.size.breadth / (hand_tables::kDefaultBreadth * length_)
                   : 1.0) {}

  Hand build() {
    hand_.profile = to_string(options_.profile);
    hand_.side = Side::kRight;
    hand_.xr_segments.fill(-1);
    if (options_.profile == HandProfile::kArm) add_arm();
    add_wrist();
    for (Digit digit : kDigits) add_digit(digit);
    finish();
    return std::move(hand_);
  }

 private:
  int add(Segment segment) {
    set_mass(segment, hand_tables::kDensity);
    hand_.segments.push_back(std::move(segment));
    return hand_.segment_count() - 1;
  }

  void add_arm();
  void add_wrist();
  void add_digit(Digit digit);
  std::vector<Capsule> phalanx_capsules(Digit digit, int phalanx, double bone) const;
  std::vector<Joint> joints_of(const std::string& name, Digit digit, int phalanx) const;
  void add_pad(Digit digit, int segment, double bone);
  double bone_length(Digit digit, int phalanx, double standard) const {
    return options_.size.segment_lengths[static_cast<int>(digit)][phalanx].value_or(standard *
                                                                                    length_);
  }
  Vec3 scaled(const Vec3& fraction) const {
    return {fraction.x() * length_ * widen_, fraction.y() * length_, fraction.z() * length_};
  }
  void finish();

  HandOptions options_;
  double length_;
  double widen_;
  int wrist_ = 0;
  Hand hand_;
};

void Builder::add_arm() {
  // N m, N m / rad, N m s / rad. Chosen as the order of what a grown person's shoulder and elbow
  // give, so that the arm is never what limits a hand; no source was kept.
  constexpr hand_tables::HingeStrength kArmStrength = {60.0, 1.0, 0.5};
  // Bones over the hand's length: 0.33 m and 0.27 m at 0.19 m. Chosen, no source was kept.
  const double upper_arm = 1.72 * length_, forearm = 1.43 * length_;
  const auto limb = [&](const char* name, int parent, const Vec3& at, double bone, double radius) {
    Segment segment;
    segment.name = name;
    segment.parent = parent;
    segment.rest_parent.position = at;
    segment.capsules = {{Vec3::Zero(), {0.0, 0.0, -bone}, radius * length_}};
    return segment;
  };
  Segment shoulder = limb("shoulder", -1, Vec3::Zero(), 0.0, 0.25);
  add(std::move(shoulder));
  Segment clavicle = limb("clavicle", 0, Vec3::Zero(), 0.1 * length_, 0.20);
  clavicle.joints = {hinge("clavicle", {"elevation", -10, 30}, -kFlexionAxis, kArmStrength)};
  const int clavicle_index = add(std::move(clavicle));
  Segment upper = limb("upper-arm", clavicle_index, {0.0, 0.0, -0.5 * length_}, upper_arm, 0.22);
  // Zero is the arm stretched forward: it hangs at -90 degrees and goes back by 50 from there.
  upper.joints = {hinge("upper-arm", {"flexion", -140, 90}, -kFlexionAxis, kArmStrength),
                  hinge("upper-arm", {"abduction", -40, 120}, -kDeviationAxis, kArmStrength),
                  hinge("upper-arm", {"rotation", -90, 90}, kPronationAxis, kArmStrength)};
  const int upper_index = add(std::move(upper));
  Segment lower = limb("forearm", upper_index, {0.0, 0.0, -upper_arm}, forearm, 0.16);
  lower.joints = {hinge("forearm", {"flexion", 0, 145}, -kFlexionAxis, kArmStrength),
                  hinge("forearm", {"pronation", -85, 85}, kPronationAxis, kArmStrength)};
  add(std::move(lower));
}

void Builder::add_wrist() {
  Segment wrist;
  wrist.name = "wrist";
  wrist.parent = hand_.segment_count() - 1;
  if (wrist.parent >= 0) {
    // The same three units. Chosen between the arm's strength and the fingers'; no source was kept.
    constexpr hand_tables::HingeStrength kWristStrength = {10.0, 0.5, 0.1};
    wrist.rest_parent.position = {0.0, 0.0, -1.43 * length_};
    wrist.joints = {hinge("wrist", {"flexion", -70, 80}, kFlexionAxis, kWristStrength),
                    hinge("wrist", {"deviation", -30, 20}, kDeviationAxis, kWristStrength)};
  }
  // The carpus: two short capsules side by side.
  wrist.capsules = {
      {scaled({-0.055, -0.02, -0.02}), scaled({-0.055, -0.03, -0.13}), 0.082 * length_},
      {scaled({0.060, -0.02, -0.02}), scaled({0.055, -0.03, -0.12}), 0.078 * length_}};
  wrist_ = add(std::move(wrist));
  hand_.xr_segments[0] = wrist_;
}

std::vector<Capsule> Builder::phalanx_capsules(Digit digit, int phalanx, double bone) const {
  const DigitTable& table = hand_tables::digits()[static_cast<int>(digit)];
  const double r = table.radius[phalanx] * length_;
  // Flesh lies on the palm's side of the bone.
  const double down = (phalanx == 0 ? 0.021 : 0.006) * length_;
  if (phalanx == 3) {
    // The tip of the capsule is the tip of the digit.
    return {{{0.0, -down, 0.0}, {0.0, -down, -std::max(bone - r, 0.1 * bone)}, r}};
  }
  std::vector<Capsule> capsules = {{{0.0, -down, 0.0}, {0.0, -down, -bone}, r}};
  if (phalanx == 0 && digit == Digit::kThumb) {
    // The thenar eminence, on the pulp's side of the metacarpal.
    capsules = {{{0.0, -0.4 * r, -0.15 * bone}, {0.0, -0.25 * r, -0.65 * bone}, 1.15 * r},
                {{0.0, -down, -0.65 * bone}, {0.0, -down, -bone}, 0.9 * r}};
  } else if (phalanx == 0 && digit == Digit::kLittle) {
    // The hypothenar eminence.
    capsules.push_back(
        {{0.15 * r, -0.75 * r, -0.05 * bone}, {0.0, -0.55 * r, -0.75 * bone}, 0.8 * r});
  }
  return capsules;
}

std::vector<Joint> Builder::joints_of(const std::string& name, Digit digit, int phalanx) const {
  std::vector<Joint> hinges =
      digit == Digit::kThumb ? thumb_hinges(name, phalanx) : finger_hinges(name, digit, phalanx);
  if (options_.profile == HandProfile::kBall) return {ball_from_hinges(name, hinges)};
  if (options_.profile == HandProfile::kArm && phalanx == 0) {
    // 27 of the 30: the index metacarpal is fixed and the middle one only flexes.
    if (digit == Digit::kIndex) hinges.clear();
    if (digit == Digit::kMiddle) hinges.pop_back();
  }
  return hinges;
}

void Builder::add_digit(Digit digit) {
  const int d = static_cast<int>(digit);
  const DigitTable& table = hand_tables::digits()[d];
  const Vec3 base = scaled(table.base);
  Vec3 metacarpal;        // base to knuckle, wrist frame
  Quat metacarpal_wrist;  // its frame
  Quat finger_wrist;      // the straight finger's frame
  if (digit == Digit::kThumb) {
    metacarpal = bone_length(digit, 0, table.phalanx[0]) * table.knuckle_direction.normalized();
    metacarpal_wrist = finger_wrist = bone_frame(metacarpal, hand_tables::thumb_back());
  } else {
    Vec3 knuckle = table.knuckle_distance * length_ * table.knuckle_direction.normalized();
    knuckle.x() *= widen_;
    metacarpal = knuckle - base;
    if (const auto given = options_.size.segment_lengths[d][0]) {
      metacarpal *= *given / metacarpal.norm();
    }
    const Vec3 back(std::sin(table.roll), std::cos(table.roll), 0.0);
    metacarpal_wrist = bone_frame(metacarpal, back);
    finger_wrist = bone_frame({std::sin(table.fan), 0.0, -std::cos(table.fan)}, back);
  }
  int parent = wrist_;
  Transform rest{metacarpal_wrist, base};
  for (int phalanx = 0; phalanx < 4; ++phalanx) {
    if (digit == Digit::kThumb && phalanx == 2) continue;
    const double bone =
        phalanx == 0 ? metacarpal.norm() : bone_length(digit, phalanx, table.phalanx[phalanx]);
    Segment segment;
    segment.name = fmt::format("{}-{}", to_string(digit), kPhalanxNames[phalanx]);
    segment.parent = parent;
    segment.rest_parent = rest;
    segment.digit = digit;
    segment.phalanx = phalanx;
    segment.joints = joints_of(segment.name, digit, phalanx);
    segment.capsules = phalanx_capsules(digit, phalanx, bone);
    parent = add(std::move(segment));
    const auto& names = xr_joint_names();
    const auto xr = std::find(names.begin(), names.end(), hand_.segments[parent].name);
    hand_.xr_segments[xr - names.begin()] = parent;
    rest = {Quat::Identity(), {0.0, 0.0, -bone}};
    if (phalanx == 0) rest.rotation = metacarpal_wrist.conjugate() * finger_wrist;
    if (phalanx == 3) add_pad(digit, parent, bone);
  }
}

void Builder::add_pad(Digit digit, int segment, double bone) {
  const Capsule& capsule = hand_.segments[segment].capsules[0];
  FingerPad& pad = hand_.pads[static_cast<int>(digit)];
  pad.segment = segment;
  pad.point = {0.0, capsule.a.y() - capsule.radius, -0.62 * bone};
  pad.tip = {0.0, capsule.a.y(), -bone};
  hand_.xr_segments[xr_tip_of(digit)] = segment;
}

void Builder::finish() {
  // Neighbors in the palm and the webs between the fingers overlap by construction, as do the
  // thumb's ball and the metacarpals under it, and the forearm's round end with the palm.
  const auto palm = [&](const Segment& s) { return s.phalanx == 0 || s.name == "wrist"; };
  const auto next_to = [](const Segment& a, const Segment& b) {
    return std::abs(static_cast<int>(a.digit) - static_cast<int>(b.digit)) <= 1 &&
           a.digit != Digit::kThumb && b.digit != Digit::kThumb;
  };
  for (int a = 0; a < hand_.segment_count(); ++a) {
    for (int b = a + 1; b < hand_.segment_count(); ++b) {
      const Segment& first = hand_.segments[a];
      const Segment& second = hand_.segments[b];
      const bool arm =
          (first.phalanx < 0 && second.phalanx < 0) || (first.name == "forearm" && palm(second));
      const bool knuckles = first.phalanx >= 0 && second.phalanx >= 0 &&
                            first.phalanx + second.phalanx <= 2 && next_to(first, second);
      if (arm || (palm(first) && palm(second)) || knuckles) hand_.overlapping.emplace_back(a, b);
    }
  }
  const auto frames = xr_frames(hand_, rest_pose(hand_));
  hand_.length = (frames[xr_tip_of(Digit::kMiddle)].position - frames[0].position).norm();
  const auto reach = [&](Digit digit, double sign) {
    const int segment = hand_.xr_segments[5 * static_cast<int>(digit) + 1];
    const Transform& knuckle = frames[5 * static_cast<int>(digit) + 1];
    return sign * (frames[0].inverse() * knuckle.position).x() +
           hand_.segments[hand_.segments[segment].parent].capsules[0].radius;
  };
  hand_.breadth = reach(Digit::kIndex, -1.0) + reach(Digit::kLittle, 1.0);
}

Status check(const HandSize& size) {
  if (!(size.length >= 0.05 && size.length <= 0.30)) {
    return Error{fmt::format(
        "a hand length of {:g} m is not human; give 0.05 to 0.30 m (wrist to middle fingertip)",
        size.length)};
  }
  const double breadth = size.breadth / size.length;
  if (size.breadth != 0.0 && !(breadth >= 0.3 && breadth <= 0.65)) {
    return Error{
        fmt::format("a breadth of {:g} m does not fit a hand {:g} m long; give {:.3f} to {:.3f} m",
                    size.breadth, size.length, 0.3 * size.length, 0.65 * size.length)};
  }
  for (Digit digit : kDigits) {
    for (int phalanx = 0; phalanx < 4; ++phalanx) {
      const auto given = size.segment_lengths[static_cast<int>(digit)][phalanx];
      if (given && !(*given >= 0.02 * size.length && *given <= 0.7 * size.length)) {
        return Error{fmt::format("{} {} of {:g} m does not fit a hand {:g} m long",
                                 to_string(digit), kPhalanxNames[phalanx], *given, size.length)};
      }
    }
  }
  return {};
}

}  // namespace

const char* to_string(HandProfile profile) {
  switch (profile) {
    case HandProfile::kBall:
      return "ball";
    case HandProfile::kAnatomical:
      return "anatomical";
    case HandProfile::kArm:
      return "arm";
  }
  return "unknown";
}

Result<Hand> build_hand(const HandOptions& options) {
  if (Status status = check(options.size); !status) return status.error();
  Hand hand = Builder(options).build();
  if (options.side == Side::kLeft) hand = mirrored(hand);
  hand.name = options.name.empty() ? to_string(options.side) : options.name;
  return hand;
}

Hand mirrored(const Hand& hand) {
  Hand other = hand;
  other.side = hand.side == Side::kLeft ? Side::kRight : Side::kLeft;
  if (hand.name == to_string(hand.side)) other.name = to_string(other.side);
  const Mat3 flip = Vec3(-1.0, 1.0, 1.0).asDiagonal();
  for (Segment& segment : other.segments) {
    segment.rest_parent = mirror_x(segment.rest_parent);
    segment.center_of_mass = mirror_x(segment.center_of_mass);
    segment.inertia = flip * segment.inertia * flip;
    for (Capsule& capsule : segment.capsules) {
      capsule.a = mirror_x(capsule.a);
      capsule.b = mirror_x(capsule.b);
    }
    for (Joint& joint : segment.joints) {
      // A rotation vector is an axial vector: its image keeps x and turns y and z around.
      joint.axis = -mirror_x(joint.axis);
      if (joint.type == JointType::kBall) {
        for (int k = 1; k < 3; ++k) {
          const double lower = joint.lower[k];
          joint.lower[k] = -joint.upper[k];
          joint.upper[k] = -lower;
        }
      }
    }
  }
  for (FingerPad& pad : other.pads) {
    pad.point = mirror_x(pad.point);
    pad.normal = mirror_x(pad.normal);
    pad.nail_normal = mirror_x(pad.nail_normal);
    pad.tip = mirror_x(pad.tip);
  }
  return other;
}

}  // namespace prehend
