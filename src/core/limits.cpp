#include "prehend/core/limits.h"

#include <cmath>
#include <string>

#include <fmt/format.h>

namespace prehend {
namespace {

// False for anything that is not a number, too.
bool within(double value, double limit) { return std::abs(value) <= limit; }
bool within(const Vec3& v, double limit) {
  return within(v.x(), limit) && within(v.y(), limit) && within(v.z(), limit);
}
bool is_length(double value, double limit) { return value >= 0.0 && value <= limit; }

Error too_far(const std::string& where, double limit) {
  return {fmt::format("{} is not finite or more than {} m away; lengths are meters", where, limit)};
}

Status check_joint(const Joint& joint, const std::string& where) {
  const bool fine = within(joint.axis, 1e3) && joint.lower.allFinite() && joint.upper.allFinite() &&
                    std::isfinite(joint.max_torque) && std::isfinite(joint.passive_stiffness) &&
                    std::isfinite(joint.damping);
  if (!fine) return Error{fmt::format("{}, joint {}: a number is not finite", where, joint.name)};
  return {};
}

Status check_segment(const Segment& segment, const std::string& where) {
  const double limit = kLargestSegment;
  if (!within(segment.rest_parent.position, limit)) return too_far(where, limit);
  if (!segment.rest_parent.rotation.coeffs().allFinite())
    return Error{where + ": its rotation is not finite"};
  for (const Joint& joint : segment.joints)
    if (Status status = check_joint(joint, where); !status) return status;
  for (std::size_t i = 0; i < segment.capsules.size(); ++i) {
    const Capsule& c = segment.capsules[i];
    if (!within(c.a, limit) || !within(c.b, limit) || !is_length(c.radius, limit))
      return too_far(fmt::format("{}, capsule {}", where, i), limit);
  }
  if (!within(segment.center_of_mass, limit)) return too_far(where + ", center of mass", limit);
  if (!is_length(segment.mass, kHeaviest) || !segment.inertia.allFinite())
    return Error{fmt::format("{}: a mass of {} kg; it must be from 0 to {:g}", where, segment.mass,
                             kHeaviest)};
  return {};
}

}  // namespace

Status check_sizes(const Hand& hand) {
  const std::string name = "hand " + hand.name;
  for (const Segment& segment : hand.segments)
    if (Status status = check_segment(segment, fmt::format("{}: {}", name, segment.name)); !status)
      return status;
  for (const Digit digit : kDigits) {
    const FingerPad& pad = hand.pads[static_cast<std::size_t>(digit)];
    const bool fine = within(pad.point, kLargestSegment) && within(pad.tip, kLargestSegment) &&
                      within(pad.normal, 1e3) && within(pad.nail_normal, 1e3);
    if (!fine)
      return too_far(fmt::format("{}: the pad of the {}", name, to_string(digit)), kLargestSegment);
  }
  if (!is_length(hand.length, kFarthest) || !is_length(hand.breadth, kFarthest))
    return Error{fmt::format("{}: {} m long and {} m broad; at most {:g} are possible", name,
                             hand.length, hand.breadth, kFarthest)};
  return {};
}

Status check_sizes(const Object& object) {
  const std::string where = "object " + object.name;
  if (!within(object.shape.size, kFarthest)) return too_far(where, kFarthest);
  if (object.shape.mesh) {
    const auto& vertices = object.shape.mesh->vertices;
    for (std::size_t i = 0; i < vertices.size(); ++i)
      if (!within(vertices[i], kFarthest))
        return too_far(fmt::format("{}, vertex {}", where, i), kFarthest);
  }
  if (!within(object.center_of_mass, kFarthest))
    return too_far(where + ", center of mass", kFarthest);
  const bool fine = is_length(object.mass, kHeaviest) && object.inertia.allFinite() &&
                    std::isfinite(object.friction) && std::isfinite(object.torsional_friction);
  if (!fine)
    return Error{fmt::format("{}: a mass of {} kg, an inertia or a friction that cannot be", where,
                             object.mass)};
  return {};
}

}  // namespace prehend
