// Kry and Pai, "Interaction Capture and Synthesis", SIGGRAPH 2006, section 4.2.
// Implements: the second-order system f = m z'' + b z' + k z + f0 fitted by least squares over a
//             window of 20 to 25 ms, and k_G of table 2.
// Departs:    the equation is integrated twice over time before it is fitted, so that no measured
//             position is differentiated: at 500 Hz the window has a dozen samples, and the second
//             derivative of markers with 0.3 mm of noise would be noise alone.
// Symbols:    z fingertip along the push [m]; m, b, k, f0 mass, damping, stiffness, rest force.
#include "prehend/methods/interaction/perturbation.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <Eigen/LU>
#include <Eigen/QR>

#include "prehend/core/hand_kinematics.h"
#include "prehend/core/smooth.h"

namespace prehend::interaction {
namespace {

constexpr int kFewestSamples = 8;
constexpr double kApart = 0.1;    // s: reflexes; a second push within it is none
constexpr double kOfPeak = 0.05;  // of the force's fastest rise: the push began before it
constexpr double kOfRise = 0.02, kNoise = 4.0;  // of the force's rise, of its noise: still at rest
constexpr double kRiseOver = 0.006;  // s to either side over which the force's rise is found
constexpr int kFiner = 8;            // steps of an integral between two samples

// Running integral, zero at the first sample.
Eigen::VectorXd integral(const Eigen::VectorXd& values, double rate) {
  Eigen::VectorXd sums = Eigen::VectorXd::Zero(values.size());
  for (Eigen::Index i = 1; i < values.size(); ++i)
    sums[i] = sums[i - 1] + 0.5 * (values[i - 1] + values[i]) / rate;
  return sums;
}

// The samples and kFiner - 1 values between each two, along cubics through them (Catmull and Rom
// 1974): a push lasts a few samples, and trapezoids between them would be 5 % of it off.
Eigen::VectorXd finer(const Eigen::VectorXd& values) {
  const Eigen::Index last = values.size() - 1;
  Eigen::VectorXd made(last * kFiner + 1);
  for (Eigen::Index i = 0; i < last; ++i) {
    const double p1 = values[i], p2 = values[i + 1];
    const double p0 = i > 0 ? values[i - 1] : p1,
                 p3 = i + 2 <= last ? values[i + 2] : 2.0 * p2 - p1;
    for (int k = 0; k < kFiner; ++k) {
      const double t = double(k) / kFiner;
      made[i * kFiner + k] =
          p1 + 0.5 * t *
                   (p2 - p0 +
                    t * (2.0 * p0 - 5.0 * p1 + 4.0 * p2 - p3 + t * (3.0 * (p1 - p2) + p3 - p0)));
    }
  }
  made[last * kFiner] = values[last];
  return made;
}

class Fitter {
 public:
  Fitter(const Capture& capture, const HandCompliance& compliance,
         const PerturbationOptions& options, const Vec3& direction)
      : capture_(capture), compliance_(compliance), options_(options), kinematics_(*capture.hand) {
    made_.direction_world = direction;
  }

  Perturbation run() {
    for (const ForceChannel& channel : capture_.channels) find_pushes(channel);
    summarize();
    return std::move(made_);
  }

 private:
  // Place along the push of one material point of the segment, at every frame.
  std::vector<double> heights(const ForceChannel& channel, const Vec3& point_segment) {
    std::vector<double> z;
    for (int f = 0; f < capture_.frame_count(); ++f) {
      kinematics_.update(capture_.roots_world[f], capture_.coordinates[f]);
      z.push_back(
          made_.direction_world.dot(kinematics_.frames_world()[channel.segment] * point_segment));
    }
    return z;
  }

  double force_at(const ForceChannel& channel, double time) const {
    const double at = (time - channel.start) * channel.rate;
    const int last = static_cast<int>(channel.forces_world.size()) - 1;
    if (at < 0.0 || at > last) return 0.0;
    const int before = static_cast<int>(at), after = std::min(before + 1, last);
    const double share = at - before;
    return made_.direction_world.dot((1.0 - share) * channel.forces_world[before] +
                                     share * channel.forces_world[after]);
  }

  void find_pushes(const ForceChannel& channel) {
    const double rate = capture_.frame_rate;
    const int frames = capture_.frame_count();
    // The point where the force acts most: the mean, by force.
    Vec3 point = Vec3::Zero();
    double weight = 0.0;
    for (std::size_t i = 0; i < channel.forces_world.size(); ++i) {
      const double w = channel.forces_world[i].norm();
      point += w * channel.points_segment[i];
      weight += w;
    }
    if (!(weight > 0.0)) return;
    const std::vector<double> z = heights(channel, point / weight);
    // Forces show a push better than places, whose noise is a good share of it.
    Eigen::VectorXd force(frames);
    for (int f = 0; f < frames; ++f) force[f] = force_at(channel, f / rate);
    const Eigen::VectorXd rise = smooth(force, rate, kRiseOver).first;
    const int apart = static_cast<int>(kApart * rate),
              rest = static_cast<int>(options_.rest * rate);
    for (int f = rest + 1; f + 1 < frames; ++f) {
      if (rise[f] < options_.least_rise || force[f] < options_.least_force) continue;
      int peak = f, start = f;
      while (peak + 1 < frames && rise[peak + 1] > rise[peak]) ++peak;
      while (start > rest && rise[start] > kOfPeak * rise[peak]) --start;
      add_trial(channel, point / weight, z, push_begins(channel, start));
      f = peak + apart;
    }
  }

