#include "io/gltf_motion.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace prehend::io::gltf {
namespace {

Eigen::Vector4d key(const Channel& channel, std::size_t index) {
  const int width = channel.width();
  Eigen::Vector4d value = Eigen::Vector4d::Zero();
  for (int i = 0; i < width; ++i) value[i] = channel.values[index * width + i];
  return value;
}

Quat to_quat(const Eigen::Vector4d& v) { return Quat(v[3], v[0], v[1], v[2]); }

Eigen::Vector4d linear(const Channel& channel, std::size_t k, double fraction) {
  const Eigen::Vector4d a = key(channel, k), b = key(channel, k + 1);
  if (channel.path != Path::kRotation) return a + fraction * (b - a);
  return slerp(to_quat(a).normalized(), to_quat(b).normalized(), fraction).coeffs();
}

// The Hermite spline of the glTF specification; a key holds in-tangent, value, out-tangent.
Eigen::Vector4d cubic(const Channel& channel, std::size_t k, double t, double span) {
  const Eigen::Vector4d value0 = key(channel, 3 * k + 1), out0 = span * key(channel, 3 * k + 2);
  const Eigen::Vector4d value1 = key(channel, 3 * k + 4), in1 = span * key(channel, 3 * k + 3);
  const double t2 = t * t, t3 = t2 * t;
  return (2 * t3 - 3 * t2 + 1) * value0 + (t3 - 2 * t2 + t) * out0 + (3 * t2 - 2 * t3) * value1 +
         (t3 - t2) * in1;
}

Eigen::Affine3d matrix(const Vec3& translation, const Quat& rotation, const Vec3& scale) {
  Eigen::Affine3d m = Eigen::Affine3d::Identity();
  m.linear() = rotation.toRotationMatrix() * scale.asDiagonal();
  m.translation() = translation;
  return m;
}

bool varies(const Channel& channel) {
  const int width = channel.width();
  for (std::size_t i = width; i < channel.values.size(); ++i)
    if (std::abs(channel.values[i] - channel.values[i % width]) > 1e-5) return true;
  return false;
}

double rate_of(const std::vector<double>& times) {
  std::vector<double> steps;
  for (std::size_t i = 1; i < times.size(); ++i) steps.push_back(times[i] - times[i - 1]);
  std::nth_element(steps.begin(), steps.begin() + steps.size() / 2, steps.end());
  const double rate = 1.0 / steps[steps.size() / 2];
  const double whole = std::round(rate);
  return std::abs(rate - whole) < 0.005 * rate ? whole : rate;
}

}  // namespace

Eigen::Vector4d sample(const Channel& channel, double time) {
  const bool spline = channel.interpolation == Interpolation::kCubicSpline;
  const auto next = std::upper_bound(channel.times.begin(), channel.times.end(), time);
  Eigen::Vector4d value;
  if (next == channel.times.begin()) {
    value = key(channel, spline ? 1 : 0);
  } else {
    const std::size_t k = next - channel.times.begin() - 1;
    if (next == channel.times.end() || channel.interpolation == Interpolation::kStep) {
      value = key(channel, spline ? 3 * k + 1 : k);
    } else {
      const double span = channel.times[k + 1] - channel.times[k];
      const double fraction = (time - channel.times[k]) / span;
      value = spline ? cubic(channel, k, fraction, span) : linear(channel, k, fraction);
    }
  }
  if (channel.path == Path::kRotation) {
    const double norm = value.norm();
    value = norm > 1e-9 ? Eigen::Vector4d(value / norm) : Eigen::Vector4d(0.0, 0.0, 0.0, 1.0);
  }
  return value;
}

Motion::Motion(const Document& document, int animation) : document_(document) {
  const std::size_t count = document.nodes.size();
  turns_.assign(count, false);
  order_.reserve(count);
  for (std::size_t i = 0; i < count; ++i)
    if (document.nodes[i].parent < 0) order_.push_back(static_cast<int>(i));
  for (std::size_t k = 0; k < order_.size(); ++k)
    for (int child : document.nodes[order_[k]].children) order_.push_back(child);
  if (animation < 0) return;

  animation_ = &document.animations[animation];
  double end = -std::numeric_limits<double>::infinity();
  start_ = std::numeric_limits<double>::infinity();
  const Channel* densest = nullptr;
  for (const Channel& channel : animation_->channels) {
    start_ = std::min(start_, channel.times.front());
    end = std::max(end, channel.times.back());
    if (channel.path == Path::kRotation && varies(channel)) turns_[channel.node] = true;
    if (!densest || channel.times.size() > densest->times.size()) densest = &channel;
  }
  if (!densest) {
    start_ = 0.0;
    return;
  }
  duration_ = end - start_;
  // Keys a second: fewer are poses rather than samples, more are a mistake.
  constexpr double kSparse = 20.0, kMost = 1000.0;
  if (densest->times.size() > 2) {
    const double rate = rate_of(densest->times);
    if (rate >= kSparse && rate <= kMost) natural_rate_ = rate;
  }
}

void Motion::chain(std::span<Eigen::Affine3d> out) const {
  for (int node : order_) {
    const int parent = document_.nodes[node].parent;
    if (parent >= 0) out[node] = out[parent] * out[node];
  }
}

void Motion::rest_worlds(std::span<Eigen::Affine3d> out) const {
  for (std::size_t i = 0; i < document_.nodes.size(); ++i) {
    const Node& node = document_.nodes[i];
    out[i] = matrix(node.translation, node.rotation, node.scale);
  }
  chain(out);
}

void Motion::worlds(double time, std::span<Eigen::Affine3d> out) const {
  struct Local {
    Vec3 translation;
    Quat rotation;
    Vec3 scale;
  };
  std::vector<Local> locals;
  locals.reserve(document_.nodes.size());
  for (const Node& node : document_.nodes)
    locals.push_back({node.translation, node.rotation, node.scale});
  if (animation_) {
    for (const Channel& channel : animation_->channels) {
      const Eigen::Vector4d value = sample(channel, start_ + time);
      Local& local = locals[channel.node];
      if (channel.path == Path::kTranslation) local.translation = value.head<3>();
      if (channel.path == Path::kScale) local.scale = value.head<3>();
      if (channel.path == Path::kRotation) local.rotation = to_quat(value);
    }
  }
  for (std::size_t i = 0; i < locals.size(); ++i)
    out[i] = matrix(locals[i].translation, locals[i].rotation, locals[i].scale);
  chain(out);
}

Transform rigid_part(const Eigen::Affine3d& m) {
  Mat3 linear = m.linear();
  if (linear.determinant() < 0.0) linear.col(0) = -linear.col(0);
  for (int c = 0; c < 3; ++c) {
    const double norm = linear.col(c).norm();
    linear.col(c) = norm > 1e-12 ? Vec3(linear.col(c) / norm) : Vec3(Mat3::Identity().col(c));
  }
  const Quat rotation(linear);
  return {rotation.norm() > 1e-9 ? rotation.normalized() : Quat::Identity(), m.translation()};
}

}  // namespace prehend::io::gltf
