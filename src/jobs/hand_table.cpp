#include "jobs/hand_table.h"

#include <algorithm>

#include <fmt/format.h>

namespace prehend::jobs {
namespace {

// From the segment's joint to the next one of its digit, or to the fingertip.
double segment_length(const Hand& hand, int segment) {
  for (const Segment& other : hand.segments)
    if (other.parent == segment && other.digit == hand.segments[segment].digit)
      return other.rest_parent.position.norm();
  for (const FingerPad& pad : hand.pads)
    if (pad.segment == segment) return pad.tip.norm();
  return 0.0;
}

// A joint's own part of its name: "index-proximal-flexion" of segment "index-proximal" is
// "flexion".
std::string short_name(const Joint& joint, const Segment& segment) {
  if (joint.name.starts_with(segment.name + "-")) return joint.name.substr(segment.name.size() + 1);
  return joint.name;
}

std::string joint_text(const Joint& joint, const Segment& segment) {
  if (joint.type == JointType::kHinge)
    return fmt::format("{} {:.0f}..{:.0f}", short_name(joint, segment), degrees(joint.lower[0]),
                       degrees(joint.upper[0]));
  std::string text = "ball";
  for (int i = 0; i < 3; ++i)
    text += fmt::format(" {} {:.0f}..{:.0f}", "xyz"[i], degrees(joint.lower[i]),
                        degrees(joint.upper[i]));
  return text;
}

io::Value numbers(const Vec3& v) { return io::Value(v); }

io::Value joint_value(const Joint& joint) {
  io::Value value = io::Value::table();
  value["name"] = joint.name;
  value["type"] = joint.type == JointType::kBall ? "ball" : "hinge";
  if (joint.type == JointType::kHinge) {
    value["axis"] = numbers(joint.axis);
    value["lower_rad"] = joint.lower[0];
    value["upper_rad"] = joint.upper[0];
  } else {
    value["lower_rad"] = numbers(joint.lower);
    value["upper_rad"] = numbers(joint.upper);
  }
  value["max_torque_nm"] = joint.max_torque;
  value["passive_stiffness_nm_per_rad"] = joint.passive_stiffness;
  value["damping_nms_per_rad"] = joint.damping;
  return value;
}

io::Value segment_value(const Hand& hand, int index) {
  const Segment& segment = hand.segments[index];
  io::Value value = io::Value::table();
  value["name"] = segment.name;
  value["parent"] =
      segment.parent < 0 ? io::Value() : io::Value(hand.segments[segment.parent].name);
  const Quat& q = segment.rest_parent.rotation;
  value["rest_position_m"] = numbers(segment.rest_parent.position);
  value["rest_rotation_wxyz"] = std::vector<double>{q.w(), q.x(), q.y(), q.z()};
  value["length_m"] = segment_length(hand, index);
  value["mass_kg"] = segment.mass;
  value["center_of_mass_m"] = numbers(segment.center_of_mass);
  value["joints"] = io::Value::array();
  for (const Joint& joint : segment.joints) value["joints"].push_back(joint_value(joint));
  value["capsules"] = io::Value::array();
  for (const Capsule& capsule : segment.capsules) {
    io::Value shape = io::Value::table();
    shape["a_m"] = numbers(capsule.a);
    shape["b_m"] = numbers(capsule.b);
    shape["radius_m"] = capsule.radius;
    value["capsules"].push_back(std::move(shape));
  }
  return value;
}

}  // namespace

std::string hand_text(const Hand& hand) {
  std::string text = fmt::format(
      "{} hand, {}: {} degrees of freedom, {:.0f} mm long, {:.0f} mm broad, {:.0f} g\n\n",
      to_string(hand.side), hand.profile, hand.dof(), 1e3 * hand.length, 1e3 * hand.breadth,
      1e3 * hand.mass());
  std::size_t width = 8;
  for (const Segment& segment : hand.segments) width = std::max(width, segment.name.size());
  text += fmt::format("{:<{}}  DOF   length     mass  joints, degrees\n", "segment", width);
  for (int s = 0; s < hand.segment_count(); ++s) {
    const Segment& segment = hand.segments[s];
    const double length = segment_length(hand, s);
    std::string joints;
    for (const Joint& joint : segment.joints)
      joints += (joints.empty() ? "" : ", ") + joint_text(joint, segment);
    text += fmt::format("{:<{}}  {:>3}  {:>7}  {:>7}  {}\n", segment.name, width, segment.dof(),
                        length > 0.0 ? fmt::format("{:.1f} mm", 1e3 * length) : "",
                        fmt::format("{:.1f} g", 1e3 * segment.mass), joints);
  }
  text.pop_back();
  return text;
}

io::Value hand_value(const Hand& hand) {
  io::Value value = io::Value::table();
  value["name"] = hand.name;
  value["side"] = to_string(hand.side);
  value["profile"] = hand.profile;
  value["length_m"] = hand.length;
  value["breadth_m"] = hand.breadth;
  value["dof"] = hand.dof();
  value["mass_kg"] = hand.mass();
  value["segments"] = io::Value::array();
  for (int s = 0; s < hand.segment_count(); ++s)
    value["segments"].push_back(segment_value(hand, s));
  return value;
}

}  // namespace prehend::jobs
