// A solved motion under simulation: the torques of the steps carry the box where they meant to.
#include "prehend/methods/manipulation/proof.h"

#include <gtest/gtest.h>

#include "tests/methods/manipulation/manipulation_fixture.h"

namespace prehend::manipulation {
namespace {

class ProofTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { lifted() = new Report(*run(box_problem())); }
  static void TearDownTestSuite() { delete lifted(); }
  static Report*& lifted() {
    static Report* report = nullptr;
    return report;
  }
};

TEST_F(ProofTest, ALiftedBoxGoesWhereItWasPlanned) {
  const auto proof = prove(box_problem(), *lifted());
  ASSERT_TRUE(proof) << proof.message();
  ASSERT_EQ(proof->strays.size(), 1u);
  EXPECT_EQ(proof->worst().object, "box");
  EXPECT_LT(proof->worst().max_m, 0.005);
  EXPECT_LT(proof->worst().max_rad, radians(3.0));
  EXPECT_TRUE(proof->within);
  // It was lifted, and by the plan's torques: feedback has little to say.
  EXPECT_GT(proof->clip.objects[0].poses_world.back().position.y(), 0.14);
  EXPECT_LT(proof->arm_feedback, 0.05);
  EXPECT_LT(proof->finger_feedback, 0.2);
  EXPECT_EQ(proof->clip.frame_count(), lifted()->clip.frame_count());
  EXPECT_TRUE(validate(proof->clip));
}

// Fingers that do not press: the simulator knows nothing of the plan's contacts.
TEST_F(ProofTest, WithoutTheFingersTorquesTheBoxStaysOnTheTable) {
  const Problem problem = box_problem();
  Report limp = *lifted();
  const int arm_joints = coordinate_offsets(*arm_hand())[size_t(arm_hand()->wrist()) + 1];
  for (PlannedStep& step : limp.plan)
    if (step.torques.size() > 0) step.torques.tail(step.torques.size() - arm_joints).setZero();
  const auto proof = prove(problem, limp);
  ASSERT_TRUE(proof);
  EXPECT_FALSE(proof->within);
  EXPECT_GT(proof->worst().max_m, 0.05);
  ASSERT_TRUE(proof->worst().left_at);
  EXPECT_GT(*proof->worst().left_at, limp.task_start);
  EXPECT_LT(proof->clip.objects[0].poses_world.back().position.y(), 0.06);
}

TEST_F(ProofTest, APushIsSimulatedToo) {
  Problem problem = box_problem();
  Report pushed = *lifted();
  // A push that the plan's torques do not answer: the box strays, by less than it would alone.
  for (PlannedStep& step : pushed.plan)
    if (!step.pushes.empty()) step.pushes[0] = Vec3(1.0, 0.0, 0.0);
  const auto still = prove(problem, *lifted()), moved = prove(problem, pushed);
  ASSERT_TRUE(still && moved);
  EXPECT_GT(moved->worst().max_m, still->worst().max_m + 1e-3);
}

TEST_F(ProofTest, TheSameBytesTwice) {
  const auto first = prove(box_problem(), *lifted()), second = prove(box_problem(), *lifted());
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->clip.objects[0].poses_world.back().position,
            second->clip.objects[0].poses_world.back().position);
}

TEST_F(ProofTest, NothingSolvedIsNothingToProve) {
  const auto proof = prove(box_problem(), Report{});
  ASSERT_FALSE(proof);
  EXPECT_NE(proof.message().find("no step"), std::string::npos);
}

}  // namespace
}  // namespace prehend::manipulation
