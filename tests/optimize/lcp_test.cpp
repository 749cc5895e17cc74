#include "prehend/optimize/lcp.h"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "count_allocations.h"
#include "random_lcp.h"

namespace prehend::optimize {
namespace {

// Complementarity from the definition, in the problem's own units: what a reader would compute.
double plain_residual(const RandomLcp& lcp, const Eigen::VectorXd& z) {
  const Eigen::VectorXd w = lcp.matrix * z + lcp.vector;
  double worst = 0.0;
  const double z_size = std::max(1e-300, z.cwiseAbs().maxCoeff());
  const double w_size = lcp.vector.cwiseAbs().maxCoeff();
  for (Eigen::Index i = 0; i < z.size(); ++i)
    worst =
        std::max({worst, -z[i] / z_size, -w[i] / w_size, std::min(z[i] / z_size, w[i] / w_size)});
  return worst;
}

// A second solver: projected Gauss-Seidel, for matrices with a positive diagonal.
Eigen::VectorXd gauss_seidel(const RandomLcp& lcp) {
  Eigen::VectorXd z = Eigen::VectorXd::Zero(lcp.vector.size());
  for (int sweep = 0; sweep < 20000; ++sweep) {
    double moved = 0.0;
    for (Eigen::Index i = 0; i < z.size(); ++i) {
      const double w = lcp.matrix.row(i).dot(z) + lcp.vector[i];
      const double next = std::max(0.0, z[i] - w / lcp.matrix(i, i));
      moved = std::max(moved, std::abs(next - z[i]));
      z[i] = next;
    }
    if (moved < 1e-13) break;
  }
  return z;
}

// Another: every active set in turn. All solutions of a small problem.
std::vector<Eigen::VectorXd> enumerate(const RandomLcp& lcp) {
  const int n = static_cast<int>(lcp.vector.size());
  std::vector<Eigen::VectorXd> all;
  for (int set = 0; set < 1 << n; ++set) {
    std::vector<int> members;
    for (int i = 0; i < n; ++i)
      if (set >> i & 1) members.push_back(i);
    Eigen::VectorXd z = Eigen::VectorXd::Zero(n);
    if (!members.empty()) {
      const Eigen::FullPivLU<Eigen::MatrixXd> lu(lcp.matrix(members, members));
      if (!lu.isInvertible()) continue;
      z(members) = lu.solve(-lcp.vector(members));
    }
    if (z.minCoeff() < -1e-9 * std::max(1e-12, z.cwiseAbs().maxCoeff())) continue;
    if (plain_residual(lcp, z) < 1e-8) all.push_back(z);
  }
  return all;
}

TEST(Lcp, AnswersAProblemOfOneUnknown) {
  LcpSolver solver;
  LcpResult result;
  solver.solve(Eigen::MatrixXd::Constant(1, 1, 2.0), Eigen::VectorXd::Constant(1, -3.0), {},
               result);
  EXPECT_EQ(result.outcome, LcpOutcome::kSolved);
  EXPECT_DOUBLE_EQ(result.z[0], 1.5);
  solver.solve(Eigen::MatrixXd::Constant(1, 1, 2.0), Eigen::VectorXd::Constant(1, 3.0), {}, result);
  EXPECT_EQ(result.z[0], 0.0);
  EXPECT_DOUBLE_EQ(result.w[0], 3.0);
}

TEST(Lcp, SaysSoWhenThereIsNoSolution) {
  // w = -z - 1 is negative for every z >= 0.
  LcpSolver solver;
  LcpResult result;
  solver.solve(Eigen::MatrixXd::Constant(1, 1, -1.0), Eigen::VectorXd::Constant(1, -1.0), {},
               result);
  EXPECT_EQ(result.outcome, LcpOutcome::kRay);
}

TEST(Lcp, DoesNotCycleOnDegenerateProblems) {
  // Many alike rows: without the rule, ratios tie at almost every exchange.
  std::mt19937 random(3);
  std::uniform_int_distribution<int> small(-1, 1);
  LcpSolver solver;
  LcpResult result;
  for (int trial = 0; trial < 500; ++trial) {
    const int n = 12;
    Eigen::MatrixXd root(n, 3);
    for (double& x : root.reshaped()) x = small(random);
    RandomLcp lcp{root * root.transpose(), Eigen::VectorXd(n)};
    // In the range of the matrix, plus nothing negative: solvable.
    Eigen::VectorXd y(3);
    for (double& x : y) x = small(random);
    lcp.vector = root * y;
    solver.solve(lcp.matrix, lcp.vector, {}, result);
    ASSERT_EQ(result.outcome, LcpOutcome::kSolved) << trial;
    if (lcp.vector.cwiseAbs().maxCoeff() > 0.0) {
      ASSERT_LE(plain_residual(lcp, result.z), 1e-9) << trial;
    }
  }
}

// Issue's figure: 10,000 random problems, all solved to 1e-9 of their scale, against other solvers.
TEST(Lcp, SolvesRandomDefiniteProblemsAsGaussSeidelDoes) {
  std::mt19937 random(1);
  LcpSolver solver;
  LcpResult result;
  for (int trial = 0; trial < 4000; ++trial) {
    RandomLcp lcp = definite_lcp(1 + trial % 24, random);
    // Gauss-Seidel converges on symmetric ones.
    if (trial % 4 == 0) lcp.matrix = 0.5 * (lcp.matrix + lcp.matrix.transpose()).eval();
    solver.solve(lcp.matrix, lcp.vector, {}, result);
    ASSERT_EQ(result.outcome, LcpOutcome::kSolved) << trial;
    ASSERT_LE(result.residual, 1e-9) << trial;
    ASSERT_LE(plain_residual(lcp, result.z), 1e-9) << trial;
    if (trial % 4 == 0) {
      const Eigen::VectorXd other = gauss_seidel(lcp);
      ASSERT_LE((other - result.z).cwiseAbs().maxCoeff(), 1e-7 * (1.0 + other.maxCoeff())) << trial;
    } else if (lcp.vector.size() <= 8) {
      const auto all = enumerate(lcp);
      ASSERT_EQ(all.size(), 1u) << trial;
      ASSERT_LE((all[0] - result.z).cwiseAbs().maxCoeff(), 1e-8 * (1.0 + all[0].maxCoeff()));
    }
  }
}

TEST(Lcp, SolvesRandomCopositivePlusProblemsToTheSameCost) {
  std::mt19937 random(2);
  LcpSolver solver;
  LcpResult result;
  for (int trial = 0; trial < 3000; ++trial) {
    const int unknowns = 2 + trial % 7, bounds = 1 + trial % 5;
    const RandomLcp lcp = copositive_plus_lcp(unknowns, bounds, random);
    solver.solve(lcp.matrix, lcp.vector, {}, result);
    ASSERT_EQ(result.outcome, LcpOutcome::kSolved) << trial;
    ASSERT_LE(result.residual, 1e-9) << trial;
    ASSERT_LE(plain_residual(lcp, result.z), 1e-9) << trial;
    if (trial % 20 != 0 || unknowns + bounds > 9) continue;
    // Answers may differ, the quadratic program's least cost may not.
    const auto cost = [&](const Eigen::VectorXd& z) {
      const Eigen::VectorXd x = z.head(unknowns);
      return 0.5 * x.dot(lcp.matrix.topLeftCorner(unknowns, unknowns) * x) +
             lcp.vector.head(unknowns).dot(x);
    };
    const auto all = enumerate(lcp);
    ASSERT_FALSE(all.empty()) << trial;
    for (const Eigen::VectorXd& z : all)
      ASSERT_NEAR(cost(z), cost(result.z), 1e-7 * (1.0 + std::abs(cost(z)))) << trial;
  }
}

TEST(Lcp, SolvesRandomFrictionProblems) {
  std::mt19937 random(5);
  LcpSolver solver;
  LcpResult result;
  int compared = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const int contacts = 1 + trial % 10, edges = trial % 3 == 0 ? 8 : trial % 3 == 1 ? 6 : 4;
    const RandomLcp lcp = friction_lcp(contacts, edges, random);
    solver.solve(lcp.matrix, lcp.vector, {}, result);
    ASSERT_EQ(result.outcome, LcpOutcome::kSolved) << trial;
    ASSERT_LE(result.residual, 1e-9) << trial;
    if (result.z.cwiseAbs().maxCoeff() > 0.0) {
      ASSERT_LE(plain_residual(lcp, result.z), 1e-9) << trial;
    }
    if (contacts > 1 || edges > 6) continue;
    // The answer is one of those that trying every active set finds.
    const auto all = enumerate(lcp);
    ASSERT_FALSE(all.empty()) << trial;
    double nearest = HUGE_VAL;
    for (const Eigen::VectorXd& z : all)
      nearest = std::min(nearest, (lcp.matrix * (z - result.z)).cwiseAbs().maxCoeff());
    ASSERT_LE(nearest, 1e-9 * lcp.vector.cwiseAbs().maxCoeff() + 1e-12) << trial;
    ++compared;
  }
  EXPECT_GE(compared, 150);
}

TEST(Lcp, LastActiveSetTakesOneFactorizationWhenNothingChanged) {
  std::mt19937 random(6);
  LcpSolver solver;
  LcpResult cold, warm;
  int unchanged = 0;
  for (int trial = 0; trial < 100; ++trial) {
    RandomLcp lcp = friction_lcp(6, 4, random);
    solver.solve(lcp.matrix, lcp.vector, {}, cold);
    const std::vector<char> guess = cold.active;
    lcp.vector *= 1.01;  // the same set, other numbers
    solver.solve(lcp.matrix, lcp.vector, guess, warm);
    ASSERT_EQ(warm.outcome, LcpOutcome::kSolved);
    ASSERT_LE((warm.z - 1.01 * cold.z).cwiseAbs().maxCoeff(), 1e-9 * (1.0 + cold.z.maxCoeff()));
    unchanged += warm.guessed && warm.factorizations == 1 && warm.pivots == 0;
  }
  EXPECT_EQ(unchanged, 100);
}

TEST(Lcp, AWrongGuessCostsTimeOnly) {
  std::mt19937 random(8);
  LcpSolver solver;
  LcpResult result;
  for (int trial = 0; trial < 300; ++trial) {
    const RandomLcp lcp = friction_lcp(4, 4, random);
    std::vector<char> guess(lcp.vector.size());
    for (char& g : guess) g = static_cast<char>(random() & 1);
    solver.solve(lcp.matrix, lcp.vector, guess, result);
    ASSERT_EQ(result.outcome, LcpOutcome::kSolved) << trial;
    ASSERT_LE(result.residual, 1e-9) << trial;
  }
}

TEST(Lcp, AllocatesNothingOnceWarm) {
  std::mt19937 random(9);
  LcpSolver solver;
  LcpResult result;
  const RandomLcp large = friction_lcp(8, 4, random), other = friction_lcp(8, 4, random);
  solver.solve(large.matrix, large.vector, {}, result);
  const std::vector<char> guess = result.active;
  solver.solve(large.matrix, large.vector, guess, result);
  const size_t before = allocations();
  solver.solve(other.matrix, other.vector, guess, result);
  solver.solve(large.matrix, large.vector, {}, result);
  EXPECT_EQ(allocations(), before);
}

}  // namespace
}  // namespace prehend::optimize
