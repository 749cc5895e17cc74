#include "prehend/io/bvh.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace prehend::io {
namespace {

Vec3 axis_of(BvhChannel channel) { return Vec3::Unit(static_cast<int>(channel) % 3); }

bool is_rotation(BvhChannel channel) { return channel >= BvhChannel::kXRotation; }

const char* to_string(BvhChannel channel) {
  constexpr const char* kNames[] = {"Xposition", "Yposition", "Zposition",
                                    "Xrotation", "Yrotation", "Zrotation"};
  return kNames[static_cast<int>(channel)];
}

void format_joint(const Bvh& bvh, const std::vector<std::vector<int>>& children, int index,
                  int depth, std::string& out) {
  const BvhJoint& joint = bvh.joints[index];
  const std::string tabs(depth, '\t');
  out +=
      fmt::format("{}{} {}\n{}{{\n", tabs, joint.parent < 0 ? "ROOT" : "JOINT", joint.name, tabs);
  out += fmt::format("{}\tOFFSET {:.8f} {:.8f} {:.8f}\n{}\tCHANNELS {}", tabs, joint.offset.x(),
                     joint.offset.y(), joint.offset.z(), tabs, joint.channels.size());
  for (const BvhChannel channel : joint.channels) out += fmt::format(" {}", to_string(channel));
  out += '\n';
  for (const int child : children[index]) format_joint(bvh, children, child, depth + 1, out);
  for (const Vec3& end : joint.end_sites) {
    out += fmt::format("{0}\tEnd Site\n{0}\t{{\n{0}\t\tOFFSET {1:.8f} {2:.8f} {3:.8f}\n{0}\t}}\n",
                       tabs, end.x(), end.y(), end.z());
  }
  out += tabs + "}\n";
}

double nearest_turn(double angle, double previous) {
  return angle + 2.0 * kPi * std::round((previous - angle) / (2.0 * kPi));
}

}  // namespace

bool BvhJoint::has_positions() const {
  return std::any_of(channels.begin(), channels.end(),
                     [](BvhChannel channel) { return !is_rotation(channel); });
}

double Bvh::frame_rate() const {
  const double rate = 1.0 / frame_time;
  const double whole = std::round(rate);
  return std::abs(rate - whole) < 1e-4 * rate ? whole : rate;
}

int Bvh::find(std::string_view name) const {
  for (std::size_t i = 0; i < joints.size(); ++i)
    if (joints[i].name == name) return static_cast<int>(i);
  return -1;
}

Transform bvh_local(const Bvh& bvh, int index, int frame) {
  const BvhJoint& joint = bvh.joints[index];
  Transform local = Transform::from_position(joint.offset);
  if (frame < 0) return local;
  const auto values = bvh.frame(frame).subspan(joint.first_channel, joint.channels.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const BvhChannel channel = joint.channels[i];
    if (is_rotation(channel)) {
      local.rotation =
          local.rotation * Quat(Eigen::AngleAxisd(radians(values[i]), axis_of(channel)));
    } else if (joint.positions == BvhPositions::kReplaceOffset) {
      local.position[static_cast<int>(channel)] = values[i];
    } else {
      local.position[static_cast<int>(channel)] += values[i];
    }
  }
  local.rotation.normalize();
  return local;
}

void bvh_frames(const Bvh& bvh, int frame, std::span<Transform> frames_world) {
  PREHEND_ASSERT(frames_world.size() == bvh.joints.size());
  for (std::size_t i = 0; i < bvh.joints.size(); ++i) {
    const Transform local = bvh_local(bvh, static_cast<int>(i), frame);
    const int parent = bvh.joints[i].parent;
    frames_world[i] = parent < 0 ? local : frames_world[parent] * local;
  }
}

std::vector<Transform> bvh_frames(const Bvh& bvh, int frame) {
  std::vector<Transform> frames(bvh.joints.size());
  bvh_frames(bvh, frame, frames);
  return frames;
}

