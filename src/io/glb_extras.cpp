#include "io/glb_extras.h"

#include <cmath>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace prehend::io {
namespace {

using nlohmann::json;

// Broken extras end up in one message; within this file they are exceptions, as json's own are.
[[noreturn]] void fail(const std::string& what) { throw std::invalid_argument(what); }

template <int Rows, int Columns>
json numbers(const Eigen::Matrix<double, Rows, Columns>& m) {
  json list = json::array();
  for (int i = 0; i < m.size(); ++i) list.push_back(m.data()[i]);
  return list;
}
json numbers(const Quat& q) { return {q.w(), q.x(), q.y(), q.z()}; }
json numbers(const Transform& t) {
  return {{"rotation", numbers(t.rotation)}, {"position", numbers(t.position)}};
}

double number(const json& j) {
  const double value = j.get<double>();
  if (!std::isfinite(value)) fail("a number is not finite");
  return value;
}

template <typename Matrix>
Matrix matrix(const json& j) {
  Matrix m;
  if (!j.is_array() || j.size() != static_cast<std::size_t>(m.size()))
    fail(fmt::format("{} numbers are needed", m.size()));
  for (int i = 0; i < m.size(); ++i) m.data()[i] = number(j[i]);
  return m;
}
Vec3 vec3(const json& j) { return matrix<Vec3>(j); }

Transform transform(const json& j) {
  const auto q = matrix<Eigen::Vector4d>(j.at("rotation"));
  if (std::abs(q.norm() - 1.0) > 1e-3) fail("a rotation is no unit quaternion");
  return {Quat(q[0], q[1], q[2], q[3]).normalized(), vec3(j.at("position"))};
}

// tinygltf writes an empty list as null.
const json& list(const json& j, const char* key) {
  static const json empty = json::array();
  const json& found = j.at(key);
  if (found.is_null()) return empty;
  if (!found.is_array()) fail(fmt::format("{} is not a list", key));
  return found;
}

int index(const json& j, int from, int to) {
  const int value = j.get<int>();
  if (value < from || value >= to) fail(fmt::format("index {} is out of range", value));
  return value;
}

double positive_or_zero(const json& j) {
  const double value = number(j);
  if (value < 0.0) fail("a size or a mass is negative");
  return value;
}

json to_json(const Joint& joint) {
  return {{"name", joint.name},
          {"type", joint.type == JointType::kBall ? "ball" : "hinge"},
          {"axis", numbers(joint.axis)},
          {"lower", numbers(joint.lower)},
          {"upper", numbers(joint.upper)},
          {"max_torque", joint.max_torque},
          {"passive_stiffness", joint.passive_stiffness},
          {"damping", joint.damping}};
}

Joint joint_from(const json& j) {
  Joint joint;
  joint.name = j.at("name").get<std::string>();
  joint.type = j.at("type") == "ball" ? JointType::kBall : JointType::kHinge;
  joint.axis = vec3(j.at("axis"));
  joint.lower = vec3(j.at("lower"));
  joint.upper = vec3(j.at("upper"));
  joint.max_torque = number(j.at("max_torque"));
  joint.passive_stiffness = number(j.at("passive_stiffness"));
  joint.damping = number(j.at("damping"));
  return joint;
}

json to_json(const Segment& segment) {
  json joints = json::array(), capsules = json::array();
  for (const Joint& joint : segment.joints) joints.push_back(to_json(joint));
  for (const Capsule& capsule : segment.capsules)
    capsules.push_back(
        {{"a", numbers(capsule.a)}, {"b", numbers(capsule.b)}, {"radius", capsule.radius}});
  return {{"name", segment.name},
          {"parent", segment.parent},
          {"rest", numbers(segment.rest_parent)},
          {"joints", joints},
          {"capsules", capsules},
          {"mass", segment.mass},
          {"center_of_mass", numbers(segment.center_of_mass)},
          {"inertia", numbers(segment.inertia)},
          {"digit", static_cast<int>(segment.digit)},
          {"phalanx", segment.phalanx}};
}

Segment segment_from(const json& j, int own_index) {
  Segment segment;
  segment.name = j.at("name").get<std::string>();
  segment.parent =
      own_index == 0 ? index(j.at("parent"), -1, 0) : index(j.at("parent"), 0, own_index);
  segment.rest_parent = transform(j.at("rest"));
  for (const json& joint : list(j, "joints")) segment.joints.push_back(joint_from(joint));
  for (const json& capsule : list(j, "capsules"))
    segment.capsules.push_back(
        {vec3(capsule.at("a")), vec3(capsule.at("b")), positive_or_zero(capsule.at("radius"))});
  segment.mass = positive_or_zero(j.at("mass"));
  segment.center_of_mass = vec3(j.at("center_of_mass"));
  segment.inertia = matrix<Mat3>(j.at("inertia"));
  segment.digit = static_cast<Digit>(index(j.at("digit"), 0, static_cast<int>(Digit::kNone) + 1));
  segment.phalanx = index(j.at("phalanx"), -1, 4);
  return segment;
}

json to_json(const FingerPad& pad) {
  return {{"segment", pad.segment},
          {"point", numbers(pad.point)},
          {"normal", numbers(pad.normal)},
          {"nail_normal", numbers(pad.nail_normal)},
          {"tip", numbers(pad.tip)}};
}

FingerPad pad_from(const json& j, int segments) {
  FingerPad pad;
  pad.segment = index(j.at("segment"), -1, segments);
  pad.point = vec3(j.at("point"));
  pad.normal = vec3(j.at("normal"));
  pad.nail_normal = vec3(j.at("nail_normal"));
  pad.tip = vec3(j.at("tip"));
  return pad;
}

Hand hand_from(const json& j) {
  Hand hand;
  hand.name = j.at("name").get<std::string>();
  hand.profile = j.at("profile").get<std::string>();
  const std::string side = j.at("side").get<std::string>();
  if (side != "left" && side != "right") fail("the side is neither left nor right");
  hand.side = side == "left" ? Side::kLeft : Side::kRight;
  hand.length = positive_or_zero(j.at("length"));
  hand.breadth = positive_or_zero(j.at("breadth"));
  for (const json& segment : list(j, "segments"))
    hand.segments.push_back(segment_from(segment, hand.segment_count()));
  const int segments = hand.segment_count();
  if (segments == 0) fail("the hand has no segments");
  const json& pads = list(j, "pads");
  const json& xr_segments = list(j, "xr_segments");
  if (pads.size() != kDigitCount || xr_segments.size() != kXrJointCount)
    fail("5 pads and 25 xr_segments are needed");
  for (int i = 0; i < kDigitCount; ++i) hand.pads[i] = pad_from(pads[i], segments);
  for (int i = 0; i < kXrJointCount; ++i) hand.xr_segments[i] = index(xr_segments[i], -1, segments);
  for (const json& pair : list(j, "overlapping"))
    hand.overlapping.emplace_back(index(pair.at(0), 0, segments), index(pair.at(1), 0, segments));
  return hand;
}

constexpr const char* kShapeNames[] = {"mesh", "sphere", "box", "cylinder", "capsule"};

Object object_from(const json& j) {
  Object object;
  object.name = j.at("name").get<std::string>();
  const std::string shape = j.at("shape").get<std::string>();
  const auto found = std::find(std::begin(kShapeNames), std::end(kShapeNames), shape);
  if (found == std::end(kShapeNames)) fail("the shape is unknown");
  object.shape.kind = static_cast<ShapeKind>(found - std::begin(kShapeNames));
  object.shape.size = vec3(j.at("size"));
  object.mass = positive_or_zero(j.at("mass"));
  object.center_of_mass = vec3(j.at("center_of_mass"));
  object.inertia = matrix<Mat3>(j.at("inertia"));
  object.friction = positive_or_zero(j.at("friction"));
  object.torsional_friction = positive_or_zero(j.at("torsional_friction"));
  object.fixed = j.at("fixed").get<bool>();
  return object;
}

// Runs `read`, its failures turned into one line that begins with `where`.
template <typename Read>
auto guarded(const std::string& where, Read read) -> Result<decltype(read())> {
  try {
    return read();
  } catch (const json::exception&) {
    return Error{where + " lacks a field or has one of the wrong type; write the clip anew"};
  } catch (const std::invalid_argument& failure) {
    return Error{fmt::format("{}: {}", where, failure.what())};
  }
}

}  // namespace

