// The steps of the twelve examples, sampled: Ipopt on the same problem finds the same minimum as
// the fast path, and the problem's derivatives are those of differences.
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "jobs/manipulate_scene.h"
#include "prehend/methods/manipulation/manipulation.h"
#include "tests/methods/manipulation/step_ipopt.h"

namespace prehend::jobs {
namespace {

using manipulation::Linearized;
using manipulation::StepProblem;
using manipulation::StepReference;
using manipulation::StepSolution;

// s on the task's clock: while the hand reaches, when the lift begins, and under way.
constexpr double kTimes[] = {-0.4, 0.0, 0.5};

class ManipulateStep : public ::testing::TestWithParam<const char*> {};

double worst_inequality(const Linearized& at) {
  return at.inequality_count > 0 ? at.inequality_value.head(at.inequality_count).minCoeff() : 0.0;
}

// Of the objective: both solvers stop within 4e-6 of it.
constexpr double kSameValue = 1e-5;
// m and rad, and N: the fast path stops once a program moves nothing by more than 5e-6. Forces of
// supports are hardly weighed, and differ by up to 2e-3 N at the same value.
constexpr double kSamePose = 2e-5, kSameForce = 5e-3;
constexpr double kKept = 1e-8;  // m that an inequality may be short by

void compare_with_ipopt(StepProblem& problem, const StepSolution& fast) {
  const StepReference slow = manipulation::solve_step_with_ipopt(problem, problem.start(), fast.x);
  ASSERT_TRUE(slow.solved);
  Linearized at_fast, at_slow;
  problem.linearize(slow.x, at_slow);
  problem.linearize(fast.x, at_fast);
  EXPECT_GT(worst_inequality(at_slow), -kKept);
  EXPECT_GT(worst_inequality(at_fast), -kKept);
  EXPECT_LT(problem.dynamics_residual(at_slow), 1e-8);
  const double value = problem.objective(fast.x, at_fast);
  EXPECT_NEAR(problem.objective(slow.x, at_slow), value, kSameValue * value);
  const int poses = problem.pose_count();
  const Eigen::VectorXd apart = (fast.x - slow.x).cwiseAbs();
  EXPECT_LT(apart.head(poses).maxCoeff(), kSamePose);
  EXPECT_LT(apart.tail(apart.size() - poses).maxCoeff(), kSameForce);
}

// Of derivatives, over the row's size: by differences. Gaps between the hand and a mesh come from
// an interpolated field, whose normals differ from the slopes of its values.
constexpr double kSlope = 5e-5, kFieldSlope = 0.05;

// Along a random direction, from a little beside the answer.
void compare_with_differences(StepProblem& problem, const StepSolution& fast) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  Eigen::VectorXd at = fast.x, direction(fast.x.size());
  for (int i = 0; i < at.size(); ++i) {
    const double unit = i < problem.pose_count() ? 1.0 : 10.0;
    at[i] += 1e-4 * unit * uniform(random);
    direction[i] = unit * uniform(random);
  }
  constexpr double kDifference = 1e-7;
  Linearized here, plus, minus;
  problem.linearize(at, here);
  problem.linearize(at + kDifference * direction, plus);
  problem.linearize(at - kDifference * direction, minus);
  ASSERT_EQ(plus.row_count, minus.row_count);
  const auto error = [&](const Eigen::VectorXd& a, const Eigen::VectorXd& b,
                         const Eigen::MatrixXd& rows, int i) {
    const double slope = (a[i] - b[i]) / (2.0 * kDifference);
    return std::abs(slope - rows.row(i).dot(direction)) / (1.0 + rows.row(i).norm());
  };
  for (int i = 0; i < here.row_count; ++i)
    EXPECT_LT(error(plus.residuals, minus.residuals, here.rows, i), kSlope) << "residual " << i;
  for (int i = 0; i < here.equality_value.size(); ++i)
    EXPECT_LT(error(plus.equality_value, minus.equality_value, here.equality, i), kSlope);
  ASSERT_EQ(plus.inequality_names, here.inequality_names);
  ASSERT_EQ(minus.inequality_names, here.inequality_names);
  for (int i = 0; i < here.inequality_count; ++i) {
    const bool gap =
        here.inequality_names[size_t(i)].kind == manipulation::InequalityName::Kind::kHandGap;
    EXPECT_LT(error(plus.inequality_value, minus.inequality_value, here.inequality, i),
              gap ? kFieldSlope : kSlope)
        << "inequality " << i;
  }
}

TEST_P(ManipulateStep, IpoptFindsTheSameMinimum) {
  auto setup = manipulate_setup(std::string("scenes/manipulation/") + GetParam() + ".toml");
  ASSERT_TRUE(setup) << setup.message();
  auto made = manipulation::Manipulation::make(setup->problem, setup->options);
  ASSERT_TRUE(made) << made.message();
  size_t next = 0;
  (*made)->observe([&](double time, StepProblem& problem, const StepSolution& fast) {
    if (next == std::size(kTimes) || time < kTimes[next] - 1e-9) return;
    ++next;
    SCOPED_TRACE(time);
    compare_with_differences(problem, fast);
    compare_with_ipopt(problem, fast);
  });
  while (next < std::size(kTimes) && (*made)->step()) {
  }
  EXPECT_EQ(next, std::size(kTimes));
}

INSTANTIATE_TEST_SUITE_P(Examples, ManipulateStep,
                         ::testing::Values("book", "cup", "gift-box", "soap", "soap-slips",
                                           "mass-50", "mass-100", "mass-150", "push-fast",
                                           "push-slow", "hammer", "pour"));

}  // namespace
}  // namespace prehend::jobs
