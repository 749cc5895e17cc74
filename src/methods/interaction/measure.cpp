// Kry and Pai, "Interaction Capture and Synthesis", SIGGRAPH 2006, sections 3.3, 3.4 and 4.3.
// Implements: contact onsets from force, polynomials of degree 1 or 2 before and after contact,
//             compliance from the angle's deviation and the torque, discarded estimates, the
//             reference trajectory (eq. 1).
// Departs:    - Compliance is not the quotient of two slopes at contact, which counts impact and
//               damping as stiffness (15 to 30 % too stiff on the virtual subject): the angle
//               before and 30 to 95 ms after contact is fitted by free motion plus compliance
//               times the torque behind a damper (spring_fit.h). The polynomials after contact are
//               for the eye (figure 3).
//             - Medians with bootstrapped bounds; the paper gives one number a joint.
// Symbols:    theta angle; tau = J^T f torque; C compliance; theta_r reference.
#include "prehend/methods/interaction/measure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <Eigen/QR>

#include "methods/interaction/spring_fit.h"
#include "prehend/core/random.h"
#include "prehend/core/smooth.h"

namespace prehend::interaction {
namespace {

constexpr int kFewestSamples = 8;         // in a window
constexpr double kGuard = 0.004;          // s before contact that the first fit leaves out
constexpr double kFewTorqueErrors = 5.0;  // a torque below so many standard errors is none
constexpr double kLeastTorque = 0.0005;   // N m: less is no load on the joint
// Standard deviations of the noise above the base at which contact surely began, and under which it
// surely ended.
constexpr double kTouchNoise = 8.0, kLeaveNoise = 4.0;
// s to either side: levers change little in it, and 50 samples at 500 Hz take their noise away.
constexpr double kLeverSmoothing = 0.05;
constexpr double kSaturated = 0.2;  // of the contact's samples at one and the same largest force

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0.0;
  std::sort(values.begin(), values.end());
  const double at = share * (values.size() - 1.0);
  const std::size_t low = static_cast<std::size_t>(at);
  const std::size_t high = std::min(low + 1, values.size() - 1);
  return values[low] + (at - low) * (values[high] - values[low]);
}

Polynomial fit(std::span<const double> times, std::span<const double> values, double origin,
               int degree) {
  Polynomial p;
  p.origin = origin;
  p.degree = degree;
  const Eigen::Index count = static_cast<Eigen::Index>(times.size());
  Eigen::MatrixXd basis(count, degree + 1);
  Eigen::VectorXd right(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const double t = times[i] - origin;
    for (int d = 0; d <= degree; ++d) basis(i, d) = std::pow(t, d);
    right[i] = values[i];
  }
  const Eigen::VectorXd c = basis.colPivHouseholderQr().solve(right);
  p.c.head(degree + 1) = c;
  const double squares = (basis * c - right).squaredNorm();
  p.residual = std::sqrt(squares / std::max<double>(1.0, count));
  const Eigen::MatrixXd covariance = (basis.transpose() * basis).inverse();
  p.slope_error =
      std::sqrt(squares / std::max<double>(1.0, count - degree - 1.0) * covariance(1, 1));
  return p;
}

// Times and values of a capture's signal within a window.
struct Window {
  std::vector<double> times, values;
};

// The capture with smooth motion, to take levers from: noise of a joint would move its own lever,
// and torque and angle would agree by it.
Capture smoothed(Capture capture) {
  const int frames = capture.frame_count(), dof = capture.hand->dof();
  Eigen::MatrixXd samples(frames, 7 + dof);
  for (int f = 0; f < frames; ++f) {
    const Transform& root = capture.roots_world[f];
    Quat q = root.rotation;
    if (f > 0 && q.coeffs().dot(samples.row(f - 1).segment<4>(3).transpose()) < 0.0)
      q.coeffs() = -q.coeffs();
    samples.row(f) << root.position.transpose(), q.coeffs().transpose(),
        capture.coordinates[f].transpose();
  }
  samples = smooth(samples, capture.frame_rate, kLeverSmoothing).value;
  for (int f = 0; f < frames; ++f) {
    capture.roots_world[f].position = samples.row(f).head<3>();
    capture.roots_world[f].rotation.coeffs() = samples.row(f).segment<4>(3);
    capture.roots_world[f].rotation.normalize();
    capture.coordinates[f] = samples.row(f).tail(dof);
  }
  return capture;
}

class Measurer {
 public:
  Measurer(const Capture& capture, const HandCompliance& assumed, const MeasureOptions& options)
      : capture_(capture),
        assumed_(assumed),
        options_(options),
        torques_(contact_torques(smoothed(capture))) {}

