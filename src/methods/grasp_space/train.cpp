// Ben Amor, Heumer, Jung and Vitzthum, "Grasp synthesis from low-dimensional probabilistic grasp
// models", Computer Animation and Virtual Worlds 19, 2008, "Probabilistic Low-dimensional Grasp
// Space".
// Implements: eq. 1-2 (principal components), eq. 3-4 (mixture by EM, K by the least BIC), tau.
// Departs:    eq. 4's normalizer is sqrt((2 pi)^d det C). The paper does not say how tau is found:
//             here it is the density that a given fraction of the samples falls below. Frames of a
//             hand that rests are left out, since they would draw all the density to one shape.
#include "prehend/methods/grasp_space/train.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

namespace prehend::grasp_space {

namespace {

// Root mean square turn of a joint below which a hand is taken to be still.
constexpr double kLeastMotion = radians(0.5);
// Of the samples, the most open ones, whose mean is the hand that grasps begin from.
constexpr double kOpenFraction = 0.05;
// A Gaussian of d dimensions needs d + 1 samples to have a volume; twice as many to mean something.
constexpr int kSamplesPerParameter = 2;

bool has_fingers(const Hand& hand) {
  return std::all_of(pose_joints().begin(), pose_joints().end(),
                     [&](int joint) { return hand.xr_segments[joint] >= 0; });
}

double turn_between(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  return (a - b).norm() / std::sqrt(double(kPoseJoints));
}

// Sum of the flexions, which turn about -X in every segment.
double closure(const Eigen::MatrixXd& samples, Eigen::Index row) {
  double sum = 0.0;
  for (int i = 0; i < kPoseJoints; ++i) sum -= samples(row, 3 * i);
  return sum;
}

Status check(const Eigen::MatrixXd& samples, const TrainOptions& options) {
  if (samples.cols() != kPoseSize)
    return Error{fmt::format("a pose is {} numbers, three a joint; these have {}", kPoseSize,
                             samples.cols())};
  if (options.dimension < 0 || options.dimension > kPoseSize)
    return Error{fmt::format("{} dimensions: give 1 to {}", options.dimension, kPoseSize)};
  if (!(options.variance > 0.0 && options.variance <= 1.0))
    return Error{fmt::format("a variance of {} to keep: give a fraction above 0 and up to 1",
                             options.variance)};
  if (!(options.outliers >= 0.0 && options.outliers < 1.0))
    return Error{
        fmt::format("a fraction of {} outliers: give 0 or more, and below 1", options.outliers)};
  if (options.mixture.max_components < 1)
    return Error{
        fmt::format("{} Gaussians at most: give 1 or more", options.mixture.max_components)};
  for (Eigen::Index r = 0; r < samples.rows(); ++r) {
    for (Eigen::Index c = 0; c < samples.cols(); ++c) {
      if (!std::isfinite(samples(r, c)))
        return Error{fmt::format("pose {}, number {} is not a number", r + 1, c + 1)};
    }
  }
  if (samples.rows() <= std::max(1, options.dimension))
    return Error{fmt::format("{} poses that differ are too few for {} dimensions; give more motion",
                             samples.rows(), std::max(1, options.dimension))};
  return {};
}

double quantile(std::vector<double> values, double fraction) {
  const auto at = static_cast<std::ptrdiff_t>(fraction * double(values.size()));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[at];
}

// Mean of the most open samples; where that falls between shapes, the natural one nearest to it.
Eigen::VectorXd open_hand(const Eigen::MatrixXd& samples, const Eigen::MatrixXd& reduced,
                          const GraspSpace& space) {
  std::vector<std::pair<double, Eigen::Index>> order;
  for (Eigen::Index r = 0; r < samples.rows(); ++r) order.emplace_back(closure(samples, r), r);
  std::sort(order.begin(), order.end());
  const auto count = std::max<std::size_t>(1, std::size_t(kOpenFraction * double(order.size())));
  Eigen::VectorXd mean = Eigen::VectorXd::Zero(reduced.cols());
  for (std::size_t i = 0; i < count; ++i) mean += reduced.row(order[i].second) / double(count);
  if (space.natural(mean)) return mean;
  Eigen::VectorXd nearest = mean;
  double least = INFINITY;
  for (Eigen::Index r = 0; r < reduced.rows(); ++r) {
    const Eigen::VectorXd row = reduced.row(r);
    const double distance = (row - mean).norm();
    if (distance >= least || !space.natural(row)) continue;
    least = distance;
    nearest = row;
  }
  return nearest;
}

}  // namespace

Result<Eigen::MatrixXd> pose_samples(const std::vector<Clip>& clips, double least_change) {
  std::vector<Eigen::VectorXd> taken;
  bool any = false;
  for (const Clip& clip : clips) {
    for (const HandTrack& track : clip.hands) {
      if (!has_fingers(*track.hand)) continue;
      any = true;
      Eigen::VectorXd last;
      for (const HandPose& pose : track.poses) {
        Eigen::VectorXd vector = pose_vector(*track.hand, pose);
        if (last.size() > 0 && turn_between(vector, last) < least_change) continue;
        last = vector;
        taken.push_back(std::move(vector));
      }
    }
  }
  if (!any) return Error{"no hand with three joints in each of five digits"};
  Eigen::MatrixXd samples(static_cast<Eigen::Index>(taken.size()), kPoseSize);
  for (std::size_t i = 0; i < taken.size(); ++i) samples.row(Eigen::Index(i)) = taken[i];
  return samples;
}

Result<TrainReport> train(const Eigen::MatrixXd& samples, const TrainOptions& options,
                          const Monitor& monitor) {
  if (const Status status = check(samples, options); !status) return status.error();
  monitor.report(0.0, "principal components");
  TrainReport report;
  report.samples = samples;
  const optimize::Pca all = optimize::fit_pca(samples);  // eq. 1
  const double motion = std::sqrt(all.variances.sum() / kPoseJoints);
  if (!(motion >= kLeastMotion))
    return Error{fmt::format("no finger motion in {} poses: joints turn by {:.2g} degrees",
                             samples.rows(), degrees(motion))};
  const int dimension =
      options.dimension > 0 ? options.dimension : dimension_keeping(all, options.variance);
  if (samples.rows() <= dimension)
    return Error{fmt::format("{} poses that differ are too few for {} dimensions; give more motion",
                             samples.rows(), dimension)};
  report.variance_kept.resize(kPoseSize);
  for (int k = 1; k <= kPoseSize; ++k) report.variance_kept[k - 1] = all.kept(k);
  GraspSpace& space = report.space;
  space.name = options.name;
  space.samples = static_cast<int>(samples.rows());
  space.pca = truncated(all, dimension);
  report.reduced = (samples.rowwise() - space.pca.mean.transpose()) * space.pca.components;

  monitor.report(0.1, "mixture of Gaussians");
  optimize::MixtureOptions mixture = options.mixture;
  const int most = static_cast<int>(samples.rows()) / (kSamplesPerParameter * (dimension + 1));
  mixture.max_components = std::clamp(mixture.max_components, 1, std::max(1, most));
  mixture.stop = monitor.stop;
  optimize::MixtureFit fit = optimize::fit_mixture_by_bic(report.reduced, mixture);  // eq. 3-4
  if (monitor.stop.stop_requested()) {
    report.summary = {Termination::kInterrupted, fit.iterations, 0.0, "stopped while training"};
    return report;
  }
  space.mixture = std::move(fit.mixture);
  report.bic = std::move(fit.bic);
  report.log_likelihood = fit.log_likelihood;
  report.at_cap = static_cast<int>(space.mixture.parts().size()) >= mixture.max_components;

  std::vector<double> densities;
  for (Eigen::Index r = 0; r < samples.rows(); ++r)
    densities.push_back(space.mixture.log_density(report.reduced.row(r).transpose()));
  space.log_threshold = quantile(std::move(densities), options.outliers);
  space.lower = report.reduced.colwise().minCoeff();
  space.upper = report.reduced.colwise().maxCoeff();
  space.open = open_hand(samples, report.reduced, space);
  report.summary.iterations = fit.iterations;
  report.summary.message = fmt::format(
      "{} dimensions keep {:.1f} % of the variance of {} poses; {} Gaussians", dimension,
      100.0 * all.kept(dimension), samples.rows(), space.mixture.parts().size());
  monitor.report(1.0, "trained");
  return report;
}

}  // namespace prehend::grasp_space
