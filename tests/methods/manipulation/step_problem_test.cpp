#include "methods/manipulation/step_problem.h"

#include <random>

#include <gtest/gtest.h>

#include "methods/manipulation/clip_writer.h"
#include "methods/manipulation/grip.h"
#include "methods/manipulation/step_solver.h"
#include "tests/methods/manipulation/manipulation_fixture.h"

namespace prehend::manipulation {
namespace {

// A step of a hand that holds the box, which moves and turns.
class StepProblemTest : public ::testing::Test {
 protected:
  StepProblemTest() : problem_(box_problem()), system_(problem_, options_) {
    now_ = system_.start();
    now_.coordinates[0] = find_grip(problem_, problem_.grips[0]).coordinates;
    before_ = now_;
    before_.coordinates[0].array() -= 0.004;
    before_.centers[0] -= Vec3(0.001, 0.002, -0.001);
    before_.rotations[0] = exp_map(Vec3(0.02, -0.05, 0.03)) * before_.rotations[0];
    system_.place(now_);
    contacts_.update(system_, {Vec3::Zero(), Vec3::Zero()}, {Vec3::Zero(), Vec3::Zero()},
                     options_.timestep, true);
    for (const Goal& goal : goals()) trackers_.emplace_back(goal);
    for (GoalTracker& tracker : trackers_) tracker.aim(system_, 0.1, options_.timestep);
    input_.before = &before_;
    input_.now = &now_;
    input_.contacts = contacts_.points;
    input_.goals = trackers_;
    input_.goal_active.assign(trackers_.size(), 1);
    input_.lifts = {{0, Vec3(0, 1.2, 0), 50.0}};
    input_.grip_most = {5.0, 0.0};
    input_.grip_wanted = {1.0, 0.0};
    input_.pushes = {Vec3(0.1, 0.2, -0.1), Vec3::Zero()};
    input_.wrist_pushes = {Vec3(0.0, 1.0, 0.0)};
    input_.poses.resize(1);
    input_.torque_before.setConstant(system_.layout().joints, 0.1);
  }

  std::vector<Goal> goals() const {
    std::vector<Goal> all(4);
    all[0].kind = GoalKind::kPosition;
    all[0].point_object = Vec3(0.01, 0.02, 0.03);
    all[0].target = Vec3(0.05, 0.1, 0.0);
    all[1].kind = GoalKind::kRotation;
    all[1].rotation = exp_map(Vec3(0.3, 0.5, -0.4));
    all[2].kind = GoalKind::kDirection;
    all[2].point_object = Vec3::UnitX();
    all[2].target = Vec3::UnitZ();
    all[3].kind = GoalKind::kTip;
    all[3].target = Vec3(0.0, 0.2, 0.0);
    return all;
  }

  Options options_;
  Problem problem_;
  System system_;
  Moment before_, now_;
  ContactSet contacts_;
  std::vector<GoalTracker> trackers_;
  StepInput input_;
};

TEST_F(StepProblemTest, HandAndTableTouch) {
  int of_hand = 0, of_table = 0;
  for (const ContactPoint& contact : contacts_.points) ++(contact.of_hand() ? of_hand : of_table);
  EXPECT_GE(of_hand, 5);
  EXPECT_GE(of_table, 4);
}

TEST_F(StepProblemTest, DerivativesAreThoseOfDifferences) {
  StepProblem step(system_, options_);
  step.prepare(input_);
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  Eigen::VectorXd y(step.size());
  for (int i = 0; i < y.size(); ++i)
    y[i] = i < system_.layout().poses ? 0.01 * uniform(random) : 1.0 + uniform(random);
  Linearized at, plus, minus;
  step.linearize(y, at);
  constexpr double kDifference = 1e-6;
  for (int i = 0; i < y.size(); ++i) {
    Eigen::VectorXd moved = y;
    moved[i] += kDifference;
    step.linearize(moved, plus);
    moved[i] -= 2.0 * kDifference;
    step.linearize(moved, minus);
    ASSERT_EQ(plus.row_count, at.row_count);
    const Eigen::VectorXd rows =
        (plus.residuals - minus.residuals).head(at.row_count) / (2.0 * kDifference);
    const double scale = 1.0 + at.rows.topRows(at.row_count).col(i).lpNorm<Eigen::Infinity>();
    EXPECT_LT((rows - at.rows.topRows(at.row_count).col(i)).lpNorm<Eigen::Infinity>(), 1e-5 * scale)
        << "variable " << i;
    const Eigen::VectorXd equations =
        (plus.equality_value - minus.equality_value) / (2.0 * kDifference);
    const double size = 1.0 + at.equality.col(i).lpNorm<Eigen::Infinity>();
    EXPECT_LT((equations - at.equality.col(i)).lpNorm<Eigen::Infinity>(), 1e-6 * size)
        << "variable " << i;
  }
}

TEST_F(StepProblemTest, TheStepKeepsItsEquationsAndCones) {
  StepProblem step(system_, options_);
  step.prepare(input_);
  StepSolver solver;
  StepSolution solution;
  solver.solve(step, step.start(), solution);
  ASSERT_TRUE(solution.solved);
  EXPECT_LT(solution.residual, 1e-10);
  EXPECT_LT(solution.cone_excess, 1e-10);
  // No overlap beyond what the problem began with.
  EXPECT_LT(solution.x[step.slack(StepProblem::kHandSlack)], 1e-3);
}

// A thing thrown without contacts: the clip's curve has the acceleration that the steps had.
TEST(ClipWriter, TheCurveHasTheStepsAcceleration) {
  const double h = 1.0 / 30.0;
  const Vec3 x0(0, 0, 0), x1(0.1, 0.2, 0), x2(0.3, 0.1, 0.1);
  const auto at = [&](double u) -> Vec3 {
    const SplineWeights w = spline_weights(u);
    return w.before * x0 + w.middle * x1 + w.after * x2;
  };
  const double d = 0.1;
  const Vec3 second = (at(d) - 2.0 * at(0.0) + at(-d)) / (d * d * h * h);
  EXPECT_LT((second - (x2 - 2.0 * x1 + x0) / (h * h)).norm(), 1e-8);
  // Neighboring pieces meet with the same slope: half way between control points.
  EXPECT_LT((at(0.5) - 0.5 * (x1 + x2)).norm(), 1e-15);
  EXPECT_LT((at(-0.5) - 0.5 * (x0 + x1)).norm(), 1e-15);
}

TEST(GoalTracker, TheReachingProfileTakesUnitTimeAndPeaksInTheMiddle) {
  double time = 0.0, fastest = 0.0, where = 0.0;
  constexpr int kSteps = 100000;
  for (int i = 0; i < kSteps; ++i) {
    const double c = (i + 0.5) / kSteps, speed = reaching_profile(c);
    time += 1.0 / (kSteps * speed);
    if (speed > fastest) fastest = speed, where = c;
  }
  EXPECT_NEAR(time, 1.0, 0.01);
  EXPECT_NEAR(where, 0.5, 0.05);
}

}  // namespace
}  // namespace prehend::manipulation
