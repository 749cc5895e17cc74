#include "prehend/hands/contact_ik.h"

#include <cmath>

#include <gtest/gtest.h>

#include "prehend/geometry/primitive.h"
#include "prehend/optimize/least_squares.h"
#include "tests/hands/ik_fixture.h"
#include "tests/optimize/count_allocations.h"

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

namespace prehend::hands {
namespace {

constexpr double kReached = 1e-4;       // m, of a target that can be reached
constexpr double kSamePosition = 1e-9;  // m, two routes to the same point

class ContactIkOf : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    std::optional<Hand> found = hand_named(GetParam());
    if (!found) GTEST_SKIP() << "skipped: no recordings";
    hand_ = std::move(*found);
  }
  Hand hand_;
  Random random_{7};
};

TEST_P(ContactIkOf, ReachesWhatAPoseReaches) {
  ContactIk ik(hand_);
  ContactIkProblem problem = problem_at(hand_, some_root());
  problem.keep_apart = false;  // a random pose has digits through each other
  for (int i = 0; i < 100; ++i) {
    const Eigen::VectorXd q = random_pose(hand_, random_, 0.95);
    const auto targets = pad_targets(hand_, problem.root_world, q);
    problem.targets = targets;
    const ContactIkResult& result = ik.solve(problem);
    EXPECT_EQ(result.termination, Termination::kConverged) << i;
    EXPECT_LT(result.worst_error(), kReached) << i << ", " << result.iterations << " steps";
    EXPECT_EQ(limit_violation(coordinate_limits(hand_), result.coordinates), 0.0);
  }
}

TEST_P(ContactIkOf, ReachesWithAFreeRootWhatAMovedHandReaches) {
  ContactIk ik(hand_);
  ContactIkProblem problem = problem_at(hand_, some_root());
  problem.keep_apart = false;
  problem.root_shift = 0.03;
  problem.root_turn = 0.4;
  for (int i = 0; i < 50; ++i) {
    Eigen::VectorXd move(6);
    for (int k = 0; k < 6; ++k) move[k] = random_.uniform(-1.0, 1.0) * (k < 3 ? 0.02 : 0.2);
    const Transform moved = moved_root(problem.root_world, move);
    const auto targets = pad_targets(hand_, moved, random_pose(hand_, random_, 0.8));
    problem.targets = targets;
    const ContactIkResult& result = ik.solve(problem);
    EXPECT_LT(result.worst_error(), kReached) << i << ", " << result.iterations << " steps";
    const Vec3 shift = result.root_world.position - problem.root_world.position;
    EXPECT_LE(shift.cwiseAbs().maxCoeff(), problem.root_shift + kSamePosition);
    const Vec3 turn = log_map(result.root_world.rotation * problem.root_world.rotation.conjugate());
    EXPECT_LE(turn.cwiseAbs().maxCoeff(), problem.root_turn + 1e-7);
  }
}

TEST_P(ContactIkOf, ErrorsAreThoseOfThePoseThatItGives) {
  ContactIk ik(hand_);
  ContactIkProblem problem = problem_at(hand_, some_root());
  auto targets = pad_targets(hand_, problem.root_world, problem.preferred);
  for (ContactTarget& target : targets) target.point_world += 0.5 * random_.direction();
  problem.targets = targets;
  const ContactIkResult& result = ik.solve(problem);
  const auto reached = pad_targets(hand_, result.root_world, result.coordinates);
  for (size_t i = 0; i < targets.size(); ++i) {
    const double error = (reached[i].point_world - targets[i].point_world).norm();
    EXPECT_NEAR(result.errors[i], error, kSamePosition);
    EXPECT_GT(error, 0.1) << "out of reach";
  }
  EXPECT_EQ(limit_violation(coordinate_limits(hand_), result.coordinates), 0.0);
}

INSTANTIATE_TEST_SUITE_P(Hands, ContactIkOf, testing::Values("anatomical", "ball", "myohand"),
                         [](const auto& hand) { return std::string(hand.param); });