  Result<Measurement> run() {
    if (const Status good = check_rates(); !good) return good.error();
    find_events();
    for (ContactEvent& event : made_.events) estimate(event);
    find_springs();
    summarize();
    made_.trajectory = reference_trajectory(capture_, compliance_);
    made_.trajectory.low = low_;
    made_.trajectory.high = high_;
    made_.trajectory.compliance_measured = !made_.joints.empty();
    int counted = 0;
    for (const JointCompliance& joint : made_.joints) counted += joint.events;
    made_.summary.iterations = static_cast<int>(made_.events.size());
    made_.summary.message =
        fmt::format("{} contacts, {} estimates that count", made_.events.size(), counted);
    if (const std::string reason = one_reason(); counted == 0 && !reason.empty())
      return Error{
          fmt::format("none of {} contacts tells a compliance: {}", made_.events.size(), reason)};
    if (counted == 0) made_.summary.termination = Termination::kFailed;
    return std::move(made_);
  }

 private:
  Status check_rates() const {
    const double window = options_.after_end - options_.after_begin;
    const double needed = least_rate(options_);
    const auto low = [&](double rate, const char* what) {
      return Error{fmt::format(
          "{} at {:.0f} Hz: the {:.0f} ms before reflexes act need {} samples, that is {:.0f} Hz",
          what, rate, 1e3 * window, kFewestSamples, std::ceil(needed))};
    };
    if (capture_.frame_rate < needed) return low(capture_.frame_rate, "motion");
    for (const ForceChannel& channel : capture_.channels)
      if (channel.rate < needed) return low(channel.rate, "forces");
    return {};
  }

  // Why estimates were discarded, if it is the same for all of them.
  std::string one_reason() const {
    std::string reason;
    for (const ContactEvent& event : made_.events)
      for (const EventEstimate& e : event.estimates) {
        if (e.discarded.empty() || (!reason.empty() && e.discarded != reason)) return {};
        reason = e.discarded;
      }
    return reason;
  }

  void find_events() {
    for (std::size_t c = 0; c < capture_.channels.size(); ++c) {
      const ForceChannel& channel = capture_.channels[c];
      std::vector<double> magnitudes;
      for (const Vec3& force : channel.forces_world) magnitudes.push_back(force.norm());
      for (const ForceOnset& onset : find_onsets(magnitudes, options_))
        made_.events.push_back({static_cast<int>(c),
                                channel.start + onset.onset / channel.rate,
                                channel.start + onset.end / channel.rate,
                                {}});
    }
    std::stable_sort(made_.events.begin(), made_.events.end(),
                     [](const ContactEvent& a, const ContactEvent& b) { return a.time < b.time; });
  }

  // Angle of a direction against where it is at the contact.
  double angle(int direction, int frame, int contact_frame) const {
    if (direction >= 6) return capture_.coordinates[frame][direction - 6];
    const Quat& there = capture_.roots_world[contact_frame].rotation;
    return log_map(there.conjugate() * capture_.roots_world[frame].rotation)[direction - 3];
  }

  template <typename Signal>
  Window window(double from, double to, const Signal& signal) const {
    Window w;
    const int first = std::max(0, static_cast<int>(std::ceil(from * capture_.frame_rate)));
    const int last = std::min(capture_.frame_count() - 1,
                              static_cast<int>(std::floor(to * capture_.frame_rate)));
    for (int f = first; f <= last; ++f) {
      w.times.push_back(f / capture_.frame_rate);
      w.values.push_back(signal(f));
    }
    return w;
  }

