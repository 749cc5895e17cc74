// From steps to a clip. A step's acceleration is (x after - 2 x + x before) / h^2: the quadratic
// B-spline with the steps' poses as control points has exactly this acceleration for h around each
// step. Between steps it is written so, and forces of a frame are the mean over the frame's time:
// an auditor that differentiates the clip finds the equations that the steps solved.
#pragma once

#include "methods/manipulation/contact_set.h"
#include "prehend/core/clip.h"

namespace prehend::manipulation {

// One step as it was solved: the moment and the forces that act at it.
struct Done {
  Moment moment;
  std::vector<ContactPoint> contacts;
  std::vector<Vec3> pushes;  // of each thing, at its center of mass
};

inline constexpr double kClipRate = 120.0;

// Moments 0 to n, of which 0 to n-1 have forces.
Clip write_clip(const System& system, const std::vector<Done>& steps, double timestep);

// The curve's value at u from -1/2 to 1/2 around the middle of three control points.
struct SplineWeights {
  double before, middle, after;
};
SplineWeights spline_weights(double u);
// And its derivative over u.
SplineWeights spline_slopes(double u);
Quat spline_rotation(const Quat& before, const Quat& middle, const Quat& after, double u);

}  // namespace prehend::manipulation
