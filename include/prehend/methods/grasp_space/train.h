// From motion of closing and opening hands to a grasp space.
#pragma once

#include <string>
#include <vector>

#include "prehend/core/clip.h"
#include "prehend/core/summary.h"
#include "prehend/methods/grasp_space/grasp_space.h"

namespace prehend::grasp_space {

struct TrainOptions {
  std::string name = "custom";
  // Of the space; 0 takes the fewest that keep `variance`. Three are the paper's upper end: its
  // figures use two.
  int dimension = 3;
  double variance = 0.9;
  // tau is the density that this fraction of the samples falls below. The rarest shapes of a reach
  // are the firmest grasps, at its very end: 0.02 already calls a third of some kinds unnatural.
  double outliers = 0.01;
  // Frames nearer than this to the last one taken are left out (radians, root mean square over the
  // joints): a hand that rests would weigh more than one that moves. 0 takes every frame.
  double least_change = 0.02;
  optimize::MixtureOptions mixture;
};

struct TrainReport {
  GraspSpace space;
  Eigen::MatrixXd samples;        // pose vectors, one a row, as used
  Eigen::MatrixXd reduced;        // the same in the space
  Eigen::VectorXd variance_kept;  // by 1, 2, ... 45 components
  std::vector<double> bic;        // of K = 1, 2, ...
  double log_likelihood = 0.0;
  bool at_cap = false;  // more Gaussians than were tried might have a lower criterion
  Summary summary;
};

// Samples from clips: every hand of every frame. Fails when no hand has the joints of the fingers.
Result<Eigen::MatrixXd> pose_samples(const std::vector<Clip>& clips, double least_change);

// Fails in one line: no finger motion in the data, fewer samples than dimensions.
Result<TrainReport> train(const Eigen::MatrixXd& samples, const TrainOptions& options = {},
                          const Monitor& monitor = {});

}  // namespace prehend::grasp_space
