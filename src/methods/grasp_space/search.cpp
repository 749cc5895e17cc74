// Ben Amor, Heumer, Jung and Vitzthum, "Grasp synthesis from low-dimensional probabilistic grasp
// models", CAVW 2008, section "Optimization Process".
// Implements: intrinsic parameters (coordinates in the grasp space) with any subset of extrinsic
//             ones (rotation, position, distance); shapes with p(x) < tau get a high penalty.
// Departs:    the penalty of an unnatural shape grows with its unlikelihood, so that a search that
//             starts among such shapes finds its way out. A table under the object is penetrated
//             like the object, by sensors and by a forearm behind the wrist.
#include "prehend/methods/grasp_space/search.h"
#include "prehend/hands/palm.h"

#include <algorithm>

namespace prehend::grasp_space {

struct GraspSearch::Box {
  Eigen::VectorXd lower, upper, start;
};

GraspSearch::GraspSearch(const Hand& hand, const GraspSpace& space, MetricTarget target,
                         const MetricOptions& metric)
    : space_(space),
      kinematics_(hand, space),
      metric_(default_sensors(hand), std::move(target), metric),
      options_(metric),
      wrist_from_palm_(hands::palm_in_wrist(hand).inverse()),
      grip_depth_(0.2 * hand.length) {}

double GraspSearch::metric(const Transform& palm_object, const Eigen::VectorXd& reduced) {
  return metric_.evaluate(palm_object * wrist_from_palm_, kinematics_.frames_wrist(reduced));
}

// A forearm inside the table: as much as many sensors there, and more the deeper it is.
double GraspSearch::forearm_cost(const Transform& wrist_object) const {
  const std::optional<Table>& table = metric_.target().table;
  if (!table) return 0.0;
  const double above = table->above(forearm_object(wrist_object, table->up));
  return above < 0.0 ? options_.violation * (1.0 - above / options_.distance_unit) : 0.0;
}

GraspSearch::Box GraspSearch::box(const Stance& stance, const SearchOptions& options) const {
  const int d = space_.dimension();
  const int size =
      d + (options.rotation ? 3 : 0) + (options.position ? 3 : 0) + (options.distance ? 1 : 0);
  Box box{Eigen::VectorXd(size), Eigen::VectorXd(size), Eigen::VectorXd::Zero(size)};
  box.lower.head(d) = space_.lower;
  box.upper.head(d) = space_.upper;
  box.start.head(d) = stance.reduced.cwiseMax(space_.lower).cwiseMin(space_.upper);
  int next = d;
  const auto add = [&](int count, double range) {
    box.lower.segment(next, count).setConstant(-range);
    box.upper.segment(next, count).setConstant(range);
    next += count;
  };
  if (options.rotation) add(3, options.rotation_range);
  if (options.position) add(3, options.position_range);
  if (options.distance) add(1, options.distance_range);
  return box;
}

Transform GraspSearch::placed(const Stance& stance, const SearchOptions& options,
                              const Eigen::VectorXd& x) const {
  int next = space_.dimension();
  Transform palm = stance.palm_object;
  const Vec3 grip(0.0, -grip_depth_, 0.0);
  if (options.rotation) {
    const Quat turn = exp_map(x.segment<3>(next));
    palm = palm * Transform{turn, grip - turn * grip};
    next += 3;
  }
  if (options.position) {
    palm = palm * Transform::from_position(x.segment<3>(next));
    next += 3;
  }
  if (options.distance) palm = palm * Transform::from_position({0.0, x[next], 0.0});
  return palm;
}

SearchResult GraspSearch::run(const Stance& stance, const SearchOptions& options) {
  const Box bounds = box(stance, options);
  const int d = space_.dimension();
  const auto objective = [&](const Eigen::VectorXd& x) {
    const double log_density = space_.mixture.log_density(x.head(d));
    if (log_density < space_.log_threshold) {
      return options.unnatural * (1.0 + space_.log_threshold - log_density);
    }
    const Transform wrist = placed(stance, options, x) * wrist_from_palm_;
    return metric_.evaluate(wrist, kinematics_.frames_wrist(x.head(d))) + forearm_cost(wrist);
  };
  optimize::BlackBoxOptions search;
  search.method = options.method;
  search.evaluations = options.evaluations;
  search.seed = options.seed;
  const optimize::BlackBoxResult found =
      optimize::minimize_black_box(objective, bounds.lower, bounds.upper, bounds.start, search);
  SearchResult result;
  result.reduced = found.x.head(d);
  result.wrist_object = placed(stance, options, found.x) * wrist_from_palm_;
  result.metric = found.value;
  result.log_density = space_.mixture.log_density(result.reduced);
  result.evaluations = found.evaluations;
  result.history = found.history;
  return result;
}

}  // namespace prehend::grasp_space