  std::vector<int> directions_of(int segment) const {
    std::vector<int> directions = {3, 4, 5};
    const std::vector<int> offsets = coordinate_offsets(*capture_.hand);
    for (int s = segment; s >= 0; s = capture_.hand->segments[s].parent)
      for (int c = offsets[s]; c < offsets[s + 1]; ++c)
        if (assumed_.joints[c] > 0.0) directions.push_back(6 + c);
    std::sort(directions.begin(), directions.end());
    return directions;
  }

  // Why an event as a whole cannot be used, or nothing.
  std::string unusable(const ContactEvent& event) const {
    if (event.end < event.time + options_.after_end) return "contact shorter than the window";
    if (event.time < options_.before) return "no free motion before contact";
    for (const ContactEvent& other : made_.events)
      if (&other != &event && other.end > event.time - options_.before &&
          other.time < event.time + options_.after_end)
        return "another contact within the windows";
    const ForceChannel& channel = capture_.channels[event.channel];
    double most = 0.0;
    int alike = 0, all = 0;
    const int first = static_cast<int>((event.time - channel.start) * channel.rate);
    const int last = std::min(
        static_cast<int>(channel.forces_world.size()) - 1,
        static_cast<int>((event.time + options_.after_end - channel.start) * channel.rate));
    for (int i = std::max(0, first); i <= last; ++i)
      most = std::max(most, channel.forces_world[i].norm());
    for (int i = std::max(0, first); i <= last; ++i, ++all)
      alike += channel.forces_world[i].norm() > (1.0 - 1e-9) * most;
    if (all > 0 && alike > kSaturated * all) return "the sensor saturates";
    return {};
  }

  void estimate(ContactEvent& event) {
    const std::string reason = unusable(event);
    const int contact_frame =
        std::clamp(static_cast<int>(std::lround(event.time * capture_.frame_rate)), 0,
                   capture_.frame_count() - 1);
    const std::vector<int> directions = directions_of(capture_.channels[event.channel].segment);
    event.estimates.resize(directions.size());
    for (std::size_t i = 0; i < directions.size(); ++i) {
      event.estimates[i].direction = directions[i];
      event.estimates[i].discarded = reason;
      if (reason.empty()) estimate(event, contact_frame, event.estimates[i]);
    }
  }

  void estimate(const ContactEvent& event, int contact_frame, EventEstimate& e) {
    const auto angles = [&](int f) { return angle(e.direction, f, contact_frame); };
    const auto torque = [&](int f) { return torques_(e.direction, f); };
    const Window before = window(event.time - options_.before, event.time - kGuard, angles);
    const double from = event.time + options_.after_begin, to = event.time + options_.after_end;
    const Window after = window(from, to, angles), load = window(from, to, torque);
    if (before.times.size() < kFewestSamples || after.times.size() < kFewestSamples) {
      e.discarded = "too few samples in a window";
      return;
    }
    const double middle = 0.5 * (from + to);
    e.before = fit_polynomial(before.times, before.values, event.time, options_.degree);
    e.after = fit_polynomial(after.times, after.values, middle, options_.degree);
    e.torque = fit_polynomial(load.times, load.values, middle, options_.degree);
    const double error = e.torque.residual / std::sqrt(double(load.times.size()));
    if (std::abs(e.torque.value(middle)) < std::max(kLeastTorque, kFewTorqueErrors * error)) {
      e.discarded = "hardly any torque (near a singular posture)";
      return;
    }
    readings_[e.direction].readings.push_back(reading(event, contact_frame, e.direction));
  }

  // The joint from the free motion to the end of the window; its angle from the first sample's on.
  TouchReading reading(const ContactEvent& event, int contact_frame, int direction) const {
    const double rate = capture_.frame_rate;
    const int first =
        std::max(0, static_cast<int>(std::ceil((event.time - options_.before) * rate)));
    const int last =
        std::min(capture_.frame_count() - 1,
                 static_cast<int>(std::floor((event.time + options_.after_end) * rate)));
    TouchReading made;
    made.step = 1.0 / rate;
    for (int f = first; f <= last; ++f) {
      const double t = f / rate - event.time;
      made.time.push_back(t);
      made.angle.push_back(angle(direction, f, contact_frame) -
                           angle(direction, first, contact_frame));
      made.torque.push_back(t > -kGuard ? torques_(direction, f) : 0.0);
      made.part.push_back(t <= -kGuard                ? TouchReading::Part::kFree
                          : t >= options_.after_begin ? TouchReading::Part::kTouching
                                                      : TouchReading::Part::kNeither);
    }
    return made;
  }

