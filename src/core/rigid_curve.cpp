#include "prehend/core/rigid_curve.h"

#include <algorithm>

#include "prehend/core/assert.h"
#include "prehend/core/smooth.h"

namespace prehend {
namespace {

using Vec7 = Eigen::Matrix<double, 7, 1>;

// Quaternions of both signs are the same rotation: the one nearer to the last is taken.
std::vector<Vec7> as_vectors(std::span<const Transform> poses) {
  std::vector<Vec7> values;
  values.reserve(poses.size());
  for (const Transform& pose : poses) {
    Vec7 value;
    value << pose.position, pose.rotation.normalized().coeffs();
    if (!values.empty() && values.back().tail<4>().dot(value.tail<4>()) < 0.0)
      value.tail<4>() *= -1.0;
    values.push_back(value);
  }
  return values;
}

// Slope that keeps a curve between its neighbors: none at a turning point, elsewhere the harmonic
// mean of both sides (Fritsch and Butland 1984).
double monotone_slope(double before, double after, double step_before, double step_after) {
  if (before * after <= 0.0) return 0.0;
  const double a = 2.0 * step_after + step_before, b = step_after + 2.0 * step_before;
  return (a + b) / (a / before + b / after);
}

}  // namespace

RigidCurve RigidCurve::still(const Transform& pose) {
  const double time = 0.0;
  return through_keyframes({&time, 1}, {&pose, 1});
}

RigidCurve RigidCurve::through_keyframes(std::span<const double> times,
                                         std::span<const Transform> poses) {
  PREHEND_ASSERT(times.size() == poses.size());
  RigidCurve curve;
  curve.times_.assign(times.begin(), times.end());
  const std::vector<Vec7> values = as_vectors(poses);
  for (size_t i = 0; i < values.size(); ++i) {
    Knot knot{values[i], Vec7::Zero(), Vec7::Zero()};
    if (i > 0 && i + 1 < values.size()) {
      const double before = times[i] - times[i - 1], after = times[i + 1] - times[i];
      for (int k = 0; k < 7; ++k)
        knot.slope[k] = monotone_slope((values[i][k] - values[i - 1][k]) / before,
                                       (values[i + 1][k] - values[i][k]) / after, before, after);
    }
    curve.knots_.push_back(knot);
  }
  return curve;
}

RigidCurve RigidCurve::through_samples(std::span<const Transform> poses, double frame_rate,
                                       double smoothing) {
  RigidCurve curve;
  const std::vector<Vec7> values = as_vectors(poses);
  Eigen::MatrixXd samples(values.size(), 7);
  for (size_t i = 0; i < values.size(); ++i) samples.row(i) = values[i].transpose();
  if (samples.rows() == 0) return curve;
  const Smoothed fitted = smooth(samples, frame_rate, smoothing);
  for (int i = 0; i < samples.rows(); ++i) {
    curve.times_.push_back(i / frame_rate);
    curve.knots_.push_back({fitted.value.row(i), fitted.first.row(i), fitted.second.row(i)});
  }
  return curve;
}

RigidCurve RigidCurve::through_motions(std::span<const double> times,
                                       std::span<const Motion> motions) {
  PREHEND_ASSERT(times.size() == motions.size());
  RigidCurve curve;
  curve.times_.assign(times.begin(), times.end());
  std::vector<Transform> poses;
  for (const Motion& motion : motions) poses.push_back(motion.pose);
  const std::vector<Vec7> values = as_vectors(poses);
  for (size_t i = 0; i < values.size(); ++i) {
    const Motion& motion = motions[i];
    // r' = omega r / 2, hence r'' = omega' r / 2 + omega omega r / 4, and omega omega is
    // -|omega|^2.
    const auto times_r = [&](const Vec3& v) -> Eigen::Vector4d {
      return (Quat(0.0, v.x(), v.y(), v.z()) * Quat(Eigen::Vector4d(values[i].tail<4>()))).coeffs();
    };
    Knot knot{values[i], Vec7::Zero(), Vec7::Zero()};
    knot.slope << motion.velocity, 0.5 * times_r(motion.angular_velocity);
    knot.bend << motion.acceleration,
        0.5 * times_r(motion.angular_acceleration) -
            0.25 * motion.angular_velocity.squaredNorm() * values[i].tail<4>();
    curve.knots_.push_back(knot);
  }
  return curve;
}

RigidCurve::Motion RigidCurve::at(double time) const {
  Motion motion;
  if (knots_.empty()) return motion;
  const bool inside = time > times_.front() && time < times_.back();
  const Knot& end = time <= times_.front() ? knots_.front() : knots_.back();
  Vec7 x = end.value, v = Vec7::Zero(), a = Vec7::Zero();
  if (inside) {
    const auto after = std::upper_bound(times_.begin(), times_.end(), time);
    const size_t i = static_cast<size_t>(after - times_.begin()) - 1;
    const Knot &p = knots_[i], &q = knots_[i + 1];
    const double h = times_[i + 1] - times_[i], t = (time - times_[i]) / h;
    // Coefficients of the quintic in t that has both ends' values, slopes and bends.
    const Vec7 c1 = h * p.slope, c2 = 0.5 * h * h * p.bend;
    const Vec7 gap = q.value - p.value - c1 - c2;
    const Vec7 slope = h * q.slope - c1 - 2.0 * c2;
    const Vec7 bend = h * h * q.bend - 2.0 * c2;
    const Vec7 c3 = 10.0 * gap - 4.0 * slope + 0.5 * bend;
    const Vec7 c4 = -15.0 * gap + 7.0 * slope - bend;
    const Vec7 c5 = 6.0 * gap - 3.0 * slope + 0.5 * bend;
    x = p.value + t * (c1 + t * (c2 + t * (c3 + t * (c4 + t * c5))));
    v = (c1 + t * (2.0 * c2 + t * (3.0 * c3 + t * (4.0 * c4 + t * 5.0 * c5)))) / h;
    a = (2.0 * c2 + t * (6.0 * c3 + t * (12.0 * c4 + t * 20.0 * c5))) / (h * h);
  }
  // With r the quaternion before it is made unit, omega = 2 Im(r' r*) / |r|^2, and differentiating,
  // omega' = 2 Im(r'' r*) / |r|^2 - 2 (r . r') / |r|^2 omega.
  const Quat r(Eigen::Vector4d(x.tail<4>()));
  const Quat back = r.conjugate();
  const double square = r.squaredNorm();
  motion.pose = {r.normalized(), x.head<3>()};
  motion.velocity = v.head<3>();
  motion.acceleration = a.head<3>();
  motion.angular_velocity = 2.0 / square * (Quat(Eigen::Vector4d(v.tail<4>())) * back).vec();
  motion.angular_acceleration =
      2.0 / square * (Quat(Eigen::Vector4d(a.tail<4>())) * back).vec() -
      2.0 * x.tail<4>().dot(v.tail<4>()) / square * motion.angular_velocity;
  return motion;
}

}  // namespace prehend
