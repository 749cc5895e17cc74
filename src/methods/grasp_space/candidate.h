// One grasp from nothing to a plan: stance, search, touch, quality, squeeze.
#pragma once

#include "prehend/core/random.h"
#include "prehend/geometry/surface_points.h"
#include "prehend/methods/grasp_space/grasp.h"

namespace prehend::grasp_space {

// One object a thread; what it makes depends on the candidate's number alone.
class CandidateMaker {
 public:
  CandidateMaker(const GraspProblem& problem, const GraspTarget& target,
                 const physics::GraspProver& prover, const GraspOptions& options);

  // False when the grasp is not worth a proof; its proof's reason then says why.
  bool make(int number, Grasp& grasp);

 private:
  Stance draw_stance(Random& random);
  Transform face_surface(Random& random) const;
  Transform face_handle(Random& random) const;
  bool comfortable(const Transform& palm_object, Random& random) const;
  Stance best_stance(Random& random);
  const char* fault(const SearchResult& found, Grasp& grasp);
  bool touch(const SearchResult& found, Grasp& grasp);
  bool natural(Grasp& grasp, double slack) const;
  bool opposes(const RefinedGrasp& refined) const;
  bool judge(Grasp& grasp);
  bool strengthen(Grasp& grasp) const;
  bool open(Grasp& grasp);
  bool reachable(const Grasp& grasp) const;
  bool plan(Grasp& grasp);

  const GraspProblem& problem_;
  const GraspTarget& target_;
  const physics::GraspProver& prover_;
  const GraspOptions& options_;
  geometry::SurfaceSampler sampler_;
  GraspSearch search_;
  ShapeKinematics shape_;
  GraspRefiner coarse_;  // on the search's field: cheap, and good enough to turn down most
  GraspRefiner refiner_;
  HandKinematics kinematics_;
  Transform wrist_from_palm_;
  Eigen::VectorXd open_;      // coordinates of the open hand
  std::vector<int> handles_;  // of the target's parts
};

}  // namespace prehend::grasp_space
