// A grasp that was found, proven again under other conditions, or by a stricter judge.
#pragma once

#include <array>
#include <memory>

#include "prehend/methods/grasp_space/grasp.h"

namespace prehend::grasp_space {

// What a proof is repeated under; left as it is, the proof's own.
struct ReproofConditions {
  std::optional<double> friction, mass;        // of the object; mass in kg
  Vec3 wrist_offset = Vec3::Zero();            // m, in the wrist's own frame
  std::array<bool, kDigitCount> without = {};  // digits that touch nothing, by Digit
};

// The options of a referee: the engine's own solver, half the step, and every push lasts its whole
// time.
physics::GraspProofOptions referee(physics::GraspProofOptions proof);

// The hand closes as it was planned to: with the same squeeze, whatever the conditions are.
Result<physics::GraspProof> prove_again(const GraspProblem& problem, const GraspReport& report,
                                        const Grasp& grasp,
                                        const physics::GraspProofOptions& options,
                                        const ReproofConditions& conditions = {});

}  // namespace prehend::grasp_space
