// Hands and objects as MJCF text.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "prehend/core/hand.h"
#include "prehend/core/object.h"

namespace prehend::physics {

// 17 digits: reading gives the same number back.
std::string number(double value);
std::string numbers(const Vec3& v);
std::string numbers(const Quat& q);  // w first

// A name inside an attribute.
std::string escaped(const std::string& name);

// Body names: <prefix><segment's name>.
struct HandText {
  std::string prefix;
  std::string root_joint;       // of the root body: "", "<freejoint .../>"
  std::string root_attributes;  // "", " mocap=\"true\""
  std::string geom_attributes;  // of every capsule
  bool limits = true;
  bool stiffness = true;
  bool damping = true;
  bool collides = true;
  std::vector<double> armature;  // a joint each
  bool max_torque = false;       // as each joint's user number
  std::function<std::string(int segment)> segment_extras;
};
// The hand's bodies, nested, with the hand at rest and its root at the origin.
std::string hand_bodies(const Hand& hand, const HandText& text);
// <exclude> elements for parents, children and Hand::overlapping.
std::string hand_excludes(const Hand& hand, const std::string& prefix);

std::string inertial(double mass, const Vec3& center, const Mat3& inertia);

// A shape's geom. A mesh's vertices are those that MuJoCo's convex hull needs: all of a small mesh,
// the extreme ones in many directions of a large one.
std::string shape_geom(const Shape& shape, const std::string& mesh_name,
                       const std::string& attributes);
// A flat sheet gets points a little off its middle besides, so that it has a hull at all.
std::string mesh_asset(const TriangleMesh& mesh, const std::string& mesh_name);
bool is_flat(const TriangleMesh& mesh);

}  // namespace prehend::physics
