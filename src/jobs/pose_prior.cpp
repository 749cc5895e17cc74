#include "jobs/pose_prior.h"

#include <Eigen/Cholesky>

#include "prehend/core/random.h"
#include "prehend/methods/grasp_space/pose_vector.h"

namespace prehend::jobs {
namespace {

// Shapes drawn to find the moments: with 300 the standard error of a joint's mean is a seventeenth
// of its spread, which is nothing to a soft term.
constexpr int kShapes = 300;
// Added to every joint's spread, rad: what differs between people, and what lets the joints move
// that the space keeps still.
constexpr double kLoose = 0.15;

Eigen::VectorXd draw(const optimize::Mixture& mixture, Random& random) {
  double at = random.uniform();
  std::size_t part = 0;
  while (part + 1 < mixture.parts().size() && at > mixture.parts()[part].weight)
    at -= mixture.parts()[part++].weight;
  const optimize::Gaussian& gaussian = mixture.parts()[part];
  Eigen::VectorXd normal(gaussian.mean.size());
  for (double& v : normal) v = random.normal();
  return gaussian.mean + gaussian.covariance.llt().matrixL() * normal;
}

}  // namespace

contact_sampling::PosePrior pose_prior(const grasp_space::GraspSpace& space, const Hand& hand) {
  Random random(1);
  const int dof = hand.dof();
  Eigen::MatrixXd shapes(dof, kShapes);
  for (int i = 0; i < kShapes; ++i) {
    const Eigen::VectorXd vector = space.pca.reproject(draw(space.mixture, random));
    shapes.col(i) = coordinates(hand, grasp_space::pose_from_vector(hand, {}, vector));
  }
  contact_sampling::PosePrior prior;
  prior.mean = shapes.rowwise().mean();
  const Eigen::MatrixXd centered = shapes.colwise() - prior.mean;
  const Eigen::MatrixXd covariance = centered * centered.transpose() / (kShapes - 1) +
                                     kLoose * kLoose * Eigen::MatrixXd::Identity(dof, dof);
  prior.precision = covariance.llt().solve(Eigen::MatrixXd::Identity(dof, dof));
  return prior;
}

}  // namespace prehend::jobs
