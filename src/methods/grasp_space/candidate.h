// One grasp from nothing to a plan: stance, search, touch, quality, squeeze.
#pragma once

#include "methods/grasp_space/stances.h"
#include "prehend/methods/grasp_space/grasp.h"

namespace prehend::grasp_space {

// One object a thread; what it makes depends on the candidate's number alone.
class CandidateMaker {
 public:
  CandidateMaker(const GraspProblem& problem, const GraspTarget& target,
                 const physics::GraspProver& prover, const GraspOptions& options);

  // The stage that turned the grasp down, which its proof's reason then names, or kProposed.
  GraspStage make(int number, Grasp& grasp);

 private:
  Stance best_stance(bool at_handle, Random& random);
  GraspStage last_stage(const SearchResult& found, Grasp& grasp);
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
  StanceDrawer stances_;
  GraspSearch search_;
  ShapeKinematics shape_;
  GraspRefiner coarse_;  // on the search's field: cheap, and good enough to turn down most
  GraspRefiner refiner_;
  HandKinematics kinematics_;
  Eigen::VectorXd open_;  // coordinates of the open hand
};

}  // namespace prehend::grasp_space
