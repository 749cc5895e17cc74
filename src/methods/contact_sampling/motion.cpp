// Ye and Liu 2012, section 3 (input) and eq. 5 (the right side).
// Implements: accelerations of the captured object, and G = m (a - g), I w' + w x I w.
// Departs:    the paper does not say how it differentiates. A parabola through 70 ms gives the mean
//   acceleration of that time. Forces that were equal to it would, averaged over 70 ms again, be
//   too smooth; the forces looked for are the smoothest whose own mean over the window is the
//   parabola's.
// Symbols:    K weights of the frames' accelerations in a parabola's curvature.
#include "methods/contact_sampling/motion.h"

#include <algorithm>
#include <cmath>

#include <Eigen/SparseCholesky>

#include "prehend/core/smooth.h"

namespace prehend::contact_sampling {
namespace {

// s, of the parabola: as long as people's fastest changes of force take.
constexpr double kWindow = 0.07;
// How much a change of the force's slope from frame to frame counts against a difference between
// the mean force and the parabola's, both in the same units. Forces that change within two frames
// are smoothed, those that change within four are not.
constexpr double kRoughness = 0.02;
// Where the mean is missed by more than this part of the weight, a blow, roughness around it counts
// less, by this factor each round.
constexpr double kMostMissed = 0.03, kRougher = 0.2;
constexpr int kRounds = 5;

// An object rests while it is slower than this, m/s and rad/s, for as long, s, and ends up no
// farther than this from where it was, m and rad.
constexpr double kRestSpeed = 0.04, kRestSpin = 0.4, kRestSeconds = 0.06;
constexpr double kRestShift = 0.004, kRestTurn = radians(3.0);
constexpr double kFadeSeconds = 0.12;
// Speed is that between so many frames before and after: markers jitter from frame to frame.
constexpr int kSlowFrames = 3;

// Smoothing moves an object by at most about this, m: what is more is motion, not noise.
constexpr double kMostSmoothing = 0.002;
// Frames to either side over which smoothing is given up together.
constexpr int kUnsmoothed = 3;

// A frame jumps if it is this far off, m, while the frames around it move by less than this part of
// that.
constexpr double kJump = 0.003, kJumpPart = 0.125;

struct Parabola {
  Vec3 first, second;
};

// Least-squares parabola through values at frames [first, last], its derivatives at `frame`.
template <typename Value>
Parabola fit(int first, int last, int frame, double frame_rate, const Value& value) {
  Eigen::Matrix3d normal = Eigen::Matrix3d::Zero(), right = Eigen::Matrix3d::Zero();
  for (int f = first; f <= last; ++f) {
    const double t = (f - frame) / frame_rate;
    const Vec3 basis(1.0, t, 0.5 * t * t);
    normal += basis * basis.transpose();
    right += basis * value(f).transpose();
  }
  const Eigen::Matrix3d coefficients = normal.ldlt().solve(right);
  return {coefficients.row(1), coefficients.row(2)};
}

// The curvature of a parabola through 2 half + 1 points is sum c_i x_i, c_i = 2 p_i / sum p^2, p_i
// = i^2 less its mean. Written as the integral of K x'', K(t) = sum over i > t of c_i (i - t) is
// linear between frames, and its mean over the frame j is (K(j-1) + 6 K(j) + K(j+1)) / 8.
std::vector<double> frame_weights(int half) {
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

// The smoothest signals whose weighted means over the window are `means`, all as parts of the
// weight: least squares in (S x - means, sqrt(kRoughness) x'').
Eigen::MatrixXd sharpened(const Eigen::MatrixXd& means, int half) {
  const int n = static_cast<int>(means.rows());
  const std::vector<double> weights = frame_weights(half);
  std::vector<Eigen::Triplet<double>> entries;
  const auto window_of = [&](int f) { return std::clamp(f - half, 0, n - 1 - 2 * half); };
  for (int f = 0; f < n; ++f) {
    for (int k = 0; k <= 2 * half; ++k) entries.emplace_back(f, window_of(f) + k, weights[k]);
  }
  Eigen::SparseMatrix<double> averaging(n, n);
  averaging.setFromTriplets(entries.begin(), entries.end());
  std::vector<double> roughness(n, kRoughness);
  Eigen::MatrixXd made;
  for (int round = 0; round < kRounds; ++round) {
    entries.clear();
    for (int f = 1; f + 1 < n; ++f) {
      const double rough = std::sqrt(roughness[f]);
      entries.emplace_back(f, f - 1, rough);
      entries.emplace_back(f, f, -2.0 * rough);
      entries.emplace_back(f, f + 1, rough);
    }
    Eigen::SparseMatrix<double> bending(n, n);
    bending.setFromTriplets(entries.begin(), entries.end());
    const Eigen::SparseMatrix<double> normal =
        averaging.transpose() * averaging + bending.transpose() * bending;
    const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> solver(normal);
    made = solver.solve(averaging.transpose() * means);
    const Eigen::VectorXd missed = (averaging * made - means).rowwise().norm();
    if (missed.maxCoeff() <= kMostMissed) break;
    std::vector<bool> blow(n, false);
    for (int f = 0; f < n; ++f) {
      for (int k = 0; k <= 2 * half && missed[f] > kMostMissed; ++k) blow[window_of(f) + k] = true;
    }
    for (int f = 0; f < n; ++f) roughness[f] *= blow[f] ? kRougher : 1.0;
  }
  return made;
}

// Where smoothing takes away real motion (a hammer's blow), less of it is used.
std::vector<Transform> keep_fast_motion(const std::vector<Transform>& captured,
                                        const std::vector<Transform>& smoothed) {
  const int frames = static_cast<int>(captured.size());
  std::vector<double> used(frames, 1.0);
  for (int f = 0; f < frames; ++f) {
    const double moved = (captured[f].position - smoothed[f].position).norm();
    if (moved <= kMostSmoothing) continue;
    for (int g = std::max(0, f - kUnsmoothed); g <= std::min(frames - 1, f + kUnsmoothed); ++g)
      used[g] = std::min(used[g], kMostSmoothing / moved);
  }
  std::vector<Transform> result;
  for (int f = 0; f < frames; ++f) {
    double sum = 0.0;
    for (int g = f - kUnsmoothed; g <= f + kUnsmoothed; ++g)
      sum += used[std::clamp(g, 0, frames - 1)];
    result.push_back(interpolate(captured[f], smoothed[f], sum / (2 * kUnsmoothed + 1)));
  }
  return result;
}

}  // namespace

std::vector<int> mend_jumps(std::vector<Transform>& poses) {
  std::vector<int> mended;
  const int n = static_cast<int>(poses.size());
  if (n < 5) return mended;
  const auto step = [&](int a, int b) { return (poses[b].position - poses[a].position).norm(); };
  const auto jumps = [&](double off, double around) {
    return off > kJump && around < kJumpPart * off;
  };
  if (jumps(step(0, 1), std::max(step(1, 2), step(2, 3)))) {
    poses[0] = poses[1];
    mended.push_back(0);
  }
  for (int f = 1; f + 1 < n; ++f) {
    if (!jumps(std::min(step(f - 1, f), step(f, f + 1)), step(f - 1, f + 1))) continue;
    poses[f] = interpolate(poses[f - 1], poses[f + 1], 0.5);
    mended.push_back(f);
  }
  if (jumps(step(n - 2, n - 1), std::max(step(n - 3, n - 2), step(n - 4, n - 3)))) {
    poses[n - 1] = poses[n - 2];
    mended.push_back(n - 1);
  }
  return mended;
}

std::vector<Transform> smooth_poses(const std::vector<Transform>& poses, double frame_rate,
                                    double half_width) {
  if (half_width <= 0.0 || poses.size() < 7) return poses;
  Eigen::MatrixXd samples(poses.size(), 7);
  Quat before = poses[0].rotation;
  for (size_t i = 0; i < poses.size(); ++i) {
    Quat q = poses[i].rotation;
    if (q.dot(before) < 0.0) q.coeffs() = -q.coeffs();
    before = q;
    samples.row(i) << poses[i].position.transpose(), q.coeffs().transpose();
  }
  const Smoothed fitted = smooth(samples, frame_rate, half_width);
  std::vector<Transform> result(poses.size());
  for (size_t i = 0; i < poses.size(); ++i) {
    result[i].position = fitted.value.row(i).head<3>();
    result[i].rotation.coeffs() = fitted.value.row(i).tail<4>();
    result[i].rotation.normalize();
  }
  return keep_fast_motion(poses, result);
}

std::vector<Transform> stand_still(const Object& object, const std::vector<Transform>& poses,
                                   double frame_rate, const std::vector<bool>& hand_near) {
  const int frames = static_cast<int>(poses.size());
  const auto slow = [&](int f) {
    const int a = std::max(0, f - kSlowFrames), b = std::min(frames - 1, f + kSlowFrames);
    const double seconds = (b - a) / frame_rate;
    const Vec3 moved = poses[b] * object.center_of_mass - poses[a] * object.center_of_mass;
    return moved.norm() < kRestSpeed * seconds &&
           angle_between(poses[a].rotation, poses[b].rotation) < kRestSpin * seconds;
  };
  std::vector<Transform> result = poses;
  const double fade = kFadeSeconds * frame_rate;
  for (int f = 0; f < frames;) {
    int end = f;
    bool alone = false;
    const auto same = [&](int i) {
      return (poses[i].position - poses[f].position).norm() < kRestShift &&
             angle_between(poses[i].rotation, poses[f].rotation) < kRestTurn;
    };
    while (end < frames && same(end) && (!hand_near[end] || slow(end))) {
      alone = alone || !hand_near[end];
      ++end;
    }
    if (!alone || end - f < std::max(2.0, kRestSeconds * frame_rate)) {
      f = std::max(end, f + 1);
      continue;
    }
    // Half way along is farthest from both ends' motion.
    const Transform rest = poses[(f + end - 1) / 2];
    for (int i = 0; i < frames; ++i) {
      const int away = i < f ? f - i : i >= end ? i - end + 1 : 0;
      const double weight = 1.0 - minimum_jerk(away, 0.0, fade);
      if (weight <= 0.0) continue;
      const Transform& edge = poses[i < f ? f : i >= end ? end - 1 : i];
      const Transform moved{rest.rotation * edge.rotation.conjugate(),
                            rest.position - edge.position};
      result[i].position += weight * moved.position;
      result[i].rotation =
          (slerp(Quat::Identity(), moved.rotation, weight) * result[i].rotation).normalized();
    }
    f = end;
  }
  return result;
}

ObjectMotion object_motion(const Object& object, const std::vector<Transform>& poses_world,
                           double frame_rate) {
  const int frames = static_cast<int>(poses_world.size());
  const int wanted = std::max(2, static_cast<int>(std::lround(0.5 * kWindow * frame_rate)));
  const int half = std::min(wanted, (frames - 1) / 2);
  ObjectMotion motion;
  Eigen::MatrixXd means(frames, 6);
  for (int f = 0; f < frames; ++f) {
    const int first = std::clamp(f - half, 0, frames - 1 - 2 * half), last = first + 2 * half;
    const Parabola center = fit(first, last, f, frame_rate, [&](int i) -> Vec3 {
      return poses_world[i] * object.center_of_mass;
    });
    // The rotation since `f`: at zero its derivatives are angular velocity and acceleration.
    const Quat back = poses_world[f].rotation.conjugate();
    const Parabola turn = fit(first, last, f, frame_rate, [&](int i) -> Vec3 {
      return log_map(poses_world[i].rotation * back);
    });
    const Mat3 rotation = poses_world[f].rotation.toRotationMatrix();
    const Mat3 inertia = rotation * object.inertia * rotation.transpose();
    const Vec3 force = object.mass * (center.second - gravity_world());
    const Vec3 torque = inertia * turn.second + turn.first.cross(inertia * turn.first);
    means.row(f) << force.transpose(), torque.transpose();
    motion.velocity_world.push_back(center.first);
    motion.spin_world.push_back(turn.first);
  }
  Eigen::Matrix<double, 6, 1> unit;
  unit.head<3>().setConstant(object.mass * kStandardGravity);
  unit.tail<3>().setConstant(object.mass * kStandardGravity * lever(object));
  const Eigen::MatrixXd forces =
      sharpened(means * unit.cwiseInverse().asDiagonal(), half) * unit.asDiagonal();
  for (int f = 0; f < frames; ++f) {
    motion.wanted.push_back({forces.row(f).head<3>(), forces.row(f).tail<3>()});
  }
  return motion;
}

}  // namespace prehend::contact_sampling