json hand_to_json(const Hand& hand) {
  json segments = json::array(), pads = json::array(), overlapping = json::array();
  for (const Segment& segment : hand.segments) segments.push_back(to_json(segment));
  for (const FingerPad& pad : hand.pads) pads.push_back(to_json(pad));
  for (const auto& [a, b] : hand.overlapping) overlapping.push_back({a, b});
  return {
      {"name", hand.name},     {"profile", hand.profile},         {"side", to_string(hand.side)},
      {"length", hand.length}, {"breadth", hand.breadth},         {"segments", segments},
      {"pads", pads},          {"xr_segments", hand.xr_segments}, {"overlapping", overlapping}};
}

json object_to_json(const Object& object) {
  return {{"name", object.name},
          {"shape", kShapeNames[static_cast<int>(object.shape.kind)]},
          {"size", numbers(object.shape.size)},
          {"mass", object.mass},
          {"center_of_mass", numbers(object.center_of_mass)},
          {"inertia", numbers(object.inertia)},
          {"friction", object.friction},
          {"torsional_friction", object.torsional_friction},
          {"fixed", object.fixed}};
}

Result<Hand> hand_from_json(const json& j, const std::string& where) {
  return guarded(where, [&] { return hand_from(j); });
}

Result<Object> object_from_json(const json& j, const std::string& where) {
  return guarded(where, [&] { return object_from(j); });
}

}  // namespace prehend::io
