#include "prehend/physics/grasp_quality.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <thread>

#include <gtest/gtest.h>

#include "tests/physics/random_contacts.h"

namespace prehend::physics {
namespace {

using Vec6 = Eigen::Matrix<double, 6, 1>;

// How far a search that ends at a local answer may miss the best there is.
constexpr double kSearchMiss = 0.015;
constexpr double kRadius = 0.04;
constexpr double kNoBound = std::numeric_limits<double>::infinity();

std::vector<GraspContact> on_ball(const std::vector<Vec3>& out, double radius = kRadius) {
  std::vector<GraspContact> contacts;
  for (const Vec3& n : out) contacts.push_back({radius * n.normalized(), n.normalized()});
  return contacts;
}

std::vector<GraspContact> pinch() { return on_ball({Vec3::UnitZ(), -Vec3::UnitZ()}); }

std::vector<optimize::ConeContact> cones(const std::vector<GraspContact>& contacts,
                                         const FrictionCone& cone, double length) {
  std::vector<optimize::ConeContact> all;
  for (const GraspContact& c : contacts) {
    all.push_back(cone_contact(c.point, c.normal, cone, Vec3::Zero(), length));
    all.back().max_normal = c.max_normal;
  }
  return all;
}

double least_normal(const std::vector<optimize::ConeContact>& all, const Vec6& w) {
  const auto result = optimize::solve_cone_program(all, w);
  return result.feasible ? result.total_normal : std::numeric_limits<double>::infinity();
}

Vec6 random_direction(std::mt19937& random) {
  std::normal_distribution<double> gauss;
  Vec6 w;
  for (double& x : w) x = gauss(random);
  return w.normalized();
}

TEST(ForceClosure, TwoSoftContactsOnTheSpheresPoles) {
  // A price (f, q) is admitted when friction^2 |f_t +- q x z|^2 + torsion^2 q_z^2 <= (1 +- f_z)^2.
  // Adding both, |price|^2 is convex in f_z, so longest at f_z = 0, where q_z is all of it, or 1.
  for (const double friction : {0.3, 0.6, 1.4}) {
    for (const double torsion : {0.004, 0.01, 0.06}) {
      const GraspQualityOptions options{{friction, torsion}};
      const double epsilon =
          std::min(torsion / kRadius, 1.0 / std::sqrt(1.0 + 2.0 / (friction * friction)));
      EXPECT_NEAR(force_closure(pinch(), ball_object(), options).epsilon, epsilon, 1e-4 * epsilon)
          << friction << " " << torsion;
    }
  }
}

TEST(ForceClosure, SixContactsOnTheFacesOfACube) {
  // The weakest is a torque about a diagonal, to which every contact gives the same.
  const auto cube = on_ball({Vec3::UnitX(), -Vec3::UnitX(), Vec3::UnitY(), -Vec3::UnitY(),
                             Vec3::UnitZ(), -Vec3::UnitZ()});
  for (const double friction : {0.3, 0.6}) {
    const double torsion = 0.005;
    const GraspQualityOptions options{{friction, torsion}};
    const double t = torsion / kRadius;
    const double epsilon = std::sqrt((2.0 * friction * friction + t * t) / 3.0);
    const ForceClosure closure = force_closure(cube, ball_object(), options);
    EXPECT_NEAR(closure.epsilon, epsilon, 1e-4 * epsilon);
    EXPECT_LE(closure.weakest.head<3>().norm(), 0.02);
  }
}

TEST(ForceClosure, ThreeHardContactsOnACircle) {
  // A price (f, q) is admitted when 1 + e_i . f >= friction |(t_i . f + q_z, x_i)|, with
  // x_i = f_z - q . t_i, at contacts of outward normals e_i and tangents t_i. With all at the
  // limit,
  //   |price|^2 = (2 + |f_xy|^2) / friction^2 - q_z^2 - (x_1 + x_2 + x_3)^2 / 9,
  // and f_xy lies in wedges with tips -e_i, so it is longest there for frictions from sqrt(1/3) to
  // sqrt(3), where x_1 = 0 and x_2 = -x_3.
  std::vector<Vec3> out;
  for (int i = 0; i < 3; ++i) {
    const double angle = 2.0 * kPi * i / 3.0;
    out.emplace_back(std::cos(angle), std::sin(angle), 0.0);
  }
  for (const double friction : {0.6, 0.8, 1.2}) {
    const GraspQualityOptions options{{friction, 0.0}};
    const double epsilon = friction / std::sqrt(3.0);
    EXPECT_NEAR(force_closure(on_ball(out), ball_object(), options).epsilon, epsilon,
                1e-4 * epsilon);
  }
}

TEST(ForceClosure, NoDirectionNeedsMoreThanTheWeakest) {
  std::mt19937 random(4);
  std::normal_distribution<double> gauss;
  const GraspQualityOptions options{{0.6, 0.02}};
  for (const int count : {4, 6, 10}) {
    const auto contacts = random_closed_grasp(count, random, options);
    const ForceClosure closure = force_closure(contacts, ball_object(), options);
    const auto all = cones(contacts, options.cone, kRadius);
    EXPECT_NEAR(closure.weakest.norm(), 1.0, 1e-12);
    EXPECT_NEAR(least_normal(all, closure.weakest) * closure.epsilon, 1.0, 2e-3);
    // Neither prices nor supports: a thousand directions, then ever smaller steps from the worst.
    Vec6 worst = random_direction(random);
    double most = least_normal(all, worst);
    for (int k = 0; k < 5000; ++k) {
      const double spread = k < 1000 ? 10.0 : std::pow(0.998, k - 1000);
      Vec6 w = worst;
      for (double& x : w) x += spread * gauss(random);
      const double normal = least_normal(all, w.normalized());
      if (normal > most) most = normal, worst = w.normalized();
    }
    EXPECT_LE(most * closure.epsilon, 1.0 + kSearchMiss);
    EXPECT_GE(most * closure.epsilon, 0.9);
  }
}

TEST(ForceClosure, ManyMoreStartsFindLittleMore) {
  std::mt19937 random(5);
  GraspQualityOptions many{{0.6, 0.02}};
  many.starts = 212;
  for (int trial = 0; trial < 30; ++trial) {
    const auto contacts = random_closed_grasp(5 + trial % 11, random, many);
    const double few = force_closure(contacts, ball_object(), {{0.6, 0.02}}).epsilon;
    const double best = force_closure(contacts, ball_object(), many).epsilon;
    EXPECT_LE(best, (1.0 + 1e-4) * few);
    EXPECT_GE(best, (1.0 - kSearchMiss) * few);
  }
}

TEST(ForceClosure, ZeroWithAProofWhenContactsCannotClose) {
  std::mt19937 random(6);
  const GraspQualityOptions soft{{0.6, 0.02}, kRadius};
  auto one_side = random_contacts(8, random);
  for (GraspContact& c : one_side) c.normal = Vec3::UnitY();
  const ForceClosure open = force_closure(one_side, ball_object(), soft);
  EXPECT_EQ(open.epsilon, 0.0);
  EXPECT_TRUE(std::isinf(least_normal(cones(one_side, soft.cone, kRadius), open.weakest)));
  // Hard points turn about the line between them, wherever rounding puts it.
  for (int k = 0; k < 20; ++k) {
    const Vec3 line = random_direction(random).head<3>();
    EXPECT_EQ(force_closure(on_ball({line, -line}), ball_object(), {{0.6, 0.0}}).epsilon, 0.0);
  }
  const ForceClosure hard = force_closure(pinch(), ball_object(), {{0.6, 0.0}});
  EXPECT_EQ(hard.epsilon, 0.0);
  EXPECT_NEAR(std::abs(hard.weakest[5]), 1.0, 1e-3);
  // Without friction nothing keeps a ball from turning.
  const auto around =
      on_ball({{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}, {1, 1, 1}});
  EXPECT_EQ(force_closure(around, ball_object(), {{0.0, 0.0}}).epsilon, 0.0);
  EXPECT_GT(force_closure(around, ball_object(), {{0.1, 0.0}}).epsilon, 0.0);
  EXPECT_EQ(force_closure({}, ball_object()).epsilon, 0.0);
}

TEST(ForceClosure, UnchangedWhenObjectAndLengthScaleTogether) {
  std::mt19937 random(7);
  auto contacts = random_closed_grasp(8, random, {});
  const double small = force_closure(contacts, ball_object(), {{0.6, 0.02}}).epsilon;
  for (GraspContact& c : contacts) c.point *= 8.0;
  EXPECT_NEAR(force_closure(contacts, ball_object(), {{0.6, 0.16}}).epsilon, small, 1e-12);
  EXPECT_NEAR(force_closure(contacts, ball_object(), {{0.6, 0.16}, 8.0 * kRadius}).epsilon, small,
              1e-12);
  // Torques about the center of mass, wherever the object's frame is; bounds play no part.
  Object shifted = ball_object();
  shifted.center_of_mass = Vec3(0.3, -0.2, 0.1);
  for (GraspContact& c : contacts) {
    c.point = c.point / 8.0 + shifted.center_of_mass;
    c.max_normal = 1e-3;
  }
  EXPECT_NEAR(force_closure(contacts, shifted, {{0.6, 0.02}}).epsilon, small, 1e-6);
}

TEST(ForceClosure, GrowsWithContactsAndFriction) {
  std::mt19937 random(8);
  for (int trial = 0; trial < 10; ++trial) {
    auto contacts = random_closed_grasp(6, random, {});
    const double epsilon = force_closure(contacts, ball_object()).epsilon;
    EXPECT_GE(force_closure(contacts, ball_object(), {{0.8, 0.02}}).epsilon * (1.0 + kSearchMiss),
              epsilon);
    contacts.push_back(random_contacts(1, random).front());
    EXPECT_GE(force_closure(contacts, ball_object()).epsilon * (1.0 + kSearchMiss), epsilon);
  }
}

TEST(LeastGripForce, OfAPinchIsWeightOverFriction) {
  const Object object = ball_object(0.25);
  const double weight = 0.25 * 9.81;
  for (const double friction : {0.3, 0.6}) {
    for (const double torsion : {0.0, 0.02}) {
      const GraspQualityOptions options{{friction, torsion}};
      EXPECT_NEAR(least_grip_force(pinch(), object, {0.0, -9.81, 0.0}, options), weight / friction,
                  1e-5);
      // On one of the two it lies; none is needed from above.
      EXPECT_NEAR(least_grip_force(pinch(), object, {0.0, 0.0, -9.81}, options), weight, 1e-5);
      // Both need a normal force for their share across, and one what is along besides.
      EXPECT_NEAR(least_grip_force_any_way(pinch(), object, 9.81, options),
                  weight * std::hypot(1.0, 1.0 / friction), 1e-4);
    }
  }
  EXPECT_EQ(least_grip_force_any_way(pinch(), object, 0.0), 0.0);
}

TEST(LeastGripForce, InfiniteBeyondBoundsOrOnOneSide) {
  const Object object = ball_object(0.25);
  const double needed = 0.25 * 9.81 / 0.6;
  auto contacts = pinch();
  for (GraspContact& c : contacts) c.max_normal = 0.51 * needed;
  EXPECT_NEAR(least_grip_force(contacts, object, {9.81, 0.0, 0.0}), needed, 1e-5);
  for (GraspContact& c : contacts) c.max_normal = 0.49 * needed;
  EXPECT_TRUE(std::isinf(least_grip_force(contacts, object, {9.81, 0.0, 0.0})));
  EXPECT_TRUE(std::isinf(least_grip_force_any_way(contacts, object, 9.81)));
  const auto below = on_ball({{0.3, -1, 0}, {-0.3, -1, 0.2}, {0, -1, -0.4}});
  EXPECT_TRUE(std::isfinite(least_grip_force(below, object, {0.0, -9.81, 0.0})));
  EXPECT_TRUE(std::isinf(least_grip_force(below, object, {0.0, 9.81, 0.0})));
  EXPECT_TRUE(std::isinf(least_grip_force_any_way(below, object, 9.81)));
  EXPECT_TRUE(std::isinf(least_grip_force({}, object, {0.0, 9.81, 0.0})));
}

TEST(LeastGripForce, NoDirectionOfGravityNeedsMoreThanTheWorst) {
  std::mt19937 random(9);
  const Object object = ball_object();
  for (int trial = 0; trial < 6; ++trial) {
    auto contacts = random_closed_grasp(4 + trial, random, {});
    const double free = least_grip_force_any_way(contacts, object, 9.81);
    if (trial % 2) {
      for (GraspContact& c : contacts) c.max_normal = 0.7 * free;
    }
    const double worst = least_grip_force_any_way(contacts, object, 9.81);
    double most = 0.0;
    for (int k = 0; k < 4000; ++k) {  // a spiral over the sphere
      const double y = 1.0 - (2.0 * k + 1.0) / 4000.0, angle = 2.399963229728653 * k;
      const double r = std::sqrt(1.0 - y * y);
      const Vec3 down(r * std::cos(angle), y, r * std::sin(angle));
      most = std::max(most, least_grip_force(contacts, object, 9.81 * down));
    }
    EXPECT_LE(most, (1.0 + 1e-3) * worst);
    EXPECT_GE(most, 0.98 * worst);
  }
}

// What is known of any squeeze, from its forces alone; returns the sum of normal forces.
double check_squeeze(const std::vector<GraspContact>& contacts, const Squeeze& squeeze,
                     double friction, double length) {
  Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
  double total = 0.0;
  for (size_t i = 0; i < contacts.size(); ++i) {
    const Vec3& f = squeeze.forces[i];
    const double normal = -f.dot(contacts[i].normal);
    total += normal;
    force += f;
    torque += contacts[i].point.cross(f);
    EXPECT_LE((f + normal * contacts[i].normal).norm(), friction * normal + 1e-9);
    const double bound = contacts[i].max_normal;
    EXPECT_LE(normal, bound > 0.0 ? bound + 1e-9 : kNoBound);
  }
  EXPECT_NEAR(squeeze.residual, std::hypot(force.norm(), torque.norm() / length) / total, 1e-9);
  return total;
}

TEST(BalancedSqueeze, BalancesEveryClosedGraspWithinItsCones) {
  std::mt19937 random(10);
  for (int trial = 0; trial < 300; ++trial) {
    const double friction = trial % 2 ? 0.4 : 0.6;
    const GraspQualityOptions options{{friction, 0.0}};
    const int count = 4 + trial % 12;
    const auto contacts = random_closed_grasp(count, random, options);
    const std::vector<double> preferred(static_cast<size_t>(count), 2.0);
    const Squeeze squeeze = balanced_squeeze(contacts, ball_object(), preferred, options);
    EXPECT_LT(squeeze.residual, 1e-4);
    EXPECT_NEAR(check_squeeze(contacts, squeeze, friction, kRadius), 2.0 * count, 1e-9);
  }
}

TEST(BalancedSqueeze, LeavesForcesThatBalanceAsPreferred) {
  const std::vector<double> preferred{3.0, 3.0};
  const Squeeze squeeze = balanced_squeeze(pinch(), ball_object(), preferred);
  EXPECT_LE((squeeze.forces[0] - Vec3(0.0, 0.0, -3.0)).norm(), 1e-12);
  EXPECT_LE((squeeze.forces[1] - Vec3(0.0, 0.0, 3.0)).norm(), 1e-12);
}

TEST(BalancedSqueeze, IsTheNearestByAlternatingProjections) {
  // Dykstra's method between the cones and the forces without wrench.
  std::mt19937 random(11);
  const FrictionCone cone{0.5, 0.0};
  for (const int count : {4, 6, 9}) {
    const auto contacts = random_closed_grasp(count, random, {cone});
    const auto all = cones(contacts, cone, kRadius);
    Eigen::MatrixXd map(6, 3 * count);
    Eigen::VectorXd f = Eigen::VectorXd::Zero(3 * count);
    std::vector<double> preferred;
    for (int i = 0; i < count; ++i) {
      map.middleCols<3>(3 * i) = all[static_cast<size_t>(i)].wrench_map.leftCols<3>();
      preferred.push_back(1.0 + 0.2 * (i % 3));
      f[3 * i] = preferred.back();
    }
    const Eigen::MatrixXd balance = Eigen::MatrixXd::Identity(3 * count, 3 * count) -
                                    map.transpose() * (map * map.transpose()).inverse() * map;
    Eigen::VectorXd memory = Eigen::VectorXd::Zero(3 * count);
    for (int k = 0; k < 5000; ++k) {
      const Eigen::VectorXd wanted = balance * f + memory;
      for (int i = 0; i < count; ++i) {
        Eigen::Vector4d local(0.0, 0.0, 0.0, 0.0);
        local.head<3>() = wanted.segment<3>(3 * i);
        f.segment<3>(3 * i) = cone.project(local).head<3>();
      }
      memory = wanted - f;
    }
    double total = 0.0, kept = 0.0;
    for (int i = 0; i < count; ++i) total += f[3 * i], kept += preferred[static_cast<size_t>(i)];
    const Squeeze squeeze = balanced_squeeze(contacts, ball_object(), preferred, {cone});
    for (int i = 0; i < count; ++i) {
      const Vec3 route = contact_frame(contacts[static_cast<size_t>(i)].normal) *
                         f.segment<3>(3 * i) * (kept / total);
      EXPECT_LE((squeeze.forces[static_cast<size_t>(i)] - route).norm(), 1e-3);
    }
  }
}

TEST(BalancedSqueeze, TellsWhatIsLeftWhenNothingBalances) {
  const std::vector<double> preferred{2.0, 2.0};
  // Two at angle a off the vertical from below, each leaning on its friction to push the least up.
  for (const double angle : {0.0, 0.4, 0.9}) {
    const auto below = on_ball(
        {{std::sin(angle), -std::cos(angle), 0.0}, {-std::sin(angle), -std::cos(angle), 0.0}});
    const Squeeze squeeze = balanced_squeeze(below, ball_object(), preferred, {{0.3, 0.0}});
    EXPECT_NEAR(squeeze.residual, std::cos(angle) - 0.3 * std::sin(angle), 1e-3) << angle;
    EXPECT_NEAR(check_squeeze(below, squeeze, 0.3, kRadius), 4.0, 1e-9);
  }
  std::mt19937 random(12);
  for (int trial = 0; trial < 200; ++trial) {
    const auto contacts = random_contacts(2 + trial % 4, random);
    const std::vector<double> each(contacts.size(), 1.0);
    const Squeeze squeeze = balanced_squeeze(contacts, ball_object(), each, {{0.3, 0.0}});
    EXPECT_NEAR(check_squeeze(contacts, squeeze, 0.3, kRadius), contacts.size(), 1e-9);
  }
  const Squeeze nothing = balanced_squeeze(pinch(), ball_object(), std::vector<double>{0.0, 0.0});
  EXPECT_EQ(nothing.residual, 1.0);
  EXPECT_EQ(nothing.forces[0], Vec3(Vec3::Zero()));
  EXPECT_EQ(balanced_squeeze({}, ball_object(), {}).residual, 1.0);
}

TEST(BalancedSqueeze, KeepsToBounds) {
  auto contacts = pinch();
  contacts[0].max_normal = 1.0;
  const Squeeze weak = balanced_squeeze(contacts, ball_object(), std::vector<double>{5.0, 5.0});
  EXPECT_LT(weak.residual, 1e-5);
  EXPECT_NEAR(check_squeeze(contacts, weak, 0.6, kRadius), 2.0, 1e-4);
  // A second pair keeps what it may have beside a bounded one.
  auto cross = on_ball({Vec3::UnitZ(), -Vec3::UnitZ(), Vec3::UnitX(), -Vec3::UnitX()});
  cross[0].max_normal = cross[1].max_normal = 1.0;
  const Squeeze both = balanced_squeeze(cross, ball_object(), std::vector<double>(4, 5.0));
  EXPECT_NEAR(check_squeeze(cross, both, 0.6, kRadius), 12.0, 1e-4);
  EXPECT_NEAR(both.forces[2].norm(), 5.0, 1e-4);
  std::mt19937 random(13);
  for (int trial = 0; trial < 100; ++trial) {
    auto grasp = random_closed_grasp(7, random, {{0.6, 0.0}});
    for (size_t i = 0; i < grasp.size(); ++i) grasp[i].max_normal = i % 2 ? 0.0 : 1.5;
    const std::vector<double> preferred(grasp.size(), 2.0);
    const Squeeze squeeze = balanced_squeeze(grasp, ball_object(), preferred, {{0.6, 0.0}});
    EXPECT_LT(squeeze.residual, 1e-4);
    EXPECT_GT(check_squeeze(grasp, squeeze, 0.6, kRadius), 1.0);
  }
}

TEST(GraspQuality, SameBytesOnEveryThread) {
  std::mt19937 random(14);
  const auto contacts = random_closed_grasp(9, random, {{0.6, 0.0}});
  const std::vector<double> preferred(9, 2.0);
  const auto all = [&] {
    const ForceClosure closure = force_closure(contacts, ball_object());
    const Squeeze squeeze = balanced_squeeze(contacts, ball_object(), preferred);
    std::vector<double> numbers{closure.epsilon, squeeze.residual,
                                least_grip_force_any_way(contacts, ball_object(), 9.81)};
    numbers.insert(numbers.end(), closure.weakest.begin(), closure.weakest.end());
    for (const Vec3& f : squeeze.forces) numbers.insert(numbers.end(), f.begin(), f.end());
    return numbers;
  };
  const std::vector<double> here = all();
  std::vector<std::vector<double>> there(3);
  std::vector<std::thread> threads;
  for (auto& numbers : there) threads.emplace_back([&] { numbers = all(); });
  for (std::thread& t : threads) t.join();
  for (const auto& numbers : there) {
    ASSERT_EQ(numbers.size(), here.size());
    EXPECT_EQ(std::memcmp(numbers.data(), here.data(), here.size() * sizeof(double)), 0);
  }
}

}  // namespace
}  // namespace prehend::physics
