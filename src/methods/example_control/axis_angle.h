// Between rates of axis-angle vectors and angular velocities in the turned frame.
//
// With theta = phi u, R = exp(theta) and K = [theta]x, the velocity seen in the turned frame is
// omega = J theta', J = 1 - a K + c K^2, a = (1 - cos phi) / phi^2, c = (phi - sin phi) / phi^3.
#pragma once

#include <cmath>

#include <Eigen/LU>

#include "prehend/core/math.h"

namespace prehend::example_control {

struct AxisAngleRates {
  explicit AxisAngleRates(const Vec3& angles) : theta(angles) {
    const double square = theta.squaredNorm();
    if (square < 1e-4) {  // the next terms are below 1e-10
      a = 0.5 - square / 24.0;
      c = 1.0 / 6.0 - square / 120.0;
      a_slope = -1.0 / 12.0 + square / 180.0;
      c_slope = -1.0 / 60.0 + square / 1260.0;
    } else {
      const double phi = std::sqrt(square), sine = std::sin(phi), rest = 1.0 - std::cos(phi);
      a = rest / square;
      c = (phi - sine) / (square * phi);
      a_slope = (phi * sine - 2.0 * rest) / (square * square);
      c_slope = (phi * rest - 3.0 * (phi - sine)) / (square * square * phi);
    }
  }

  // omega of theta'.
  Vec3 velocity(const Vec3& rate) const {
    const Vec3 turned = theta.cross(rate);
    return rate - a * turned + c * theta.cross(turned);
  }
  // theta' of omega.
  Vec3 rate(const Vec3& velocity) const {
    const Mat3 cross = cross_matrix(theta);
    return (Mat3::Identity() - a * cross + c * cross * cross).inverse() * velocity;
  }
  // omega' of theta'' at rate theta': J theta'' + J' theta', where [theta']x theta' = 0.
  Vec3 acceleration(const Vec3& rate, const Vec3& second) const {
    const double towards = theta.dot(rate);
    const Vec3 turned = theta.cross(rate);
    return velocity(second) - a_slope * towards * turned + c_slope * towards * theta.cross(turned) +
           c * rate.cross(turned);
  }

  Vec3 theta;
  double a, c;              // functions of phi^2
  double a_slope, c_slope;  // their derivatives by phi, over phi
};

}  // namespace prehend::example_control
