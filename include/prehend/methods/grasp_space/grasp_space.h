// The probabilistic low-dimensional grasp space: which shapes of a hand are natural.
#pragma once

#include <string>
#include <vector>

#include "prehend/methods/grasp_space/pose_vector.h"
#include "prehend/optimize/mixture.h"
#include "prehend/optimize/pca.h"

namespace prehend::grasp_space {

struct GraspSpace {
  std::string name;
  // Hand that it was trained on, for messages: "right", "myohand".
  std::string hand;
  int samples = 0;
  optimize::Pca pca;          // of pose vectors, cut to the dimensions of the space
  optimize::Mixture mixture;  // p(x) in the reduced space
  // tau: shapes with log p(x) below it are not natural.
  double log_threshold = 0.0;
  // Box of the samples in the reduced space: where to search.
  Eigen::VectorXd lower;
  Eigen::VectorXd upper;
  // The open hand that grasps begin from: mean of the most open samples, in the reduced space.
  Eigen::VectorXd open;

  int dimension() const { return pca.dimension(); }
  bool natural(const Eigen::VectorXd& reduced) const {
    return mixture.log_density(reduced) >= log_threshold;
  }
};

}  // namespace prehend::grasp_space
