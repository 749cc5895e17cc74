// Where searches for a grasp begin.
#pragma once

#include <vector>

#include "prehend/core/random.h"
#include "prehend/geometry/surface_points.h"
#include "prehend/methods/grasp_space/grasp.h"

namespace prehend::grasp_space {

class StanceDrawer {
 public:
  StanceDrawer(const GraspProblem& problem, const GraspTarget& target);

  // Whether this search is one of those that begin at a handle; never where there is none.
  bool begins_at_handle(Random& random) const;
  Stance draw(Random& random, bool at_handle) const;

 private:
  Transform face_surface(Random& random) const;
  Transform face_handle(Random& random) const;
  bool comfortable(const Transform& palm_object, Random& random) const;

  const GraspProblem& problem_;
  const GraspTarget& target_;
  geometry::SurfaceSampler sampler_;
  Transform wrist_from_palm_;
  std::vector<int> handles_;  // of the target's parts
};

}  // namespace prehend::grasp_space