  void find_springs() {
    std::vector<JointReadings> fingers;
    for (auto& [direction, joint] : readings_) {
      joint.degree = options_.degree > 0 ? options_.degree : free_degree(joint.readings);
      // The wrist moves the whole hand, whose inertia would pass for less damping.
      if (direction >= 6) fingers.push_back(joint);
    }
    made_.damping_time = likeliest_damping_time(fingers);
    std::map<int, std::size_t> next;
    for (ContactEvent& event : made_.events)
      for (EventEstimate& e : event.estimates) {
        if (!e.discarded.empty()) continue;
        const JointReadings& joint = readings_[e.direction];
        const TouchFit fit =
            fit_touch(joint.readings[next[e.direction]++], made_.damping_time, joint.degree);
        e.compliance = fit.compliance;
        if (!(e.compliance > 0.0)) e.discarded = "negative compliance";
      }
  }

  void summarize() {
    compliance_ = low_ = high_ = assumed_;
    const int directions = 6 + capture_.hand->dof();
    for (int d = 3; d < directions; ++d) {
      JointCompliance joint;
      joint.direction = d;
      joint.name = direction_name(*capture_.hand, d);
      std::vector<double> values;
      for (const ContactEvent& event : made_.events)
        for (const EventEstimate& e : event.estimates) {
          if (e.direction != d) continue;
          if (e.discarded.empty())
            values.push_back(e.compliance);
          else
            joint.discarded.push_back(e.discarded);
        }
      if (values.empty() && joint.discarded.empty()) continue;
      joint.events = static_cast<int>(values.size());
      if (!values.empty()) bound(values, joint);
      made_.joints.push_back(joint);
      if (values.empty()) continue;
      double* target[] = {&compliance_.root[0], &low_.root[0], &high_.root[0]};
      if (d >= 6) {
        target[0] = &compliance_.joints[0];
        target[1] = &low_.joints[0];
        target[2] = &high_.joints[0];
      }
      const int at = d >= 6 ? d - 6 : d;
      target[0][at] = joint.compliance;
      target[1][at] = joint.low;
      target[2][at] = joint.high;
    }
  }

  void bound(const std::vector<double>& values, JointCompliance& joint) const {
    joint.compliance = quantile(values, 0.5);
    joint.spread = 0.5 * (quantile(values, 0.75) - quantile(values, 0.25));
    Random random(options_.seed, static_cast<std::uint64_t>(joint.direction));
    std::vector<double> medians, drawn(values.size());
    for (int b = 0; b < options_.bootstrap; ++b) {
      for (double& x : drawn) x = values[random.below(static_cast<int>(values.size()))];
      medians.push_back(quantile(drawn, 0.5));
    }
    joint.low = medians.empty() ? joint.compliance : quantile(medians, 0.025);
    joint.high = medians.empty() ? joint.compliance : quantile(medians, 0.975);
  }

  const Capture& capture_;
  const HandCompliance& assumed_;
  const MeasureOptions& options_;
  Eigen::MatrixXd torques_;
  Measurement made_;
  std::map<int, JointReadings> readings_;  // by direction, in the order of the events
  HandCompliance compliance_, low_, high_;
};

}  // namespace

double Polynomial::value(double time) const {
  const double t = time - origin;
  return c[0] + t * (c[1] + t * c[2]);
}
double Polynomial::slope(double time) const { return c[1] + 2.0 * (time - origin) * c[2]; }

Polynomial fit_polynomial(std::span<const double> times, std::span<const double> values,
                          double origin, int degree) {
  if (degree != 0) return fit(times, values, origin, degree);
  const Polynomial line = fit(times, values, origin, 1), curve = fit(times, values, origin, 2);
  // The Bayesian information criterion with a margin: a coefficient costs log(n), and twice that is
  // asked because a parabola is carried on beyond its window.
  const double count = static_cast<double>(times.size());
  const double gain = 2.0 * count * std::log((line.residual + 1e-12) / (curve.residual + 1e-12));
  return gain > 4.0 * std::log(count) ? curve : line;
}