  // The last frame at which the force is still that of rest: the smoothed force rises too early.
  int push_begins(const ForceChannel& channel, int start) const {
    const double rate = capture_.frame_rate;
    const int rest = static_cast<int>(options_.rest * rate);
    const int last = std::min(capture_.frame_count() - 1,
                              start + static_cast<int>(std::lround(options_.window * rate)));
    double mean = 0.0, squares = 0.0, most = 0.0;
    for (int f = start - rest; f < start; ++f) mean += force_at(channel, f / rate) / rest;
    for (int f = start - rest; f < start; ++f)
      squares += std::pow(force_at(channel, f / rate) - mean, 2) / rest;
    for (int f = start; f <= last; ++f) most = std::max(most, force_at(channel, f / rate) - mean);
    const double leaves = mean + kOfRise * most + kNoise * std::sqrt(squares);
    while (start < last && force_at(channel, (start + 1) / rate) <= leaves) ++start;
    return start;
  }

  void add_trial(const ForceChannel& channel, const Vec3& point, const std::vector<double>& z,
                 int start) {
    const double rate = capture_.frame_rate;
    const int rest = static_cast<int>(options_.rest * rate);
    const int count = static_cast<int>(std::lround(options_.window * rate)) + 1;
    PerturbationTrial& trial = made_.trials.emplace_back();
    trial.time = start / rate;
    trial.segment = channel.segment;
    if (start < rest || start + count > capture_.frame_count()) {
      trial.discarded = "the capture ends within the window";
      return;
    }
    double z0 = 0.0, f0 = 0.0;
    for (int f = start - rest; f < start; ++f) {
      z0 += z[f] / rest;
      f0 += force_at(channel, f / rate) / rest;
    }
    for (int f = start; f < start + count; ++f) {
      trial.height.push_back(z[f] - z0);
      trial.force.push_back(force_at(channel, f / rate));
    }
    trial.fit = fit_second_order(trial.height, trial.force, f0, rate);
    const Mat3 g = endpoint_compliance(*capture_.hand, compliance_, capture_.roots_world[start],
                                       capture_.coordinates[start], channel.segment, point);
    const Vec3& d = made_.direction_world;
    trial.k_endpoint = 1.0 / d.dot(g * d);
    if (f0 < options_.least_force) trial.discarded = "the finger did not rest on it";
  }

  // One fit of the mean push, whose noise is less than any push's, and the spread of the pushes'.
  void summarize() {
    std::vector<double> height, force, k;
    double f0 = 0.0;
    for (const PerturbationTrial& trial : made_.trials) {
      if (!trial.discarded.empty()) continue;
      if (height.empty()) {
        height.assign(trial.height.size(), 0.0);
        force = height;
      }
      for (std::size_t i = 0; i < height.size(); ++i) {
        height[i] += trial.height[i];
        force[i] += trial.force[i];
      }
      f0 += trial.fit.f0;
      k.push_back(trial.fit.k);
      made_.k_endpoint += trial.k_endpoint;
    }
    made_.counted = static_cast<int>(k.size());
    made_.summary.iterations = static_cast<int>(made_.trials.size());
    made_.summary.message =
        fmt::format("{} of {} pushes count", made_.counted, made_.trials.size());
    if (made_.counted == 0) {
      made_.summary.termination = Termination::kFailed;
      return;
    }
    for (double& z : height) z /= made_.counted;
    for (double& f : force) f /= made_.counted;
    made_.k_endpoint /= made_.counted;
    made_.mean = fit_second_order(height, force, f0 / made_.counted, capture_.frame_rate);
    std::sort(k.begin(), k.end());
    made_.k_low = k[k.size() / 4];
    made_.k_high = k[3 * k.size() / 4];
    made_.summary.residual = made_.mean.residual;
  }

  const Capture& capture_;
  const HandCompliance& compliance_;
  const PerturbationOptions& options_;
  HandKinematics kinematics_;
  Perturbation made_;
};

}  // namespace

SecondOrderFit fit_second_order(const std::vector<double>& height, const std::vector<double>& force,
                                double f0, double rate) {
  SecondOrderFit made;
  made.f0 = f0;
  const Eigen::Index count = static_cast<Eigen::Index>(height.size());
  if (count < 4) return made;
  const Eigen::VectorXd z = finer(Eigen::Map<const Eigen::VectorXd>(height.data(), count));
  const Eigen::VectorXd change =
      finer(Eigen::Map<const Eigen::VectorXd>(force.data(), count)).array() - f0;
  rate *= kFiner;
  // m z + b I(z) + k I(I(z)) = I(I(f - f0)), I the integral over time from rest.
  const Eigen::VectorXd once = integral(z, rate);
  Eigen::MatrixXd basis(z.size(), 3);
  basis << z, once, integral(once, rate);
  const Eigen::VectorXd right = integral(integral(change, rate), rate);
  const Eigen::Vector3d found = basis.colPivHouseholderQr().solve(right);
  made.m = found[0];
  made.b = found[1];
  made.k = found[2];
  made.residual = (basis * found - right).norm() / std::max(1e-300, right.norm());
  return made;
}

Result<Perturbation> fit_perturbation(const Capture& capture, const HandCompliance& compliance,
                                      const PerturbationOptions& options,
                                      const Vec3& direction_world) {
  if (const Status good = validate(capture); !good) return good.error();
  const double needed = (kFewestSamples - 1) / options.window;
  double lowest = capture.frame_rate;
  for (const ForceChannel& channel : capture.channels) lowest = std::min(lowest, channel.rate);
  if (lowest < needed - 1e-9)
    return Error{
        fmt::format("a capture at {:.0f} Hz: the {:.0f} ms after a push need {} samples, "
                    "that is {:.0f} Hz",
                    lowest, 1e3 * options.window, kFewestSamples, std::ceil(needed))};
  return Fitter(capture, compliance, options, direction_world.normalized()).run();
}

}  // namespace prehend::interaction
