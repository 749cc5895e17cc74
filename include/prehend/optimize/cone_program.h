// The least normal force within friction cones that gives a wrench.
#pragma once

#include <span>
#include <vector>

#include <Eigen/Core>

namespace prehend::optimize {

// Columns of a contact map a local force (normal, tangent 1, tangent 2, torsion) to the six numbers
// of a wrench.
struct ConeContact {
  Eigen::Matrix<double, 6, 4> wrench_map;
  double friction = 0.6;            // |tangential| <= friction * normal
  double torsional_friction = 0.0;  // |torsion| <= torsional_friction * normal; 0: no torsion
  double max_normal = 0.0;          // 0: no bound
};

struct ConeProgramOptions {
  double tolerance = 1e-6;  // of the wrench, relative to its size
  int max_iterations = 100;
};

struct ConeProgramResult {
  std::vector<Eigen::Vector4d> forces;  // one a contact, in its cone
  double total_normal = 0.0;            // the least sum of normal forces
  Eigen::Matrix<double, 6, 1>
      residual;           // wanted minus given wrench: nonzero when no forces explain it
  bool feasible = false;  // residual within tolerance
  int iterations = 0;
};

// minimise sum of normal forces  subject to  sum_i wrench_map_i f_i = wrench,  f_i in its cone.
// When no forces give the wrench, returns those that come nearest in the least-squares sense.
ConeProgramResult solve_cone_program(std::span<const ConeContact> contacts,
                                     const Eigen::Matrix<double, 6, 1>& wrench,
                                     const ConeProgramOptions& options = {});

}  // namespace prehend::optimize