std::string direction_name(const Hand& hand, int direction) {
  constexpr std::array<const char*, 6> kRoot = {
      "wrist-x", "wrist-y", "wrist-z", "wrist-flexion", "wrist-deviation", "wrist-pronation"};
  if (direction < 6) return kRoot[direction];
  int c = 6;
  for (const Segment& segment : hand.segments)
    for (const Joint& joint : segment.joints) {
      if (direction < c + joint.dof()) {
        if (joint.dof() == 1) return joint.name;
        return joint.name + "-" + std::string(1, "xyz"[direction - c]);
      }
      c += joint.dof();
    }
  return "";
}

double least_rate(const MeasureOptions& options) {
  return kFewestSamples / (options.after_end - options.after_begin);
}

std::vector<ForceOnset> find_onsets(std::span<const double> magnitudes,
                                    const MeasureOptions& options) {
  std::vector<ForceOnset> onsets;
  const int count = static_cast<int>(magnitudes.size());
  if (count < 3) return onsets;
  // Differences of neighbors show the sensor's noise, the smaller ones even while a force changes:
  // a quarter of a normal distribution's differences are below 0.451 standard deviations.
  std::vector<double> steps;
  for (int i = 1; i < count; ++i) steps.push_back(std::abs(magnitudes[i] - magnitudes[i - 1]));
  const double noise = quantile(steps, 0.25) / 0.451;
  const double base = quantile({magnitudes.begin(), magnitudes.end()}, 0.1);
  const double touch = base + std::max(options.onset_force, kTouchNoise * noise);
  const double leave = base + std::max(options.release_force, kLeaveNoise * noise);
  // The base is a tenth from below, 1.3 deviations under the mean of quiet samples.
  const double quiet = base + (1.3 + 2.0) * noise;
  bool touching = magnitudes[0] > touch;
  double touched_at = -1.0;
  for (int i = 1; i < count; ++i) {
    if (!touching && magnitudes[i] > touch) {
      int start = i - 1;
      while (start > 0 && magnitudes[start] > quiet) --start;
      // Between that sample and the next the force leaves the noise.
      touched_at = start + 0.5;
      touching = true;
    } else if (touching && magnitudes[i] < leave) {
      // A force that comes back at once, as when a finger skips, is the same contact.
      const int end = std::min(count, i + options.rejoin_samples);
      bool back = false;
      for (int k = i; k < end; ++k) back |= magnitudes[k] > touch;
      if (back) continue;
      if (touched_at >= 0.0) onsets.push_back({touched_at, double(i)});
      touching = false;
      touched_at = -1.0;
    }
  }
  if (touching && touched_at >= 0.0) onsets.push_back({touched_at, double(count - 1)});
  return onsets;
}

InteractionTrajectory reference_trajectory(const Capture& capture,
                                           const HandCompliance& compliance) {
  const Eigen::MatrixXd torques = contact_torques(capture);
  InteractionTrajectory made;
  made.name = capture.name;
  made.hand = capture.hand;
  made.frame_rate = capture.frame_rate;
  made.compliance = made.low = made.high = compliance;
  made.objects = capture.objects;
  if (capture.frame_count() > 0 && !torques.col(0).isZero())
    made.start = ReferencePose{capture.roots_world[0], capture.coordinates[0]};
  for (int f = 0; f < capture.frame_count(); ++f) {
    const Transform& root = capture.roots_world[f];
    const Eigen::VectorXd yields = torques.col(f).tail(compliance.joints.size());
    made.coordinates.push_back(capture.coordinates[f] - compliance.joints.cwiseProduct(yields));
    const Eigen::Matrix<double, 6, 1> give = compliance.root.cwiseProduct(torques.col(f).head<6>());
    made.roots_world.push_back({(exp_map(-root.turn(give.tail<3>())) * root.rotation).normalized(),
                                root.position - root.turn(give.head<3>())});
  }
  return made;
}

Result<Measurement> measure(const Capture& capture, const HandCompliance& assumed,
                            const MeasureOptions& options) {
  if (const Status good = validate(capture); !good) return good.error();
  return Measurer(capture, assumed, options).run();
}

}  // namespace prehend::interaction
