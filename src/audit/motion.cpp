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
  std::vector<double> weights;
  double total = 0.0;
  for (int k = -half; k <= half; ++k) {
    // Least-squares curvature of unit samples, summed twice by parts: (1 - (k / (h + 1))^2)^2.
    const double u = static_cast<double>(k) / (half + 1);
    weights.push_back((1.0 - u * u) * (1.0 - u * u));
    total += weights.back();
  }
  std::vector<Wrench> result(frames);
  for (int f = 0; f < frames; ++f) {
    const int first = std::clamp(f - half, 0, frames - 1 - 2 * half);
    for (int k = 0; k <= 2 * half; ++k) {
      const double weight = weights[k] / total;
      result[f].force += weight * given[first + k].force;
      result[f].torque += weight * given[first + k].torque;
    }
  }
  return result;
}

}  // namespace prehend::audit
