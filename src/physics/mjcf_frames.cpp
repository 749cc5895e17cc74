// OpenXR's bone frames for a hand whose own frames may stand anyhow.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "physics/mjcf_import.h"

namespace prehend::physics {
namespace {

// Columns x, y, z of a frame with -Z along `bone` and +Y as near `dorsal` as that allows.
Quat frame_along(const Vec3& bone, const Vec3& dorsal) {
  const Vec3 z = -bone.normalized();
  Vec3 y = dorsal - dorsal.dot(z) * z;
  y = y.norm() > 1e-6 ? y.normalized() : any_orthogonal(z);
  Mat3 axes;
  axes.col(0) = y.cross(z);
  axes.col(1) = y;
  axes.col(2) = z;
  return Quat(axes).normalized();
}

// Flexion of a body in the file's world at rest: the axis about which its last hinge has more
// range.
std::optional<Vec3> flexion_axis(const mjModel* m, const RestFrames& rest, int body) {
  for (int k = m->body_jntnum[body] - 1; k >= 0; --k) {
    const int joint = m->body_jntadr[body] + k;
    if (m->jnt_type[joint] != mjJNT_HINGE || !m->jnt_limited[joint]) continue;
    const double middle = 0.5 * (m->jnt_range[2 * joint] + m->jnt_range[2 * joint + 1]) -
                          m->qpos0[m->jnt_qposadr[joint]];
    if (std::abs(middle) < 0.05) continue;
    const Vec3 axis = rest.bodies[static_cast<size_t>(body)].turn(to_vec3(m->jnt_axis + 3 * joint));
    return std::copysign(1.0, middle) * axis;
  }
  return std::nullopt;
}

// Where a labeled joint's body turns: its first joint's anchor, or its origin.
Vec3 anchor(const mjModel* m, const RestFrames& rest, int body) {
  const Vec3 local = m->body_jntnum[body] > 0 ? to_vec3(m->jnt_pos + 3 * m->body_jntadr[body])
                                              : Vec3(Vec3::Zero());
  return rest.bodies[static_cast<size_t>(body)] * local;
}

struct Digits {
  const mjModel* m;
  const RestFrames& rest;
  const LabeledBodies& found;

