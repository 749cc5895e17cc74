#include "prehend/jobs/compliance_file.h"

#include <filesystem>
#include <set>

#include <gtest/gtest.h>

#include "prehend/core/hand_builder.h"
#include "prehend/jobs/control_file.h"
#include "prehend/methods/example_control/simulation.h"

namespace prehend::jobs {
namespace {

Hand hand_of(HandProfile profile) {
  HandOptions options;
  options.profile = profile;
  return build_hand(options).value();
}

TEST(ComplianceFile, HandsOfHingesAndOfBallsNameTheSameTurnsAlike) {
  const Hand balls = hand_of(HandProfile::kBall), hinges = hand_of(HandProfile::kAnatomical);
  std::set<std::string> all;
  for (int c = 0; c < balls.dof(); ++c) all.insert(coordinate_label(balls, c));
  EXPECT_EQ(all.size(), static_cast<std::size_t>(balls.dof())) << "two turns have one name";
  for (int c = 0; c < hinges.dof(); ++c)
    EXPECT_TRUE(all.contains(coordinate_label(hinges, c))) << coordinate_label(hinges, c);
}

TEST(ComplianceFile, GoFromOneHandToTheOtherAndBack) {
  const Hand balls = hand_of(HandProfile::kBall), hinges = hand_of(HandProfile::kAnatomical);
  interaction::HandCompliance none;
  none.joints.setZero(hinges.dof());
  const Eigen::VectorXd own = Eigen::VectorXd::LinSpaced(hinges.dof(), 0.1, 2.0);
  const auto path = std::filesystem::temp_directory_path() / "prehend_compliance_file_test.json";
  ASSERT_TRUE(write_compliances(path.string(), named_compliances(hinges, own)).ok());
  const auto read = load_compliances(path.string());
  std::filesystem::remove(path);
  ASSERT_TRUE(read.ok()) << read.message();
  interaction::HandCompliance empty;
  empty.joints.setZero(balls.dof());
  const auto there = compliance_for(balls, *read, empty, "file");
  ASSERT_TRUE(there.ok()) << there.message();
  const auto back = compliance_for(hinges, named_compliances(balls, there->joints), none, "file");
  ASSERT_TRUE(back.ok()) << back.message();
  EXPECT_LT((back->joints - own).cwiseAbs().maxCoeff(), 1e-6);
}

// The shipped controller's hand, held in its grip with nothing to touch.
class ControlledStiffness : public ::testing::Test {
 protected:
  static example_control::SimulationProblem problem() {
    const auto controllers = load_controllers("scenes/control/cylinder_grasp.json").value();
    example_control::SimulationProblem made;
    example_control::ControlledHand& hand = made.hands.emplace_back();
    hand.controller = std::make_shared<const example_control::Controller>(controllers[0]);
    HandOptions options;
    options.profile = HandProfile::kBall;
    options.side = controllers[0].side;
    options.size.length = controllers[0].hand_length;
    hand.hand = std::make_shared<const Hand>(build_hand(options).value());
    hand.distances = {1.0, 1.0};
    hand.distance_rate = 1.0;
    made.gravity.setZero();
    return made;
  }
  // A hand that holds nothing is as light as its bones, which springs of people's stiffness throw
  // about: it needs short steps.
  static example_control::SimulationOptions options() {
    example_control::SimulationOptions made;
    made.timestep = 1e-4;
    return made;
  }
  static int coordinate(const Hand& hand, const std::string& label) {
    for (int c = 0; c < hand.dof(); ++c)
      if (coordinate_label(hand, c) == label) return c;
    return -1;
  }
  // N m/rad with which the controller answers a joint that is a little away from its grip.
  static double answer(example_control::SimulationProblem problem, int c) {
    constexpr double kOff = 1e-3;  // rad
    const Eigen::VectorXd rest =
        problem.hands[0].controller->rest_pose(example_control::Setpoint::kGrip);
    double torques[2];
    for (const bool off : {false, true}) {
      problem.hands[0].start_angles =
          rest + (off ? kOff : 0.0) * Eigen::VectorXd::Unit(rest.size(), c);
      auto simulation = example_control::Simulation::build(problem, options()).value();
      std::vector<example_control::Cue> cues(1);
      cues[0].setpoint = example_control::Setpoint::kGrip;
      simulation.step(cues);
      torques[off] = simulation.torques(0)[c];
    }
    return (torques[0] - torques[1]) / kOff;
  }
};

TEST_F(ControlledStiffness, IsWhatTheTorquesSay) {
  const auto own = problem();
  const auto simulation = example_control::Simulation::build(own, options()).value();
  for (const char* joint : {"index-proximal-flexion", "index-distal-flexion"}) {
    const int c = coordinate(*own.hands[0].hand, joint);
    ASSERT_GE(c, 0);
    const double found = simulation.joint_stiffness(0)[c];
    EXPECT_NEAR(answer(own, c), found, 0.02 * found) << joint;
  }
}

TEST_F(ControlledStiffness, IsThatOfTheFile) {
  auto asked = problem();
  const Hand& hand = *asked.hands[0].hand;
  const int c = coordinate(hand, "index-intermediate-flexion");
  const int other = coordinate(hand, "ring-intermediate-flexion");
  const double before = answer(asked, other);
  asked.hands[0].joint_stiffness.setZero(hand.dof());
  asked.hands[0].joint_stiffness[c] = 1.0 / 0.6715;  // table 1 of Kry and Pai
  EXPECT_NEAR(answer(asked, c), 1.0 / 0.6715, 0.02 / 0.6715);
  EXPECT_NEAR(answer(asked, other), before, 1e-9) << "a joint that was not asked for changed";
  const auto simulation = example_control::Simulation::build(asked, options()).value();
  EXPECT_NEAR(simulation.joint_stiffness(0)[c], 1.0 / 0.6715, 1e-9);
}

TEST_F(ControlledStiffness, ThatTheTimestepCannotFollowIsRefused) {
  auto asked = problem();
  asked.hands[0].joint_stiffness.setConstant(asked.hands[0].hand->dof(), 1e4);
  EXPECT_FALSE(example_control::Simulation::build(asked).ok());
}

}  // namespace
}  // namespace prehend::jobs
