// The search for a hand shape and a stand of the hand that minimize the grasp metric.
#pragma once

#include <cstdint>

#include "prehend/methods/grasp_space/metric.h"
#include "prehend/optimize/black_box.h"

namespace prehend::grasp_space {

// Where a search begins: the palm's frame (see palm_in_wrist) in the object's.
struct Stance {
  Transform palm_object;
  Eigen::VectorXd reduced;  // a natural shape
};

struct SearchOptions {
  optimize::BlackBoxMethod method = optimize::BlackBoxMethod::kDynamicHillClimbing;
  int evaluations = 600;
  // Extrinsic parameters that are searched besides the shape; the others stay as the stance has
  // them.
  bool rotation = true;                   // three: about the point that the fingers close on
  bool position = false;                  // three: along the palm's axes
  bool distance = true;                   // one: along the palm's normal
  double rotation_range = radians(50.0);  // either way
  double position_range = 0.03;           // m, either way
  double distance_range = 0.05;           // m, either way
  // Added to the metric of an unnatural shape, which is then not looked at (the paper: "a high
  // penalty").
  double unnatural = 1e5;
  std::uint64_t seed = 1;
};

struct SearchResult {
  Transform wrist_object;
  Eigen::VectorXd reduced;
  double metric = 0.0;
  double log_density = 0.0;
  int evaluations = 0;
  std::vector<double> history;
};

// Precomputes what all searches share; one object a thread.
class GraspSearch {
 public:
  GraspSearch(const Hand& hand, const GraspSpace& space, MetricTarget target,
              const MetricOptions& metric = {});

  double metric(const Transform& palm_object, const Eigen::VectorXd& reduced);
  SearchResult run(const Stance& stance, const SearchOptions& options);

 private:
  struct Box;
  Box box(const Stance& stance, const SearchOptions& options) const;
  Transform placed(const Stance& stance, const SearchOptions& options,
                   const Eigen::VectorXd& x) const;
  double forearm_cost(const Transform& wrist_object) const;

  const GraspSpace& space_;
  ShapeKinematics kinematics_;
  GraspMetric metric_;
  MetricOptions options_;
  Transform wrist_from_palm_;
  double grip_depth_;  // m from the palm to the point that the fingers close on
};

}  // namespace prehend::grasp_space
