// A joint as a damped spring that a contact's torque loads: what its angle says about it.
//
// Around one contact the angle is where the joint was going plus what the torque makes it give way:
//   theta(t) = a + b t (+ c t^2) + C x(t),   T x' + x = tau(t),   x = 0 before contact
// C compliance [rad/(N m)]; T damping over stiffness [s].
#pragma once

#include <span>
#include <vector>

#include <Eigen/Core>

namespace prehend::interaction {

// One joint around one contact, at an even rate.
struct TouchReading {
  // What a sample is for: the free motion before contact, the window after it, or neither (close to
  // the contact and during the impact, where only the torque counts).
  enum class Part { kNeither, kFree, kTouching };

  double step = 0.002;                // s between samples
  std::vector<double> time;           // s after contact
  std::vector<double> angle, torque;  // rad, N m
  std::vector<Part> part;
};

// x of the header: the torque as a damped spring of unit stiffness follows it.
std::vector<double> lagged(std::span<const double> torque, double step, double damping_time);

struct TouchFit {
  double compliance = 0.0;
  double error = 0.0;    // standard error of it
  double squares = 0.0;  // rad^2 that stay unexplained
  int samples = 0;
};
// By least squares over the free and the touching samples together. `degree` is of where the joint
// was going.
TouchFit fit_touch(const TouchReading& reading, double damping_time, int degree);

// The degree that the free motion asks for, over all readings of a joint: 2 only where it explains
// more than chance would.
int free_degree(std::span<const TouchReading> readings);

// Damping over stiffness, one for all joints (Hajian and Howe 1997 found the two to go together):
// the likeliest over all readings, so that noise which no single contact overcomes averages out.
struct JointReadings {
  int degree = 1;
  std::vector<TouchReading> readings;
};
double likeliest_damping_time(std::span<const JointReadings> joints);

}  // namespace prehend::interaction