class ContactIkTest : public testing::Test {
 protected:
  // The solver's objective without bounds, by Ceres and central differences.
  optimize::LeastSquaresResult by_ceres(const ContactIkProblem& problem,
                                        const Eigen::VectorXd& start) const {
    const int targets = static_cast<int>(problem.targets.size());
    const ContactIkOptions options;
    const auto residuals = [&](const Eigen::VectorXd& q, Eigen::VectorXd& r) {
      const auto frames =
          segment_frames(hand_, pose_from_coordinates(hand_, problem.root_world, q));
      for (int i = 0; i < targets; ++i) {
        const ContactTarget& t = problem.targets[i];
        r.segment<3>(3 * i) = (frames[t.skin.segment] * t.skin.point_segment - t.point_world) *
                              t.weight / options.position_scale;
      }
      r.tail(q.size()) = options.preference * (q - problem.preferred);
    };
    const CoordinateLimits limits = coordinate_limits(hand_);
    optimize::LeastSquaresOptions ceres;
    ceres.max_iterations = 500;
    ceres.function_tolerance = 1e-13;
    return optimize::minimize_squares(residuals, 3 * targets + hand_.dof(), start, limits.lower,
                                      limits.upper, ceres);
  }
  double cost(const ContactIkProblem& problem, const ContactIkResult& result) const {
    const ContactIkOptions options;
    double sum =
        std::pow(options.preference, 2) * (result.coordinates - problem.preferred).squaredNorm();
    for (size_t i = 0; i < result.errors.size(); ++i) {
      sum += std::pow(problem.targets[i].weight * result.errors[i] / options.position_scale, 2);
    }
    return 0.5 * sum;
  }
  const Hand hand_ = hand_of(HandProfile::kAnatomical);
  ContactIk ik_{hand_};
  Random random_{11};
};

// A second route: targets within reach, and in a third of the problems up to 3 cm off it. Ceres has
// first derivatives only and stops a little short of the minimum; from our answer it goes nowhere.
TEST_F(ContactIkTest, AgreesWithCeres) {
  constexpr double kCost = 2e-5;    // what Ceres may find better: an error of 0.006 mm
  constexpr double kAngle = 0.005;  // rad, of any joint
  ContactIkProblem problem = problem_at(hand_, some_root());
  problem.keep_apart = false;
  for (int i = 0; i < 6; ++i) {
    auto targets = pad_targets(hand_, problem.root_world, random_pose(hand_, random_, 0.7));
    for (ContactTarget& target : targets) {
      if (i % 3 == 2) target.point_world += random_.uniform(0.0, 0.03) * random_.direction();
    }
    problem.targets = targets;
    const ContactIkResult& ours = ik_.solve(problem);
    const double our_cost = cost(problem, ours);
    const auto theirs = by_ceres(problem, problem.preferred);
    EXPECT_LT(our_cost, theirs.cost + kCost) << i;
    const auto from_ours = by_ceres(problem, ours.coordinates);
    EXPECT_LT(our_cost, from_ours.cost + kCost) << i;
    EXPECT_LT((ours.coordinates - from_ours.x).cwiseAbs().maxCoeff(), kAngle) << i;
  }
}

// A stretched finger points at what it cannot reach.
TEST_F(ContactIkTest, PointsAtWhatIsOutOfReach) {
  ContactIkProblem problem = problem_at(hand_, Transform::Identity());
  Eigen::VectorXd straight = problem.preferred;
  for (double& q : straight) q = 0.0;
  const CoordinateLimits limits = coordinate_limits(hand_);
  straight = straight.cwiseMax(limits.lower).cwiseMin(limits.upper);
  const int knuckle = segment_of(hand_, Digit::kIndex, 1);
  ContactTarget target =
      target_at(hand_, problem.root_world, straight, *pad_of(hand_, Digit::kIndex));
  const Vec3 base =
      segment_frames(hand_, pose_from_coordinates(hand_, problem.root_world, straight))[knuckle]
          .position;
  const double reach = (target.point_world - base).norm();
  target.point_world = base + 2.0 * (target.point_world - base);
  problem.targets = {&target, 1};
  const ContactIkResult& result = ik_.solve(problem);
  // The metacarpal gives way a little, so it comes a little nearer than the straight finger.
  EXPECT_LE(result.errors[0], reach + 1e-6);
  EXPECT_GT(result.errors[0], reach - 0.01);
}

TEST_F(ContactIkTest, KeepsTheChangeOfAFrame) {
  ContactIkProblem problem = problem_at(hand_, some_root());
  problem.previous = random_pose(hand_, random_, 0.9);
  problem.greatest_change = Eigen::VectorXd::Constant(hand_.dof(), 0.05);
  problem.greatest_change[3] = 0.0;
  const auto targets = pad_targets(hand_, problem.root_world, random_pose(hand_, random_));
  problem.targets = targets;
  const ContactIkResult& result = ik_.solve(problem);
  const Eigen::VectorXd change = (result.coordinates - problem.previous).cwiseAbs();
  for (int j = 0; j < hand_.dof(); ++j) EXPECT_LE(change[j], problem.greatest_change[j] + 1e-15);
  EXPECT_EQ(change[3], 0.0);
  EXPECT_GT(change.maxCoeff(), 0.0499) << "some joint goes as far as it may";
  EXPECT_GT(result.worst_error(), 0.01) << "one frame is too short";
}

