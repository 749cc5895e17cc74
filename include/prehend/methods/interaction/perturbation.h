// Mass, damping and stiffness of a fingertip from sudden pushes, beside what the compliances of the
// joints say: Kry and Pai 2006, section 4.2 and table 2.
//
// A finger rests on something that jumps. Before reflexes act, the force on the finger is
//   f(t) = m z''(t) + b z'(t) + k z(t) + f0,
// z being how far the fingertip was pushed. k should be the endpoint stiffness along z that follows
// from the compliances, G = J C J^T (eq. 5).
#pragma once

#include <string>
#include <vector>

#include "prehend/core/summary.h"
#include "prehend/methods/interaction/capture.h"

namespace prehend::interaction {

struct PerturbationOptions {
  // s after the push to which the system is fitted. The paper has 20 ms for the stiffer task and
  // 25 ms for the softer one.
  double window = 0.025;
  double rest = 0.05;        // s before the push over which force and place are at rest
  double least_force = 0.1;  // N while resting: less is no contact
  double least_rise = 20.0;  // N/s: forces that rise slower are no push; people's rise by 10
};

struct SecondOrderFit {
  double f0 = 0.0;  // N, at rest
  double m = 0.0;   // kg
  double b = 0.0;   // N s/m
  double k = 0.0;   // N/m
  // Root mean square of the force that the fit does not explain, over that of the force's change.
  double residual = 0.0;
};
// `height` and `force` from the push on, with `rate` samples a second. Heights are from where the
// point rested, and the fit passes through rest at the first sample.
SecondOrderFit fit_second_order(const std::vector<double>& height, const std::vector<double>& force,
                                double f0, double rate);

struct PerturbationTrial {
  double time = 0.0;  // s of the push
  int segment = -1;
  SecondOrderFit fit;
  double k_endpoint = 0.0;            // N/m: k_G, of the posture at the push
  std::string discarded;              // why it does not count, or nothing
  std::vector<double> height, force;  // what was fitted: m, N
};

struct Perturbation {
  std::vector<PerturbationTrial> trials;
  SecondOrderFit mean;               // of the mean push over those that count
  double k_low = 0.0, k_high = 0.0;  // quartiles of k over them
  double k_endpoint = 0.0;           // mean
  int counted = 0;
  Vec3 direction_world = Vec3::UnitY();
  Summary summary;
};
// Pushes along `direction_world`, by something that slides under the finger: force along that
// direction alone, so that k_G is one over the direction's entry of G. Fails on what validate()
// refuses and on a rate with fewer than eight samples in the window.
Result<Perturbation> fit_perturbation(const Capture& capture, const HandCompliance& compliance,
                                      const PerturbationOptions& options = {},
                                      const Vec3& direction_world = Vec3::UnitY());

}  // namespace prehend::interaction
