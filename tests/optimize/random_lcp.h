// Complementarity problems for tests and benchmarks.
#pragma once

#include <cmath>
#include <random>
#include <vector>

#include <Eigen/Geometry>

namespace prehend::optimize {

struct RandomLcp {
  Eigen::MatrixXd matrix;
  Eigen::VectorXd vector;
};

inline Eigen::MatrixXd random_matrix(int rows, int cols, std::mt19937& random) {
  std::normal_distribution<double> gauss;
  Eigen::MatrixXd m(rows, cols);
  for (double& x : m.reshaped()) x = gauss(random);
  return m;
}

// Positive definite, not symmetric: one solution.
inline RandomLcp definite_lcp(int size, std::mt19937& random) {
  const Eigen::MatrixXd a = random_matrix(size, size, random),
                        b = random_matrix(size, size, random);
  return {a * a.transpose() / size + 0.05 * Eigen::MatrixXd::Identity(size, size) +
              0.3 * (b - b.transpose()),
          random_matrix(size, 1, random)};
}

// The conditions of a convex quadratic program with inequalities: copositive-plus, with a zero
// block. Feasible, since `inside` satisfies them.
inline RandomLcp copositive_plus_lcp(int unknowns, int bounds, std::mt19937& random) {
  const Eigen::MatrixXd root = random_matrix(unknowns, std::max(1, unknowns - 2), random);
  const Eigen::MatrixXd a = random_matrix(bounds, unknowns, random);
  const Eigen::VectorXd inside = random_matrix(unknowns, 1, random).cwiseAbs();
  const Eigen::VectorXd slack = random_matrix(bounds, 1, random).cwiseAbs();
  RandomLcp lcp;
  lcp.matrix.setZero(unknowns + bounds, unknowns + bounds);
  lcp.matrix.topLeftCorner(unknowns, unknowns) = root * root.transpose();
  lcp.matrix.topRightCorner(unknowns, bounds) = -a.transpose();
  lcp.matrix.bottomLeftCorner(bounds, unknowns) = a;
  lcp.vector.resize(unknowns + bounds);
  // The cost's slope is one that is bounded below on the set: a combination of what the quadratic
  // part sees and of nonnegative slopes.
  lcp.vector.head(unknowns) = root * random_matrix(static_cast<int>(root.cols()), 1, random) +
                              random_matrix(unknowns, 1, random).cwiseAbs();
  lcp.vector.tail(bounds) = slack - a * inside;
  return lcp;
}

// Compliant contacts of fingers with friction pyramids, as Kry and Pai (2006), section 7.1.3, have
// them: for each contact a normal force, `edges` tangential ones and a multiplier. Lengths in
// meters, forces in newtons.
inline RandomLcp friction_lcp(int contacts, int edges, std::mt19937& random) {
  std::uniform_real_distribution<double> uniform;
  const int joints = 12, block = edges + 2;
  const Eigen::MatrixXd jacobian = 0.05 * random_matrix(3 * contacts, joints, random);
  const Eigen::MatrixXd compliance = jacobian * jacobian.transpose() +
                                     1e-5 * Eigen::MatrixXd::Identity(3 * contacts, 3 * contacts);
  const Eigen::VectorXd motion = 1e-3 * random_matrix(3 * contacts, 1, random);
  Eigen::MatrixXd directions = Eigen::MatrixXd::Zero(3 * contacts, block * contacts);
  RandomLcp lcp;
  lcp.matrix.setZero(block * contacts, block * contacts);
  lcp.vector.setZero(block * contacts);
  for (int c = 0; c < contacts; ++c) {
    const Eigen::Vector3d normal = random_matrix(3, 1, random).col(0).normalized();
    const Eigen::Vector3d t1 = normal.unitOrthogonal(), t2 = normal.cross(t1);
    directions.block<3, 1>(3 * c, block * c) = normal;
    for (int e = 0; e < edges; ++e) {
      const double angle = 2.0 * M_PI * e / edges;
      directions.block<3, 1>(3 * c, block * c + 1 + e) =
          std::cos(angle) * t1 + std::sin(angle) * t2;
      lcp.matrix(block * c + 1 + e, block * (c + 1) - 1) = 1.0;
      lcp.matrix(block * (c + 1) - 1, block * c + 1 + e) = -1.0;
    }
    lcp.matrix(block * (c + 1) - 1, block * c) = 0.2 + uniform(random);
    lcp.vector[block * c] = 5e-4 * (uniform(random) - 0.7);
  }
  lcp.matrix += directions.transpose() * compliance * directions;
  lcp.vector += directions.transpose() * motion;
  return lcp;
}

}  // namespace prehend::optimize