TEST_F(ContactIkTest, DigitsThatMayNotMoveStay) {
  ContactIkProblem problem = problem_at(hand_, some_root());
  problem.start = random_pose(hand_, random_, 0.5);
  const auto targets = pad_targets(hand_, problem.root_world, random_pose(hand_, random_, 0.5));
  problem.targets = targets;
  problem.moving = {false, true, false, false, false};
  problem.keep_apart = false;
  const ContactIkResult& result = ik_.solve(problem);
  EXPECT_LT(result.errors[1], kReached);
  const std::vector<int> offsets = coordinate_offsets(hand_);
  for (int s = 0; s < hand_.segment_count(); ++s) {
    for (int c = offsets[s]; c < offsets[s + 1]; ++c) {
      if (hand_.segments[s].digit == Digit::kIndex) continue;
      EXPECT_EQ(result.coordinates[c], problem.start[c]) << hand_.segments[s].name;
    }
  }
}

TEST_F(ContactIkTest, AMirroredHandGivesTheMirroredAnswer) {
  const Hand left = mirrored(hand_);
  ContactIk left_ik(left);
  ContactIkProblem problem = problem_at(hand_, some_root());
  problem.keep_apart = false;
  const auto targets = pad_targets(hand_, problem.root_world, random_pose(hand_, random_, 0.8));
  problem.targets = targets;
  const ContactIkResult& right = ik_.solve(problem);
  ContactIkProblem mirror = problem_at(left, mirror_x(problem.root_world));
  mirror.keep_apart = false;
  auto mirror_targets = targets;
  for (ContactTarget& t : mirror_targets) {
    t.skin.point_segment = mirror_x(t.skin.point_segment);
    t.skin.normal_segment = mirror_x(t.skin.normal_segment);
    t.point_world = mirror_x(t.point_world);
    t.normal_world = mirror_x(t.normal_world);
  }
  mirror.targets = mirror_targets;
  const ContactIkResult& other = left_ik.solve(mirror);
  const auto a =
      segment_frames(hand_, pose_from_coordinates(hand_, right.root_world, right.coordinates));
  const auto b =
      segment_frames(left, pose_from_coordinates(left, other.root_world, other.coordinates));
  for (int s = 0; s < hand_.segment_count(); ++s) {
    EXPECT_LT((mirror_x(a[s].position) - b[s].position).norm(), kSamePosition);
  }
}

TEST_F(ContactIkTest, NothingIsAllocatedAfterConstruction) {
  ContactIkProblem problem = problem_at(hand_, some_root());
  const Object ball =
      geometry::object_from_primitive("ball", ShapeKind::kSphere, {0.03, 0.0, 0.0}, 0.1).value();
  const auto distance = geometry::fast_distance(ball.shape);
  auto targets = pad_targets(hand_, problem.root_world, random_pose(hand_, random_, 0.7));
  for (ContactTarget& target : targets) target.facing_angle = 0.5;
  problem.targets = targets;
  const Obstacle obstacle{distance.get(), Transform::from_position(targets[2].point_world)};
  problem.obstacles = {&obstacle, 1};
  for (const double shift : {0.0, 0.01}) {
    problem.root_shift = shift;
    const size_t before = allocations();
    const ContactIkResult& result = ik_.solve(problem);
    EXPECT_EQ(allocations(), before);
    EXPECT_GT(result.iterations, 5) << "there was something to do";
  }
}

TEST_F(ContactIkTest, TheSameProblemGivesTheSameAnswerWhateverCameBefore) {
  ContactIkProblem problem = problem_at(hand_, some_root());
  const auto targets = pad_targets(hand_, problem.root_world, random_pose(hand_, random_));
  problem.targets = targets;
  const Eigen::VectorXd first = ik_.solve(problem).coordinates;
  const auto others = pad_targets(hand_, problem.root_world, random_pose(hand_, random_));
  problem.targets = others;
  problem.root_shift = 0.02;
  ik_.solve(problem);
  problem.targets = targets;
  problem.root_shift = 0.0;
  EXPECT_EQ(ik_.solve(problem).coordinates, first);
}

}  // namespace
}  // namespace prehend::hands
