// What the contact solver must not enter, and how its pads must face.
#include <gtest/gtest.h>

#include "prehend/geometry/primitive.h"
#include "prehend/hands/hand_gaps.h"
#include "tests/hands/ik_fixture.h"

namespace prehend::hands {
namespace {

constexpr double kReached = 1e-4;    // m, of a target that can be reached
constexpr double kTolerance = 1e-4;  // m, ContactIkOptions::penetration_tolerance

std::shared_ptr<const geometry::SignedDistance> primitive(ShapeKind kind, const Vec3& size) {
  return geometry::fast_distance(
      geometry::object_from_primitive("obstacle", kind, size, 0.1).value().shape);
}

class ContactIkClear : public testing::Test {
 protected:
  double deepest(const Eigen::VectorXd& q, const Obstacle& obstacle, Digit digit) const {
    HandGaps::Found found;
    HandGaps gaps(hand_);
    gaps.place(segment_frames(hand_, pose_from_coordinates(hand_, root_, q)));
    double depth = 0.0;
    for (int c = 0; c < static_cast<int>(gaps.capsules().size()); ++c) {
      if (hand_.segments[gaps.capsules()[c].segment].digit != digit) continue;
      const int count = gaps.near_obstacle(c, *obstacle.distance, obstacle.pose_world, 0.0, found);
      for (int i = 0; i < count; ++i) depth = std::max(depth, -found[i].gap);
    }
    return depth;
  }
  const Hand hand_ = hand_of(HandProfile::kAnatomical);
  const Transform root_ = some_root();
  ContactIk ik_{hand_};
  Random random_{17};
};

// A wall or a ball touches the pad of a random pose; another pose of the same pad is free to enter
// it. A free pose that reaches the target exists, since the random one is.
TEST_F(ContactIkClear, TouchesWithoutEntering) {
  const double kHalf = 0.3;  // m, half the side of the box whose face is the wall
  const auto wall = primitive(ShapeKind::kBox, {kHalf, kHalf, kHalf});
  const auto ball = primitive(ShapeKind::kSphere, {0.03, 0.0, 0.0});
  ContactIkProblem problem = problem_at(hand_, root_);
  int tried = 0, entered_freely = 0;
  for (int i = 0; i < 800; ++i) {
    const Digit digit = kDigits[i % kDigitCount];
    const Eigen::VectorXd q = random_pose(hand_, random_, 0.9);
    ContactTarget target = target_at(hand_, root_, q, *pad_of(hand_, digit));
    const bool flat = i % 2 == 0;
    const Vec3 normal = target.normal_world;
    const Obstacle obstacle{(flat ? wall : ball).get(),
                            {Quat::FromTwoVectors(Vec3::UnitY(), normal),
                             target.point_world - (flat ? kHalf : 0.03) * normal}};
    if (deepest(q, obstacle, digit) > 1e-6) continue;
    problem.targets = {&target, 1};
    problem.moving = {};
    problem.moving[static_cast<int>(digit)] = true;
    problem.keep_apart = false;
    problem.obstacles = {};
    entered_freely += deepest(ik_.solve(problem).coordinates, obstacle, digit) > kTolerance;
    problem.obstacles = {&obstacle, 1};
    const ContactIkResult& result = ik_.solve(problem);
    ++tried;
    EXPECT_LE(result.penetration.depth, kTolerance) << i << ", " << to_string(digit);
    EXPECT_NEAR(result.penetration.depth, deepest(result.coordinates, obstacle, digit), 1e-12);
    EXPECT_LT(result.errors[0], kReached) << i << ", " << to_string(digit);
  }
  EXPECT_GT(tried, 100);
  EXPECT_GT(entered_freely, 20) << "the obstacle must matter";
}

// The target lies 1 cm below the surface of a ball: the finger stops there and says so.
TEST_F(ContactIkClear, StopsAtTheSurfaceOfWhatHidesTheTarget) {
  constexpr double kRadius = 0.03, kBelow = 0.01;  // m
  const auto ball = primitive(ShapeKind::kSphere, {kRadius, 0.0, 0.0});
  ContactIkProblem problem = problem_at(hand_, root_);
  const CoordinateLimits limits = coordinate_limits(hand_);
  for (int j = 0; j < hand_.dof(); ++j) {
    problem.preferred[j] = std::clamp(0.0, limits.lower[j], limits.upper[j]);
  }
  problem.moving = {false, true, false, false, false};
  ContactTarget target = target_at(hand_, root_, problem.preferred, *pad_of(hand_, Digit::kIndex));
  const Obstacle obstacle{
      ball.get(), Transform::from_position(target.point_world - kRadius * target.normal_world)};
  target.point_world -= kBelow * target.normal_world;
  problem.targets = {&target, 1};
  problem.obstacles = {&obstacle, 1};
  const ContactIkResult& result = ik_.solve(problem);
  EXPECT_LE(result.penetration.depth, kTolerance);
  // No point outside is nearer; what the skin may enter counts once, how well it is found once.
  EXPECT_GT(result.errors[0], kBelow - 2.0 * kTolerance);
  EXPECT_LT(result.errors[0], kBelow + kTolerance);
}

TEST_F(ContactIkClear, DigitsDoNotEnterEachOther) {
  ContactIkProblem problem = problem_at(hand_, root_);
  int entered_freely = 0;
  for (int i = 0; i < 20; ++i) {
    // Index and middle are drawn to one point between them.
    const Eigen::VectorXd q = random_pose(hand_, random_, 0.3);
    auto targets = pad_targets(hand_, root_, q);
    const Vec3 middle = 0.5 * (targets[1].point_world + targets[2].point_world);
    targets[1].point_world = targets[2].point_world = middle;
    problem.targets = targets;
    problem.keep_apart = false;
    entered_freely += ik_.solve(problem).self_penetration.depth > 0.003;
    problem.keep_apart = true;
    const ContactIkResult& result = ik_.solve(problem);
    EXPECT_LE(result.self_penetration.depth, kTolerance)
        << i << ", " << result.iterations << " steps";
    const SelfPenetration check = self_penetration(
        hand_, pose_from_coordinates(hand_, result.root_world, result.coordinates));
    EXPECT_NEAR(check.depth, result.self_penetration.depth, 1e-9);
    // Neither gives way alone.
    EXPECT_LT(std::max(result.errors[1], result.errors[2]), 0.03) << i;
  }
  EXPECT_GT(entered_freely, 10);
}

TEST_F(ContactIkClear, PadsFaceTheSurface) {
  const double kAngle = radians(20.0), kExcess = radians(0.7);
  ContactIkProblem problem = problem_at(hand_, root_);
  problem.keep_apart = false;
  int turned_away = 0;
  for (int i = 0; i < 50; ++i) {
    auto targets = pad_targets(hand_, root_, random_pose(hand_, random_, 0.9));
    problem.targets = targets;
    for (ContactTarget& target : targets) target.facing_angle = kPi;
    const ContactIkResult free = ik_.solve(problem);
    const auto reached = pad_targets(hand_, root_, free.coordinates);
    for (size_t t = 0; t < targets.size(); ++t) {
      turned_away += reached[t].normal_world.dot(targets[t].normal_world) < std::cos(kAngle);
    }
    for (ContactTarget& target : targets) target.facing_angle = kAngle;
    const ContactIkResult& result = ik_.solve(problem);
    EXPECT_LE(result.facing_excess, kExcess) << i;
    EXPECT_LT(result.worst_error(), kReached) << i;
  }
  EXPECT_GT(turned_away, 20) << "without being asked many pads face elsewhere";
}

}  // namespace
}  // namespace prehend::hands
