#include "prehend/optimize/cone_program.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tests/optimize/cone_program_ipopt.h"
#include "tests/optimize/count_allocations.h"
#include "tests/optimize/random_grasp.h"

namespace {
size_t allocation_count = 0;
}
size_t allocations() { return allocation_count; }
// Not operator new: Eigen calls malloc itself.
#ifndef __SANITIZE_ADDRESS__
extern "C" void* __libc_malloc(size_t size);
extern "C" void* malloc(size_t size) {
  ++allocation_count;
  return __libc_malloc(size);
}
#endif

namespace prehend::optimize {
namespace {

using Eigen::Vector3d;
using Vec6 = Eigen::Matrix<double, 6, 1>;

constexpr double kForceTolerance = 1e-6;     // of the least normal force, relative
constexpr double kIpoptTolerance = 1e-4;     // Ipopt satisfies squared cones to 1e-8
constexpr double kResidualTolerance = 1e-5;  // of the nearest wrench, relative

// Over the local force's normal: at most 1 inside the cone.
double cone_use(const ConeContact& c, const Eigen::Vector4d& f) {
  const auto squared_share = [](double force, double mu) {
    return mu > 0.0 ? force * force / (mu * mu) : (force == 0.0 ? 0.0 : 1e300);
  };
  const double tangent = std::hypot(f[1], f[2]);
  const double used =
      std::sqrt(squared_share(tangent, c.friction) + squared_share(f[3], c.torsional_friction));
  return used == 0.0 ? 0.0 : used / f[0];
}

// Most negative slack of a dual vector in the dual cone: h must satisfy h_n >= |(mu h_t, mu_t
// h_s)|.
double dual_slack(const ConeContact& c, const Eigen::Vector4d& h) {
  return h[0] - std::sqrt(std::pow(c.friction, 2) * (h[1] * h[1] + h[2] * h[2]) +
                          std::pow(c.torsional_friction * h[3], 2));
}

// Proves the answer without a second solver: cones, balance, and equal primal and dual values, or,
// where there is no answer, that the residual is a direction in which no contact can help.
void expect_certified(const std::vector<ConeContact>& contacts, const Vec6& wrench,
                      const ConeProgramResult& r, const char* what, int index) {
  SCOPED_TRACE(testing::Message() << what << " " << index);
  ASSERT_TRUE(r.converged);
  ASSERT_EQ(r.forces.size(), contacts.size());
  Vec6 given = Vec6::Zero();
  double total = 0.0, bound_cost = 0.0, effect = 0.0;
  for (size_t i = 0; i < contacts.size(); ++i) {
    EXPECT_LE(cone_use(contacts[i], r.forces[i]), 1.0 + 1e-12);
    EXPECT_GE(r.forces[i][0], 0.0);
    if (contacts[i].max_normal > 0.0) {
      EXPECT_LE(r.forces[i][0], contacts[i].max_normal * (1 + 1e-12));
    }
    given += contacts[i].wrench_map * r.forces[i];
    total += r.forces[i][0];
    effect = std::max(effect, contacts[i].wrench_map.colwise().norm().maxCoeff());
    Eigen::Vector4d reduced = -contacts[i].wrench_map.transpose() * r.price;
    reduced[0] += 1.0;
    const double slack = dual_slack(contacts[i], reduced);
    if (contacts[i].max_normal > 0.0) {
      bound_cost += std::max(0.0, -slack) * contacts[i].max_normal;
    } else if (r.feasible) {
      EXPECT_GE(slack, -1e-7);
    }
  }
  EXPECT_NEAR((wrench - given - r.residual).norm(), 0.0, 1e-9 * (1.0 + wrench.norm()));
  EXPECT_NEAR(total, r.total_normal, 1e-12 * (1.0 + total));
  if (r.feasible) {
    EXPECT_LE(r.residual.norm(), 1e-6 * wrench.norm());
    EXPECT_NEAR(r.price.dot(wrench) - bound_cost, total, kForceTolerance * (total + 1e-3));
    return;
  }
  // Projection onto a convex set: every reachable wrench lies behind the plane through the nearest
  // one, so no unit of any force in the cones gains along the residual.
  const double scale = r.residual.norm() * effect;
  for (size_t i = 0; i < contacts.size(); ++i) {
    const Eigen::Vector4d pull = -contacts[i].wrench_map.transpose() * r.residual;
    if (contacts[i].max_normal > 0.0 && r.forces[i][0] > 0.999 * contacts[i].max_normal) continue;
    EXPECT_GE(dual_slack(contacts[i], pull),
              -kResidualTolerance * scale - 1e-8 * wrench.norm() * effect);
    EXPECT_NEAR(pull.dot(r.forces[i]), 0.0, kResidualTolerance * wrench.squaredNorm());
  }
}

Vec6 force_wrench(const Vector3d& force) {
  Vec6 w;
  w << force, Vector3d::Zero();
  return w;
}

TEST(ConeProgram, NoContactLeavesTheWholeWrench) {
  const Vec6 wrench = force_wrench({0.0, 1.0, 0.0});
  const ConeProgramResult r = solve_cone_program({}, wrench);
  EXPECT_TRUE(r.converged);
  EXPECT_FALSE(r.feasible);
  EXPECT_EQ(r.residual, wrench);
  EXPECT_TRUE(r.forces.empty());
}

TEST(ConeProgram, NoWrenchNeedsNoForce) {
  const std::vector<ConeContact> c = {contact_at({0, 0, 0}, Vector3d::UnitY(), 0.5)};
  const ConeProgramResult r = solve_cone_program(c, Vec6::Zero());
  EXPECT_TRUE(r.feasible);
  EXPECT_EQ(r.total_normal, 0.0);
}

TEST(ConeProgram, OneContactCarriesAForceWithinItsCone) {
  const std::vector<ConeContact> c = {contact_at({0, 0, 0}, Vector3d::UnitY(), 0.5)};
  const Vec6 wrench = force_wrench({0.3, 2.0, 0.2});
  const ConeProgramResult r = solve_cone_program(c, wrench);
  EXPECT_TRUE(r.feasible);
  EXPECT_NEAR(r.total_normal, 2.0, 2.0 * kForceTolerance);
  expect_certified(c, wrench, r, "one", 0);
}

TEST(ConeProgram, BeyondTheFrictionAngleTheResidualIsTheDistanceToTheCone) {
  // A point on a slope of angle a > atan(mu): of the weight's tangential part, what mu does not
  // hold. Projecting (n, t) = (cos a, sin a) onto the cone edge (1, mu) / sqrt(1 + mu^2) leaves |t
  // - mu n| / sqrt(1 + mu^2).
  const double mu = 0.5;
  for (const double angle : {0.1, 0.4, 0.4636, 0.47, 0.6, 1.2}) {
    const std::vector<ConeContact> c = {contact_at({0, 0, 0}, Vector3d::UnitY(), mu)};
    const Vec6 wrench = force_wrench({std::sin(angle), std::cos(angle), 0.0});
    const ConeProgramResult r = solve_cone_program(c, wrench);
    const double excess = std::max(0.0, std::sin(angle) - mu * std::cos(angle));
    EXPECT_EQ(r.feasible, excess <= 1e-6) << angle;
    EXPECT_NEAR(r.residual.norm(), excess / std::sqrt(1.0 + mu * mu), 1e-6) << angle;
    expect_certified(c, wrench, r, "slope", static_cast<int>(1000 * angle));
  }
}

TEST(ConeProgram, BoxAtRestIsExplainedAndPullingForceIsNot) {
  std::vector<ConeContact> c;
  for (const double x : {-0.05, 0.05}) {
    for (const double z : {-0.05, 0.05}) {
      c.push_back(contact_at({x, -0.05, z}, Vector3d::UnitY(), 0.6));
    }
  }
  const double weight = 0.5 * 9.81;
  const ConeProgramResult rest = solve_cone_program(c, force_wrench({0, weight, 0}));
  EXPECT_TRUE(rest.feasible);
  EXPECT_NEAR(rest.total_normal, weight, weight * kForceTolerance);
  const ConeProgramResult pulled = solve_cone_program(c, force_wrench({0, -weight, 0}));
  EXPECT_FALSE(pulled.feasible);
  EXPECT_NEAR(pulled.residual.norm(), weight, weight * 1e-5);
  EXPECT_NEAR(pulled.total_normal, 0.0, weight * 1e-4);
}

TEST(ConeProgram, TwoOpposedFingersSqueezeByWeightOverTwiceFriction) {
  const double mu = 0.4, weight = 3.0;
  const std::vector<ConeContact> c = {contact_at({-0.03, 0, 0}, Vector3d::UnitX(), mu, 0.01),
                                      contact_at({0.03, 0, 0}, -Vector3d::UnitX(), mu, 0.01)};
  const Vec6 wrench = force_wrench({0, weight, 0});
  const ConeProgramResult r = solve_cone_program(c, wrench);
  EXPECT_TRUE(r.feasible);
  EXPECT_NEAR(r.total_normal, weight / mu, weight / mu * kForceTolerance);
  expect_certified(c, wrench, r, "pinch", 0);
}

TEST(ConeProgram, TorsionSharesItsBudgetWithTangentialForce) {
  // One contact under normal n, tangential t and torsion s: feasible up to the ellipse.
  const double mu = 0.5, mu_t = 0.02;
  const std::vector<ConeContact> c = {contact_at({0, 0, 0}, Vector3d::UnitY(), mu, mu_t)};
  const auto solve = [&](double share) {
    Vec6 wrench;
    wrench << mu * share, 1.0, 0.0, 0.0, mu_t * share, 0.0;
    return solve_cone_program(c, wrench);
  };
  EXPECT_TRUE(solve(std::sqrt(0.5) - 1e-5).feasible);
  EXPECT_FALSE(solve(std::sqrt(0.5) + 1e-4).feasible);
}

TEST(ConeProgram, BoundedNormalsLeaveWhatTheyCannotCarry) {
  std::vector<ConeContact> c = {contact_at({0.1, 0, 0}, Vector3d::UnitY(), 0.3),
                                contact_at({-0.1, 0, 0}, Vector3d::UnitY(), 0.3)};
  for (ConeContact& contact : c) contact.max_normal = 1.0;
  const Vec6 light = force_wrench({0, 1.5, 0}), heavy = force_wrench({0, 3.0, 0});
  const ConeProgramResult a = solve_cone_program(c, light), b = solve_cone_program(c, heavy);
  EXPECT_TRUE(a.feasible);
  EXPECT_NEAR(a.total_normal, 1.5, 1e-5);
  EXPECT_FALSE(b.feasible);
  EXPECT_NEAR(b.residual.norm(), 1.0, 1e-5);
  expect_certified(c, light, a, "light", 0);
}

TEST(ConeProgram, FrictionlessContactsOnlyPush) {
  const std::vector<ConeContact> c = {contact_at({0, 0, 0}, Vector3d::UnitY(), 0.0)};
  EXPECT_TRUE(solve_cone_program(c, force_wrench({0, 1, 0})).feasible);
  const ConeProgramResult r = solve_cone_program(c, force_wrench({0.5, 1, 0}));
  EXPECT_FALSE(r.feasible);
  EXPECT_NEAR(r.residual.norm(), 0.5, 1e-5);
}

TEST(ConeProgram, EveryAnswerCarriesItsProof) {
  std::mt19937 random(7);
  int feasible = 0, infeasible = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const int count = 1 + trial % 14;
    const double length = std::pow(10.0, trial % 5 - 2);
    std::vector<ConeContact> c =
        random_grasp(count, random, trial % 2 ? 0.02 / length : 0.0, length);
    if (trial % 3 == 0) {
      for (ConeContact& contact : c) contact.max_normal = 0.7;
    }
    const Vec6 wrench = random_wrench(random, length);
    const ConeProgramResult r = solve_cone_program(c, wrench);
    (r.feasible ? feasible : infeasible) += 1;
    expect_certified(c, wrench, r, "random", trial);
  }
  EXPECT_GT(feasible, 500);
  EXPECT_GT(infeasible, 500);
}

TEST(ConeProgram, IpoptFindsTheSameNormalForce) {
  std::mt19937 random(11);
  auto ipopt = quiet_ipopt();
  int compared = 0;
  for (int trial = 0; trial < 30; ++trial) {
    std::vector<ConeContact> c = random_grasp(5 + trial % 9, random, trial % 2 ? 0.02 : 0.0);
    if (trial % 4 == 3) {
      for (ConeContact& contact : c) contact.max_normal = 1.5;
    }
    const Vec6 wrench = random_wrench(random);
    const ConeProgramResult r = solve_cone_program(c, wrench);
    Ipopt::SmartPtr<ConeProgramNlp> nlp = new ConeProgramNlp(c, wrench);
    const bool solved = ipopt->OptimizeTNLP(nlp) == Ipopt::Solve_Succeeded;
    if (solved) {
      EXPECT_TRUE(r.feasible) << trial;
    }
    if (!solved || !r.feasible) continue;
    EXPECT_NEAR(r.total_normal, nlp->total_normal, kIpoptTolerance * nlp->total_normal) << trial;
    ++compared;
  }
  EXPECT_GE(compared, 20);
}

TEST(ConeProgram, ScalingTheUnitsScalesTheAnswer) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 50; ++trial) {
    const std::vector<ConeContact> c = random_grasp(8, random, 0.02);
    const Vec6 wrench = random_wrench(random);
    const double total = solve_cone_program(c, wrench).total_normal;
    for (const double unit : {1e-6, 1e-3, 1e3, 1e6}) {
      EXPECT_NEAR(solve_cone_program(c, unit * wrench).total_normal / (unit * total), 1.0, 1e-6);
    }
  }
}

