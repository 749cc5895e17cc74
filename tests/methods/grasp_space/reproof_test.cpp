#include "prehend/methods/grasp_space/reproof.h"

#include <gtest/gtest.h>

#include "tests/methods/grasp_space/grasp_fixture.h"

namespace prehend::grasp_space {
namespace {

// One grasp of a ball serves all tests.
struct Found {
  GraspProblem problem;
  GraspOptions options;
  GraspReport report;
};
const Found& found() {
  static const Found made = [] {
    Found found;
    found.problem.hand = test_hand();
    found.problem.object = primitive(ShapeKind::kSphere, {0.035, 0.0, 0.0});
    found.problem.space = general_space();
    found.options.ranked = 1;
    found.report = find_grasps(found.problem, found.options).value();
    return found;
  }();
  return made;
}

physics::GraspProof again(const ReproofConditions& conditions) {
  return prove_again(found().problem, found().report, found().report.grasps.at(0),
                     found().options.proof, conditions)
      .value();
}

constexpr double kRounding = 1e-6;  // m, rad: coordinates go through rotations and back

TEST(Reproof, UnderTheSameConditionsIsTheSame) {
  const physics::GraspProof& first = found().report.grasps.at(0).proof;
  ASSERT_TRUE(first.held);
  const physics::GraspProof second = again({});
  EXPECT_TRUE(second.held);
  EXPECT_NEAR(second.displacement, first.displacement, kRounding);
  EXPECT_NEAR(second.rotation, first.rotation, kRounding);
}

TEST(Reproof, SlipperyHeavyOrWithoutDigitsItDrops) {
  ReproofConditions slippery, heavy, bare, beside;
  slippery.friction = 0.01;
  heavy.mass = 50.0;
  bare.without.fill(true);
  beside.wrist_offset = Vec3(0.0, 0.1, 0.0);  // off the object, towards the back of the hand
  for (const ReproofConditions& conditions : {slippery, heavy, bare, beside})
    EXPECT_FALSE(again(conditions).held);
}

TEST(Reproof, TheRefereeUsesTheEnginesSolverAndSmallerSteps) {
  const physics::GraspProofOptions strict = referee(found().options.proof);
  EXPECT_EQ(strict.solver, physics::ContactSolver::kEngine);
  EXPECT_EQ(strict.timestep * strict.phase_steps,
            found().options.proof.timestep * found().options.proof.phase_steps);
  EXPECT_EQ(strict.rest_speed, 0.0);
  const auto proof =
      prove_again(found().problem, found().report, found().report.grasps.at(0), strict);
  ASSERT_TRUE(proof.ok());
  EXPECT_TRUE(proof->held) << proof->reason;
}

}  // namespace
}  // namespace prehend::grasp_space