  // From each present joint of a digit to the next, or to its tip.
  std::optional<Vec3> bone(size_t digit, int joint) const {
    const int tip = xr_tip_of(kDigits[digit]);
    const Vec3 from = anchor(m, rest, found.bodies[static_cast<size_t>(joint)]);
    for (int next = joint + 1; next < tip; ++next) {
      const int body = found.bodies[static_cast<size_t>(next)];
      if (body >= 0) return anchor(m, rest, body) - from;
    }
    const int distal = found.bodies[static_cast<size_t>(joint)];
    if (found.tips[digit])
      return rest.bodies[static_cast<size_t>(distal)] * *found.tips[digit] - from;
    // No tip: to the farthest end of its capsules.
    std::vector<std::string> ignored;
    Vec3 farthest = Vec3::Zero();
    for (const Capsule& c : body_capsules(m, distal, ignored)) {
      for (const Vec3& end : {c.a, c.b}) {
        const Vec3 way = rest.bodies[static_cast<size_t>(distal)] * end - from;
        if (way.norm() > farthest.norm()) farthest = way;
      }
    }
    if (farthest.norm() > 1e-6) return farthest;
    return std::nullopt;
  }
  int first(size_t digit) const {  // present joint nearest the wrist
    const int tip = xr_tip_of(kDigits[digit]);
    for (int joint = tip - (digit == 0 ? 3 : 4); joint < tip; ++joint) {
      if (found.bodies[static_cast<size_t>(joint)] >= 0) return joint;
    }
    return -1;
  }
  // The knuckle: where the proximal phalanx turns.
  std::optional<Vec3> knuckle(size_t digit) const {
    const int tip = xr_tip_of(kDigits[digit]);
    const int body = found.bodies[static_cast<size_t>(tip - (digit == 0 ? 2 : 3))];
    if (body < 0) return std::nullopt;
    return anchor(m, rest, body);
  }
};

// Out of the back of the hand, by the way fingers bend, and which hand that makes it.
struct Back {
  Vec3 dorsal;
  Side side;
};
Back find_back(const Digits& digits, const Vec3& forward, const Vec3& to_thumb,
               const std::optional<Side>& given) {
  // For a right hand: with fingers forward and the thumb's side at `to_thumb`.
  const Vec3 right_back = forward.cross(to_thumb).normalized();
  Side side = given.value_or(Side::kRight);
  if (!given) {
    double towards = 0.0;
    for (size_t d = 1; d < kDigitCount; ++d) {
      const int tip = xr_tip_of(kDigits[d]);
      for (int joint = tip - 2; joint < tip; ++joint) {  // intermediate and distal bend one way
        const int body = digits.found.bodies[static_cast<size_t>(joint)];
        if (body < 0) continue;
        const auto axis = flexion_axis(digits.m, digits.rest, body);
        const auto bone = digits.bone(d, joint);
        if (axis && bone) towards += axis->cross(bone->normalized()).dot(right_back);
      }
    }
    side = towards > 0.0 ? Side::kLeft : Side::kRight;
  }
  return {side == Side::kRight ? right_back : Vec3(-right_back), side};
}

}  // namespace

RestFrames rest_frames(const mjModel* m, mjData* d) {
  mj_resetData(m, d);
  mj_kinematics(m, d);
  RestFrames rest;
  for (int body = 0; body < m->nbody; ++body) {
    rest.bodies.push_back({to_quat(d->xquat + 4 * body), to_vec3(d->xpos + 3 * body)});
  }
  return rest;
}

BoneFrames bone_frames(const mjModel* m, const RestFrames& rest, const LabeledBodies& found,
                       const std::optional<Side>& side) {
  BoneFrames out;
  out.side = side.value_or(Side::kRight);
  const Digits digits{m, rest, found};
  const Vec3 wrist = anchor(m, rest, found.bodies[0]);
  Vec3 forward = Vec3::Zero(), to_thumb = Vec3::Zero();
  std::vector<Vec3> knuckles;
  for (size_t d = 1; d < kDigitCount; ++d) {
    if (const auto k = digits.knuckle(d)) knuckles.push_back(*k);
  }
  if (knuckles.size() >= 2) {
    const size_t middle = knuckles.size() > 2 ? 1 : 0;
    forward = knuckles[middle] - wrist;
    to_thumb = knuckles.front() - knuckles.back();
  }
  if (forward.cross(to_thumb).norm() < 1e-9) return out;  // too few fingers to tell
  const Back back = find_back(digits, forward, to_thumb, side);
  out.side = back.side;
  out.axes[0] = frame_along(forward, back.dorsal);
  for (size_t d = 0; d < kDigitCount; ++d) {
    const int tip = xr_tip_of(kDigits[d]);
    // The thumb is turned against the fingers: its back is where its end joint bends away from.
    std::optional<Vec3> thumb_flexion;
    if (d == 0 && found.bodies[static_cast<size_t>(tip - 1)] >= 0) {
      thumb_flexion = flexion_axis(m, rest, found.bodies[static_cast<size_t>(tip - 1)]);
    }
    Vec3 bone_before = forward, dorsal = back.dorsal;
    const int first = digits.first(d);
    for (int joint = first; joint >= 0 && joint < tip; ++joint) {
      if (found.bodies[static_cast<size_t>(joint)] < 0) continue;
      const auto bone = digits.bone(d, joint);
      if (!bone || bone->norm() < 1e-6) continue;
      // Flexion is about -X: its axis, out of the bone, towards the back.
      dorsal = thumb_flexion ? Vec3(bone->cross(*thumb_flexion))
                             : Quat::FromTwoVectors(bone_before, *bone) * dorsal;
      bone_before = *bone;
      out.axes[static_cast<size_t>(joint)] = frame_along(*bone, dorsal);
    }
  }
  return out;
}

std::vector<Capsule> body_capsules(const mjModel* m, int body, std::vector<std::string>& warnings) {
  std::vector<Capsule> capsules;
  for (int k = 0; k < m->body_geomnum[body]; ++k) {
    const int geom = m->body_geomadr[body] + k;
    if (m->geom_contype[geom] == 0 && m->geom_conaffinity[geom] == 0) continue;
    const Transform frame{to_quat(m->geom_quat + 4 * geom), to_vec3(m->geom_pos + 3 * geom)};
    Vec3 size = to_vec3(m->geom_size + 3 * geom);
    const int type = m->geom_type[geom];
    const auto along = [&](const Vec3& half_axis, double radius) {
      capsules.push_back({frame * Vec3(-half_axis), frame * half_axis, radius});
    };
    if (type == mjGEOM_SPHERE) {
      along(Vec3::Zero(), size[0]);
      continue;
    }
    if (type == mjGEOM_CAPSULE) {
      along(Vec3(0, 0, size[1]), size[0]);
      continue;
    }
    if (type == mjGEOM_CYLINDER) size = Vec3(size[0], size[0], size[1]);
    const bool known = type == mjGEOM_CYLINDER || type == mjGEOM_BOX || type == mjGEOM_ELLIPSOID;
    if (!known) {
      warnings.push_back(
          fmt::format("geom {} of body \"{}\" is no capsule, sphere, box, cylinder or "
                      "ellipsoid and is left out",
                      k, name_of(m, mjOBJ_BODY, body)));
      continue;
    }
    // Along the longest half extent, as thick as the mean of the others.
    int axis = 0;
    size.maxCoeff(&axis);
    const double radius = 0.5 * (size.sum() - size[axis]);
    along(Vec3::Unit(axis) * std::max(0.0, size[axis] - radius), radius);
    warnings.push_back(
        fmt::format("geom {} of body \"{}\" is taken for a capsule of radius {:.4g} m", k,
                    name_of(m, mjOBJ_BODY, body), radius));
  }
  return capsules;
}

}  // namespace prehend::physics
