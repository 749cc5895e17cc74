#include "prehend/optimize/quadratic_program.h"

#include <gtest/gtest.h>

#include "tests/optimize/count_allocations.h"
#include "tests/optimize/quadratic_program_ipopt.h"
#include "tests/optimize/random_quadratic.h"

namespace prehend::optimize {
namespace {

// Relative, of the conditions of optimality: rounding of a hundred variables at condition 1e6.
constexpr double kOptimal = 1e-8;

TEST(QuadraticProgram, ClosedForm) {
  // Nearest point of the half plane x + y >= 2 to the origin, then with x <= 0.5 besides.
  QuadraticProgram p;
  p.hessian = Eigen::MatrixXd::Identity(2, 2);
  p.gradient = Eigen::VectorXd::Zero(2);
  p.inequality = Eigen::MatrixXd::Ones(1, 2);
  p.inequality_least = Eigen::VectorXd::Constant(1, 2.0);
  QuadraticSolver solver;
  QuadraticResult result;
  solver.solve(p, result);
  ASSERT_EQ(result.outcome, QuadraticOutcome::kSolved);
  EXPECT_NEAR(result.x[0], 1.0, 1e-12);
  EXPECT_NEAR(result.inequality[0], 1.0, 1e-12);
  p.upper = Eigen::Vector2d(0.5, INFINITY);
  solver.solve(p, result);
  ASSERT_EQ(result.outcome, QuadraticOutcome::kSolved);
  EXPECT_NEAR(result.x[1], 1.5, 1e-12);
  EXPECT_NEAR(result.upper[0], 1.0, 1e-12);
  EXPECT_NEAR(result.value, 0.5 * (0.25 + 2.25), 1e-12);
}

TEST(QuadraticProgram, FiveThousandRandomOnesAreOptimal) {
  std::mt19937 random(1);
  QuadraticSolver solver;
  QuadraticResult result;
  for (int i = 0; i < 5000; ++i) {
    QuadraticSizes sizes;
    sizes.variables = 1 + int(random() % 30);
    sizes.equalities = int(random() % unsigned(1 + sizes.variables / 2));
    sizes.inequalities = int(random() % 50);
    sizes.bounds = random() % 2;
    sizes.condition = std::pow(10.0, 1.0 + double(random() % 6));
    const QuadraticProgram p = random_quadratic(sizes, random);
    solver.solve(p, result);
    ASSERT_EQ(result.outcome, QuadraticOutcome::kSolved) << i;
    ASSERT_LT(optimality_residual(p, result), kOptimal) << i;
  }
}

TEST(QuadraticProgram, AgreesWithIpopt) {
  std::mt19937 random(2);
  QuadraticSolver solver;
  QuadraticResult result;
  for (int i = 0; i < 200; ++i) {
    QuadraticSizes sizes;
    sizes.variables = 5 + int(random() % 25);
    sizes.equalities = int(random() % 6);
    sizes.inequalities = int(random() % 40);
    sizes.touching = 0.1;
    const QuadraticProgram p = random_quadratic(sizes, random);
    solver.solve(p, result);
    ASSERT_EQ(result.outcome, QuadraticOutcome::kSolved);
    const IpoptAnswer reference = solve_with_ipopt(p);
    ASSERT_TRUE(reference.solved) << i;
    // Ipopt relaxes bounds by 1e-8 of their size.
    EXPECT_NEAR(result.value, reference.value, 1e-6 * (1.0 + std::abs(reference.value))) << i;
    EXPECT_LT((result.x - reference.x).norm(), 1e-4 * (1.0 + reference.x.norm())) << i;
  }
}

TEST(QuadraticProgram, WarmStartGivesTheSameAnswerWithFewerChanges) {
  std::mt19937 random(3);
  QuadraticSolver solver;
  QuadraticResult cold, warm;
  long cold_changes = 0, warm_changes = 0;
  for (int i = 0; i < 300; ++i) {
    QuadraticProgram p = random_quadratic({30, 6, 40, true, 1e4, 0.3}, random);
    solver.solve(p, cold);
    const std::vector<int> active = cold.active;
    p.gradient += 0.01 * Eigen::VectorXd::Random(30);
    solver.solve(p, cold);
    cold_changes += cold.changes;
    solver.solve(p, warm, active);
    warm_changes += warm.changes;
    ASSERT_EQ(warm.outcome, QuadraticOutcome::kSolved);
    ASSERT_LT(optimality_residual(p, warm), kOptimal);
    ASSERT_LT((warm.x - cold.x).norm(), 1e-7 * (1.0 + cold.x.norm()));
    // A guess that makes no sense does no harm.
    solver.solve(p, warm, {0, 1, 2, 3, 3, 70, 99, 1000, -5});
    ASSERT_LT(optimality_residual(p, warm), kOptimal);
  }
  EXPECT_LT(warm_changes, cold_changes);
}

TEST(QuadraticProgram, RepeatedAndDependentConstraintsDoNoHarm) {
  std::mt19937 random(4);
  QuadraticSolver solver;
  QuadraticResult result;
  for (int i = 0; i < 300; ++i) {
    QuadraticProgram p = random_quadratic({12, 3, 10, false, 1e3, 0.8}, random);
    // Equations twice and their sum; inequalities twice, one of them scaled.
    Eigen::MatrixXd equality(7, 12);
    equality << p.equality, p.equality, p.equality.colwise().sum();
    Eigen::VectorXd value(7);
    value << p.equality_value, p.equality_value, p.equality_value.sum();
    p.equality = equality;
    p.equality_value = value;
    Eigen::MatrixXd inequality(20, 12);
    inequality << p.inequality, 1e3 * p.inequality;
    Eigen::VectorXd least(20);
    least << p.inequality_least, 1e3 * p.inequality_least;
    p.inequality = inequality;
    p.inequality_least = least;
    solver.solve(p, result);
    ASSERT_EQ(result.outcome, QuadraticOutcome::kSolved) << i;
    ASSERT_LT(optimality_residual(p, result), kOptimal) << i;
  }
}

TEST(QuadraticProgram, SaysWhenThereIsNoAnswer) {
  QuadraticProgram p;
  p.hessian = Eigen::MatrixXd::Identity(2, 2);
  p.gradient = Eigen::VectorXd::Zero(2);
  QuadraticSolver solver;
  QuadraticResult result;
  p.equality = Eigen::MatrixXd::Ones(2, 2);
  p.equality_value = Eigen::Vector2d(1.0, 2.0);
  solver.solve(p, result);
  EXPECT_EQ(result.outcome, QuadraticOutcome::kInfeasible);
  p.equality.resize(0, 2);
  p.equality_value.resize(0);
  p.inequality = (Eigen::MatrixXd(2, 2) << 1.0, 1.0, -1.0, -1.0).finished();
  p.inequality_least = Eigen::Vector2d(1.0, 0.0);
  solver.solve(p, result);
  EXPECT_EQ(result.outcome, QuadraticOutcome::kInfeasible);
  p.inequality_least = Eigen::Vector2d(1.0, -1.0);
  solver.solve(p, result);
  EXPECT_EQ(result.outcome, QuadraticOutcome::kSolved);
  p.hessian(1, 1) = -1.0;
  solver.solve(p, result);
  EXPECT_EQ(result.outcome, QuadraticOutcome::kNotConvex);
  p.hessian(1, 1) = NAN;
  solver.solve(p, result);
  EXPECT_EQ(result.outcome, QuadraticOutcome::kNotConvex);
}

TEST(QuadraticProgram, RandomInfeasibleOnesAreFound) {
  std::mt19937 random(5);
  QuadraticSolver solver;
  QuadraticResult result;
  for (int i = 0; i < 300; ++i) {
    QuadraticProgram p = random_quadratic({15, 3, 20, true, 1e3, 0.3}, random);
    // The sum of three constraints turned around and asked to be more.
    p.inequality.row(3) = -p.inequality.topRows(3).colwise().sum();
    p.inequality_least[3] = -p.inequality_least.head(3).sum() + 0.1;
    solver.solve(p, result);
    ASSERT_EQ(result.outcome, QuadraticOutcome::kInfeasible) << i;
  }
}

TEST(QuadraticProgram, SolvesWithoutAllocation) {
  std::mt19937 random(6);
  const QuadraticProgram p = random_quadratic({40, 6, 50, true, 1e3, 0.3}, random);
  QuadraticSolver solver;
  QuadraticResult result;
  solver.solve(p, result);
  const std::vector<int> active = result.active;
  solver.solve(p, result, active);
  const long before = allocations();
  solver.solve(p, result, active);
  EXPECT_EQ(allocations(), before);
}

}  // namespace
}  // namespace prehend::optimize