TEST(ConeProgram, CoincidentAndUselessContactsDoNoHarm) {
  std::vector<ConeContact> c(5, contact_at({0, -0.02, 0}, Vector3d::UnitY(), 0.6, 0.02));
  c.push_back(ConeContact{});  // touches nothing
  const Vec6 wrench = force_wrench({0.1, 1.0, 0.0});
  Vec6 about_contact = wrench;
  about_contact[5] = 0.02 * 0.1;  // the force's line through the contact point
  const ConeProgramResult r = solve_cone_program(c, about_contact);
  EXPECT_TRUE(r.feasible);
  EXPECT_NEAR(r.total_normal, 1.0, 1e-5);
  expect_certified(c, wrench, solve_cone_program(c, wrench), "coincident", 0);
}

TEST(ConeProgram, NotANumberIsReportedNotSpread) {
  std::vector<ConeContact> c = {contact_at({0, 0, 0}, Vector3d::UnitY(), 0.6)};
  c[0].wrench_map(2, 1) = std::numeric_limits<double>::quiet_NaN();
  const ConeProgramResult r = solve_cone_program(c, force_wrench({0, 1, 0}));
  EXPECT_FALSE(r.converged);
  EXPECT_FALSE(r.feasible);
  EXPECT_EQ(r.total_normal, 0.0);
}

TEST(ConeProgram, SolvingAgainAllocatesNothing) {
  std::mt19937 random(5);
  const std::vector<ConeContact> c = random_grasp(10, random, 0.02);
  const Vec6 wrench = random_wrench(random), other = random_wrench(random);
  ConeProgram program;
  ConeProgramResult result;
  program.solve(c, wrench, result);
  const size_t before = allocations();
  program.solve(c, other, result);
  program.solve(std::span(c).first(2), wrench, result);
  EXPECT_EQ(allocations(), before);
}

}  // namespace
}  // namespace prehend::optimize
