#include "audit/motion.h"

#include <algorithm>
#include <cmath>

#include <Eigen/QR>

namespace prehend::audit {

namespace {

// First and second derivative of a vector signal at offset `at` from the samples' middle.
struct Derivatives {
  Vec3 value, first, second;
};

// Least-squares parabola through values at times t.
Derivatives fit_parabola(const std::vector<Vec3>& values, const std::vector<double>& times) {
  const int n = static_cast<int>(values.size());
  Eigen::MatrixXd basis(n, 3), data(n, 3);
  for (int i = 0; i < n; ++i) {
    basis.row(i) << 1.0, times[i], 0.5 * times[i] * times[i];
    data.row(i) = values[i].transpose();
  }
  const Eigen::Matrix3d coefficients = basis.householderQr().solve(data);
  return {coefficients.row(0), coefficients.row(1), coefficients.row(2)};
}

Wrench needed_wrench(const ObjectTrack& track, double frame_rate, int frame, int first, int last) {
  const Object& object = *track.object;
  const Transform& now = track.poses_world[frame];
  std::vector<Vec3> centers, turns;
  std::vector<double> times;
  for (int f = first; f <= last; ++f) {
    const Transform& pose = track.poses_world[f];
    centers.push_back(pose * object.center_of_mass);
    // Rotation since `frame`: its first derivative there is the angular velocity, and its second,
    // at zero rotation, the angular acceleration.
    turns.push_back(log_map(pose.rotation * now.rotation.conjugate()));
    times.push_back((f - frame) / frame_rate);
  }
  const Derivatives center = fit_parabola(centers, times);
  const Derivatives turn = fit_parabola(turns, times);
  const Mat3 rotation = now.rotation.toRotationMatrix();
  const Mat3 inertia_world = rotation * object.inertia * rotation.transpose();
  const Vec3& spin = turn.first;
  Wrench needed;
  needed.force = object.mass * (center.second - gravity_world());
  needed.torque = inertia_world * turn.second + spin.cross(inertia_world * spin);
  return needed;
}

// How much the mean acceleration of each frame counts in the curvature of the parabola that is
// fitted to 2 half + 1 positions. The curvature is sum c_i x_i with c_i = 2 p_i / sum p^2 and
// p_i = i^2 less its mean. In terms of x'' it is the integral of K x'' with K(t) = sum over i > t
// of c_i (i - t), linear between frames; over the frame from j - 1/2 to j + 1/2 that is (K(j - 1) +
// 6 K(j) + K(j + 1)) / 8.
std::vector<double> curvature_weights(int half) {
  const double mean = half * (half + 1) / 3.0;
  double squares = 0.0;
  for (int i = -half; i <= half; ++i) squares += std::pow(i * i - mean, 2);
  const auto kernel = [&](int j) {
    double sum = 0.0;
    for (int i = std::max(j, -half); i <= half; ++i)
      sum += 2.0 * (i * i - mean) * (i - j) / squares;
    return sum;
  };
  std::vector<double> weights;
  for (int j = -half; j <= half; ++j)
    weights.push_back((kernel(j - 1) + 6.0 * kernel(j) + kernel(j + 1)) / 8.0);
  return weights;
}

}  // namespace

int half_window(double seconds, double frame_rate, int frame_count) {
  const int wanted = std::max(2, static_cast<int>(std::lround(0.5 * seconds * frame_rate)));
  return std::min(wanted, (frame_count - 1) / 2);
}

std::vector<Wrench> needed_wrenches(const ObjectTrack& track, double frame_rate, int half) {
  const int frames = static_cast<int>(track.poses_world.size());
  std::vector<Wrench> needed(frames);
  for (int f = 0; f < frames; ++f) {
    if (half < 2) {
      // Too short to move: a still picture.
      needed[f] = {track.object->mass * -gravity_world(), Vec3::Zero()};
      continue;
    }
    const int first = std::clamp(f - half, 0, frames - 1 - 2 * half);
    needed[f] = needed_wrench(track, frame_rate, f, first, first + 2 * half);
  }
  return needed;
}

std::vector<Wrench> smoothed(const std::vector<Wrench>& given, int half) {
  const int frames = static_cast<int>(given.size());
  if (half < 2) return given;
  const std::vector<double> weights = curvature_weights(half);
  std::vector<Wrench> result(frames);
  for (int f = 0; f < frames; ++f) {
    const int first = std::clamp(f - half, 0, frames - 1 - 2 * half);
    for (int k = 0; k <= 2 * half; ++k) {
      result[f].force += weights[k] * given[first + k].force;
      result[f].torque += weights[k] * given[first + k].torque;
    }
  }
  return result;
}

}  // namespace prehend::audit
