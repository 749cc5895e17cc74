#include "physics/mjcf_text.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <Eigen/Eigenvalues>

namespace prehend::physics {
namespace {

constexpr int kMaxHullVertices = 256;
constexpr double kThicken = 5e-4;  // m

std::string joint_text(const Joint& joint, const HandText& text, size_t index) {
  std::string out =
      fmt::format("<joint name=\"{}{}\" type=\"{}\"", text.prefix, escaped(joint.name),
                  joint.type == JointType::kBall ? "ball" : "hinge");
  if (joint.type == JointType::kHinge) out += fmt::format(" axis=\"{}\"", numbers(joint.axis));
  if (text.limits && joint.type == JointType::kHinge && joint.lower[0] < joint.upper[0]) {
    out += fmt::format(" limited=\"true\" range=\"{} {}\"", number(joint.lower[0]),
                       number(joint.upper[0]));
  } else if (text.limits && joint.type == JointType::kBall) {
    // MuJoCo bounds a ball by one angle: that of the farthest corner of the range.
    const double angle = joint.lower.cwiseAbs().cwiseMax(joint.upper.cwiseAbs()).norm();
    if (angle > 0.0 && angle < kPi) {
      out += fmt::format(" limited=\"true\" range=\"0 {}\"", number(angle));
    }
  }
  if (text.stiffness && joint.passive_stiffness > 0.0) {
    out += fmt::format(" stiffness=\"{}\"", number(joint.passive_stiffness));
  }
  if (text.damping && joint.damping > 0.0) {
    out += fmt::format(" damping=\"{}\"", number(joint.damping));
  }
  if (index < text.armature.size() && text.armature[index] > 0.0) {
    out += fmt::format(" armature=\"{}\"", number(text.armature[index]));
  }
  if (text.max_torque) out += fmt::format(" user=\"{}\"", number(joint.max_torque));
  return out + "/>\n";
}

std::string capsule_text(const Capsule& c, const HandText& text) {
  const std::string flags = text.collides ? "" : " contype=\"0\" conaffinity=\"0\"";
  if ((c.b - c.a).norm() < 1e-9) {
    return fmt::format("<geom type=\"sphere\" pos=\"{}\" size=\"{}\"{}{}/>\n", numbers(c.a),
                       number(c.radius), text.geom_attributes, flags);
  }
  return fmt::format("<geom type=\"capsule\" fromto=\"{} {}\" size=\"{}\"{}{}/>\n", numbers(c.a),
                     numbers(c.b), number(c.radius), text.geom_attributes, flags);
}

void append_body(const Hand& hand, int index, const HandText& text,
                 const std::vector<size_t>& first_joint, std::string& out) {
  const Segment& segment = hand.segments[static_cast<size_t>(index)];
  const bool root = segment.parent < 0;
  out += fmt::format("<body name=\"{}{}\" pos=\"{}\" quat=\"{}\"{}>\n", text.prefix,
                     escaped(segment.name), numbers(segment.rest_parent.position),
                     numbers(segment.rest_parent.rotation), root ? text.root_attributes : "");
  out += inertial(segment.mass, segment.center_of_mass, segment.inertia);
  if (root) out += text.root_joint;
  for (size_t k = 0; k < segment.joints.size(); ++k) {
    out += joint_text(segment.joints[k], text, first_joint[static_cast<size_t>(index)] + k);
  }
  for (const Capsule& capsule : segment.capsules) out += capsule_text(capsule, text);
  if (text.segment_extras) out += text.segment_extras(index);
  for (int child = index + 1; child < hand.segment_count(); ++child) {
    if (hand.segments[static_cast<size_t>(child)].parent == index) {
      append_body(hand, child, text, first_joint, out);
    }
  }
  out += "</body>\n";
}

// Extreme vertices in directions spread evenly over the sphere (a Fibonacci spiral).
std::vector<Vec3> extreme_vertices(const std::vector<Vec3>& vertices) {
  if (vertices.size() <= kMaxHullVertices) return vertices;
  std::vector<size_t> chosen;
  const double turn = kPi * (3.0 - std::sqrt(5.0));
  for (int i = 0; i < kMaxHullVertices; ++i) {
    const double y = 1.0 - 2.0 * (i + 0.5) / kMaxHullVertices, r = std::sqrt(1.0 - y * y);
    const Vec3 direction(r * std::cos(turn * i), y, r * std::sin(turn * i));
    size_t best = 0;
    double height = -1e300;
    for (size_t v = 0; v < vertices.size(); ++v) {
      const double h = direction.dot(vertices[v]);
      if (h > height) height = h, best = v;
    }
    chosen.push_back(best);
  }
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  std::vector<Vec3> out;
  for (const size_t v : chosen) out.push_back(vertices[v]);
  return out;
}

}  // namespace

std::string escaped(const std::string& name) {
  std::string out;
  for (const char c : name) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string number(double value) { return fmt::format("{:.17g}", value); }
std::string numbers(const Vec3& v) {
  return fmt::format("{:.17g} {:.17g} {:.17g}", v.x(), v.y(), v.z());
}
std::string numbers(const Quat& q) {
  return fmt::format("{:.17g} {:.17g} {:.17g} {:.17g}", q.w(), q.x(), q.y(), q.z());
}

std::string inertial(double mass, const Vec3& center, const Mat3& inertia) {
  // Principal axes found here: the compiler's own search stops at fewer digits.
  const Eigen::SelfAdjointEigenSolver<Mat3> solver(inertia);
  Mat3 axes = solver.eigenvectors();
  if (axes.determinant() < 0.0) axes.col(2) *= -1.0;
  const Vec3 principal = solver.eigenvalues().cwiseMax(1e-12);
  return fmt::format("<inertial pos=\"{}\" quat=\"{}\" mass=\"{}\" diaginertia=\"{}\"/>\n",
                     numbers(center), numbers(Quat(axes).normalized()),
                     number(std::max(mass, 1e-9)), numbers(principal));
}

std::string hand_bodies(const Hand& hand, const HandText& text) {
  std::vector<size_t> first_joint;
  size_t joints = 0;
  for (const Segment& segment : hand.segments) {
    first_joint.push_back(joints);
    joints += segment.joints.size();
  }
  std::string out;
  append_body(hand, 0, text, first_joint, out);
  return out;
}

std::string hand_excludes(const Hand& hand, const std::string& prefix) {
  std::vector<std::pair<int, int>> pairs = hand.overlapping;
  for (int i = 1; i < hand.segment_count(); ++i) {
    pairs.emplace_back(hand.segments[static_cast<size_t>(i)].parent, i);
  }
  for (auto& [a, b] : pairs) {
    if (a > b) std::swap(a, b);
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  std::string out;
  for (const auto& [a, b] : pairs) {
    out += fmt::format("<exclude body1=\"{0}{1}\" body2=\"{0}{2}\"/>\n", prefix,
                       escaped(hand.segments[static_cast<size_t>(a)].name),
                       escaped(hand.segments[static_cast<size_t>(b)].name));
  }
  return out;
}

std::string shape_geom(const Shape& shape, const std::string& mesh_name,
                       const std::string& attributes) {
  // MuJoCo's cylinders and capsules lie along Z, ours along Y.
  const std::string along_y = "zaxis=\"0 1 0\"";
  switch (shape.kind) {
    case ShapeKind::kSphere:
      return fmt::format("<geom type=\"sphere\" size=\"{}\"{}/>\n", number(shape.size.x()),
                         attributes);
    case ShapeKind::kBox:
      return fmt::format("<geom type=\"box\" size=\"{}\"{}/>\n", numbers(shape.size), attributes);
    case ShapeKind::kCylinder:
    case ShapeKind::kCapsule:
      return fmt::format("<geom type=\"{}\" {} size=\"{} {}\"{}/>\n",
                         shape.kind == ShapeKind::kCylinder ? "cylinder" : "capsule", along_y,
                         number(shape.size.x()), number(shape.size.y()), attributes);
    case ShapeKind::kMesh:
      break;
  }
  return fmt::format("<geom type=\"mesh\" mesh=\"{}\"{}/>\n", mesh_name, attributes);
}

bool is_flat(const TriangleMesh& mesh) {
  Vec3 middle = Vec3::Zero();
  for (const Vec3& v : mesh.vertices) middle += v / static_cast<double>(mesh.vertices.size());
  Mat3 spread = Mat3::Zero();
  for (const Vec3& v : mesh.vertices) spread += (v - middle) * (v - middle).transpose();
  const Vec3 sizes = Eigen::SelfAdjointEigenSolver<Mat3>(spread).eigenvalues();
  // Squares of lengths: a thousandth of the length.
  return sizes[0] < 1e-6 * sizes[2];
}

std::string mesh_asset(const TriangleMesh& mesh, const std::string& mesh_name) {
  std::vector<Vec3> vertices = extreme_vertices(mesh.vertices);
  if (is_flat(mesh)) {
    Vec3 middle = Vec3::Zero();
    for (const Vec3& v : vertices) middle += v / static_cast<double>(vertices.size());
    for (int k = 0; k < 3; ++k) {
      vertices.push_back(middle + kThicken * Vec3::Unit(k));
      vertices.push_back(middle - kThicken * Vec3::Unit(k));
    }
  }
  std::string out = fmt::format("<mesh name=\"{}\" vertex=\"", mesh_name);
  for (const Vec3& v : vertices) out += fmt::format("{:.9g} {:.9g} {:.9g} ", v.x(), v.y(), v.z());
  return out + "\"/>\n";
}

}  // namespace prehend::physics
