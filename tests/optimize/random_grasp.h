// Grasps for the cone program's tests and benchmarks.
#pragma once

#include <random>
#include <vector>

#include <Eigen/Geometry>

#include "prehend/optimize/cone_program.h"

namespace prehend::optimize {

// A contact at `point` pushing along `inward`; torques about the origin, divided by `length`.
inline ConeContact contact_at(const Eigen::Vector3d& point, const Eigen::Vector3d& inward,
                              double friction, double torsional_friction = 0.0,
                              double length = 1.0) {
  ConeContact c;
  c.friction = friction;
  c.torsional_friction = torsional_friction;
  const Eigen::Vector3d t1 = inward.unitOrthogonal(), t2 = inward.cross(t1);
  const Eigen::Vector3d axes[3] = {inward, t1, t2};
  for (int k = 0; k < 3; ++k) c.wrench_map.col(k) << axes[k], point.cross(axes[k]) / length;
  c.wrench_map.col(3) << Eigen::Vector3d::Zero(), inward / length;
  return c;
}

// Contacts scattered over a ball of 4 cm, normals up to some 30 degrees off.
inline std::vector<ConeContact> random_grasp(int contacts, std::mt19937& random,
                                             double torsional_friction, double length = 1.0) {
  std::normal_distribution<double> gauss;
  const auto vector = [&] { return Eigen::Vector3d(gauss(random), gauss(random), gauss(random)); };
  std::vector<ConeContact> grasp;
  for (int i = 0; i < contacts; ++i) {
    const Eigen::Vector3d out = vector().normalized();
    const Eigen::Vector3d inward = (-out + 0.3 * vector()).normalized();
    grasp.push_back(contact_at(0.04 * out, inward, 0.6, torsional_friction, length));
  }
  return grasp;
}

inline Eigen::Matrix<double, 6, 1> random_wrench(std::mt19937& random, double length = 1.0) {
  std::normal_distribution<double> gauss;
  Eigen::Matrix<double, 6, 1> wrench;
  for (int i = 0; i < 6; ++i) wrench[i] = gauss(random) * (i < 3 ? 1.0 : 0.02 / length);
  return wrench;
}

}  // namespace prehend::optimize
