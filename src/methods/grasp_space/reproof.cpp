// Beyond the paper: how much a proven grasp could lose before it drops, and whether another solver
// agrees.
#include "prehend/methods/grasp_space/reproof.h"

#include "prehend/core/hand_pose.h"

namespace prehend::grasp_space {
namespace {

// Without capsules a digit touches nothing, whichever way it moves.
HandPtr without_digits(const HandPtr& hand, const std::array<bool, kDigitCount>& without) {
  Hand fewer = *hand;
  for (Segment& segment : fewer.segments) {
    const int digit = static_cast<int>(segment.digit);
    const bool of_palm = segment.phalanx == 0 && segment.digit != Digit::kThumb;
    if (segment.digit != Digit::kNone && !of_palm && without[digit]) segment.capsules.clear();
  }
  return std::make_shared<const Hand>(std::move(fewer));
}

// The plan as the proven hand has it, whose small joints are still.
physics::GraspPlan plan_for(const Hand& proven, const Hand& hand, const Grasp& grasp,
                            const Vec3& wrist_offset) {
  physics::GraspPlan plan = grasp.plan;
  for (Eigen::VectorXd* q : {&plan.pregrasp, &plan.grasp, &plan.squeeze})
    *q = coordinates(proven, pose_from_coordinates(hand, plan.root_object, *q));
  const Vec3 offset =
      segment_frames(hand, grasp.pose)[hand.wrist()].rotation * wrist_offset;  // object's frame
  plan.root_object.position += offset;
  plan.pregrasp_root.position += offset;
  return plan;
}

}  // namespace

physics::GraspProofOptions referee(physics::GraspProofOptions proof) {
  proof.solver = physics::ContactSolver::kEngine;
  proof.timestep *= 0.5;
  proof.phase_steps *= 2;
  proof.rest_speed = 0.0;
  return proof;
}

Result<physics::GraspProof> prove_again(const GraspProblem& problem, const GraspReport& report,
                                        const Grasp& grasp,
                                        const physics::GraspProofOptions& options,
                                        const ReproofConditions& conditions) {
  Object object = *problem.object;
  if (conditions.mass) object = with_mass(std::move(object), *conditions.mass);
  object.friction = conditions.friction.value_or(object.friction);
  const geometry::PreparedObjectPtr prepared =
      problem.prepared ? problem.prepared : geometry::prepare(problem.object);
  auto prover = physics::GraspProver::build(without_digits(report.proven_hand, conditions.without),
                                            std::make_shared<const Object>(std::move(object)),
                                            prepared->contact(), options);
  if (!prover) return prover.error();
  physics::State state((*prover)->world());
  return (*prover)->prove(
      state, plan_for(*report.proven_hand, *problem.hand, grasp, conditions.wrist_offset));
}

}  // namespace prehend::grasp_space
