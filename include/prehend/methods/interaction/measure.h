// Joint compliance and reference trajectory from a capture of motion and force.
//
// Kry and Pai 2006, sections 3.3, 3.4 and 4.3: at the time of contact a joint's angle leaves the
// way that it was going. Within the latency of reflexes, about 100 ms, that deviation is what the
// joint's compliance makes of the contact's torque.
#pragma once

#include <cstdint>
#include <span>

#include "prehend/core/summary.h"
#include "prehend/methods/interaction/capture.h"

namespace prehend::interaction {

struct MeasureOptions {
  // N above the sensor's base: contact begins when a force rises above the first (or 8 standard
  // deviations of the noise) and ends when it falls below the second (or 4). The onset is then
  // where
  // the rise began: the last sample before it that is within the noise, two deviations of its mean.
  double onset_force = 0.15;
  double release_force = 0.05;
  int rejoin_samples = 20;  // a force that is back after fewer samples was never away
  // s of free motion before contact to which the first polynomial is fitted. Where the joint was
  // going is carried on from there: with 0.1 s its noise is nearly twice as large, and over 0.2 s a
  // soft wrist does not move straight.
  double before = 0.15;
  // s after contact between which angle and torque are fitted. Until 30 ms the impact itself acts,
  // from 100 ms on reflexes do.
  double after_begin = 0.03;
  double after_end = 0.095;
  int degree = 0;  // of the polynomials: 1, 2, or 0 to choose by the data
  int bootstrap = 1000;
  std::uint64_t seed = 1;
};

// c0 + c1 t + c2 t^2 by least squares, times from `origin`.
struct Polynomial {
  double origin = 0.0;
  Vec3 c = Vec3::Zero();
  int degree = 1;
  double residual = 0.0;     // root mean square
  double slope_error = 0.0;  // standard error of c1

  double value(double time) const;
  double slope(double time) const;
};
// Degree 0 chooses 2 where it lowers the residual by more than chance would.
Polynomial fit_polynomial(std::span<const double> times, std::span<const double> values,
                          double origin, int degree);

// Index of a compliant direction: 3 to 5 are turns of the root about its axes, 6 and up the joints'
// coordinates.
struct EventEstimate {
  int direction = 0;
  double compliance = 0.0;  // rad/(N m)
  std::string discarded;    // why it does not count, or nothing
  Polynomial before, after, torque;
};

struct ContactEvent {
  int channel = 0;
  double time = 0.0;  // s of the onset on the motion's clock
  double end = 0.0;   // s when contact was lost
  std::vector<EventEstimate> estimates;
};

struct JointCompliance {
  std::string name;
  int direction = 0;
  double compliance = 0.0;             // median over the events
  double low = 0.0, high = 0.0;        // 95 % of bootstrapped medians
  double spread = 0.0;                 // half the distance of the quartiles
  int events = 0;                      // that count
  std::vector<std::string> discarded;  // one reason a discarded event
};

struct Measurement {
  std::vector<ContactEvent> events;
  std::vector<JointCompliance> joints;  // those that any event bears on
  double damping_time = 0.0;            // s: damping over stiffness, one for all joints
  InteractionTrajectory trajectory;
  Summary summary;
};

// "wrist-flexion" and the like for the root, else the joint's name.
std::string direction_name(const Hand& hand, int direction);

// Onsets of contact in one channel, and where each ends, as sample numbers. Used for forces alone
// too: `magnitudes` in newtons.
struct ForceOnset {
  double onset = 0.0, end = 0.0;  // samples
};
std::vector<ForceOnset> find_onsets(std::span<const double> magnitudes,
                                    const MeasureOptions& options = {});

// Hz of motion and forces that measure() needs at least for these windows.
double least_rate(const MeasureOptions& options = {});

// Compliances that no event determines are those of `assumed`. Fails on a capture that validate()
// refuses, on a rate too low for the windows and on sensors that saturate throughout.
Result<Measurement> measure(const Capture& capture, const HandCompliance& assumed,
                            const MeasureOptions& options = {});

// theta_r = theta - C tau (eq. 1) for every frame.
InteractionTrajectory reference_trajectory(const Capture& capture,
                                           const HandCompliance& compliance);

}  // namespace prehend::interaction