std::string format_bvh(const Bvh& bvh) {
  std::vector<std::vector<int>> children(bvh.joints.size());
  for (std::size_t i = 0; i < bvh.joints.size(); ++i)
    if (bvh.joints[i].parent >= 0) children[bvh.joints[i].parent].push_back(static_cast<int>(i));
  std::string out = "HIERARCHY\n";
  for (std::size_t i = 0; i < bvh.joints.size(); ++i)
    if (bvh.joints[i].parent < 0) format_joint(bvh, children, static_cast<int>(i), 0, out);
  out += fmt::format("MOTION\nFrames: {}\nFrame Time: {:.9f}\n", bvh.frame_count, bvh.frame_time);
  for (int f = 0; f < bvh.frame_count; ++f) {
    const char* separator = "";
    for (const double value : bvh.frame(f)) {
      fmt::format_to(std::back_inserter(out), "{}{:.7f}", separator, value);
      separator = " ";
    }
    out += '\n';
  }
  return out;
}

Bvh mirrored(const Bvh& bvh) {
  Bvh out = bvh;
  for (BvhJoint& joint : out.joints) {
    joint.offset = mirror_x(joint.offset);
    for (Vec3& end : joint.end_sites) end = mirror_x(end);
    for (std::size_t c = 0; c < joint.channels.size(); ++c) {
      const BvhChannel channel = joint.channels[c];
      // A rotation vector is an axial vector: its image keeps x and turns y and z around.
      if (channel != BvhChannel::kXPosition && channel != BvhChannel::kYRotation &&
          channel != BvhChannel::kZRotation)
        continue;
      for (int f = 0; f < out.frame_count; ++f) {
        const auto row = static_cast<std::size_t>(f) * out.channel_count;
        out.values[row + joint.first_channel + c] *= -1.0;
      }
    }
  }
  return out;
}

Result<EulerOrder> parse_euler_order(std::string_view text) {
  EulerOrder order;
  bool used[3] = {false, false, false};
  bool good = text.size() == 3;
  for (std::size_t i = 0; good && i < 3; ++i) {
    const int axis = (text[i] | 0x20) - 'x';
    good = axis >= 0 && axis < 3 && !used[axis];
    if (good) used[axis] = true;
    order.axes[i] = axis;
  }
  if (!good) return Error{"rotation order must be three different axes such as ZXY"};
  return order;
}

Quat from_euler(const Vec3& angles, const EulerOrder& order) {
  Quat q = Quat::Identity();
  for (int i = 0; i < 3; ++i) q = q * Quat(Eigen::AngleAxisd(angles[i], Vec3::Unit(order.axes[i])));
  return q.normalized();
}

Vec3 euler_angles(const Quat& rotation, const EulerOrder& order, const Vec3& previous) {
  const Mat3 m = rotation.toRotationMatrix();
  const int i = order.axes[0], j = order.axes[1], k = order.axes[2];
  // +1 for the cyclic orders XYZ, YZX, ZXY; the others mirror the signs of the off-diagonal.
  const double sign = (j - i + 3) % 3 == 1 ? 1.0 : -1.0;
  const double sine = sign * m(i, k);
  const double cosine = std::hypot(m(i, i), m(i, j));
  Vec3 first;
  if (cosine < 1e-7) {
    // Locked: only the first angle plus or minus the third is known, so the third stays.
    const double middle = std::copysign(kPi / 2.0, sine);
    const Quat rest = from_euler({0.0, middle, previous.z()}, order);
    first = {twist_angle(rotation * rest.conjugate(), Vec3::Unit(i)), middle, previous.z()};
  } else {
    first = {std::atan2(-sign * m(j, k), m(k, k)), std::atan2(sine, cosine),
             std::atan2(-sign * m(i, j), m(i, i))};
  }
  Vec3 second(first.x() + kPi, kPi - first.y(), first.z() + kPi);
  for (int axis = 0; axis < 3; ++axis) {
    first[axis] = nearest_turn(first[axis], previous[axis]);
    second[axis] = nearest_turn(second[axis], previous[axis]);
  }
  return (first - previous).squaredNorm() <= (second - previous).squaredNorm() ? first : second;
}

}  // namespace prehend::io
