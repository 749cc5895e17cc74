#include "prehend/hands/palm.h"

#include <gtest/gtest.h>

#include "prehend/core/random.h"
#include "prehend/geometry/primitive.h"
#include "tests/hands/ball_hand.h"

namespace prehend::hands {
namespace {

TEST(Palm, IsTheWristAndTheFingersMetacarpals) {
  const Hand hand = ball_hand();
  const std::vector<int> palm = palm_segments(hand);
  EXPECT_EQ(palm.size(), 5u);
  EXPECT_EQ(palm[0], hand.wrist());
  for (int s : palm) EXPECT_EQ(hand.segments[s].name.find("thumb"), std::string::npos);
}

// Between a ball and capsules: from its middle to their axes.
TEST(Palm, GapToABallIsThatOfItsMiddle) {
  constexpr double kRadius = 0.03, kMeters = 1e-6;
  const Hand hand = ball_hand();
  const Object ball =
      *geometry::object_from_primitive("ball", ShapeKind::kSphere, Vec3(kRadius, 0.0, 0.0), 0.1);
  const auto distance = geometry::exact_distance(ball.shape);
  const std::vector<int> palm = palm_segments(hand);
  Random random(2);
  for (int i = 0; i < 50; ++i) {
    const Transform root{exp_map(2.0 * random.direction()), random.direction()};
    const auto frames =
        segment_frames(hand, pose_from_coordinates(hand, root, Eigen::VectorXd::Zero(hand.dof())));
    const Vec3 middle = root * Vec3(0.2 * random.uniform() * random.direction());
    double least = INFINITY;
    for (int s : palm) {
      for (const Capsule& own : hand.segments[s].capsules) {
        const Capsule capsule = frames[s] * own;
        const Vec3 way = capsule.b - capsule.a;
        const double along =
            std::clamp((middle - capsule.a).dot(way) / way.squaredNorm(), 0.0, 1.0);
        least =
            std::min(least, (capsule.a + along * way - middle).norm() - capsule.radius - kRadius);
      }
    }
    const Transform pose{exp_map(random.direction()), middle};
    EXPECT_NEAR(gap_to_object(hand, palm, frames, pose, *distance), least, kMeters);
  }
}

// Of a cylinder on its side, the worst for capsules: the nearest place may be anywhere on both.
TEST(Palm, FromAfarEndsAndMiddlesTellTheGap) {
  constexpr double kTolerance = 0.003;  // m, where states begin and end at centimeters
  const Hand hand = ball_hand();
  const auto segments = palm_segments(hand);
  const Object object =
      geometry::object_from_primitive("rod", ShapeKind::kCylinder, {0.03, 0.09, 0.0}, 0.2).value();
  const auto distance = geometry::exact_distance(object.shape);
  Random random(7);
  for (int trial = 0; trial < 200; ++trial) {
    const Vec3 turn(random.uniform() - 0.5, random.uniform() - 0.5, random.uniform() - 0.5);
    const Transform place{exp_map(6.0 * turn),
                          {0.6 * random.uniform() - 0.3, 0.2 + 0.3 * random.uniform(), 0.0}};
    HandPose pose = rest_pose(hand);
    pose.root_world = place;
    const auto frames = segment_frames(hand, pose);
    const double exact = gap_to_object(hand, segments, frames, {}, *distance);
    const double far = far_gap_to_object(hand, segments, frames, {}, *distance);
    if (exact < 0.04) continue;
    EXPECT_GE(far, exact - 1e-9);
    EXPECT_LT(far, exact + kTolerance);
  }
}

TEST(Palm, GapsBetweenHandsAreMutual) {
  const Hand one = ball_hand(), other = ball_hand(0.16);
  const std::vector<int> palm = palm_segments(one), theirs = palm_segments(other);
  const auto here = segment_frames(one, rest_pose(one));
  HandPose moved = rest_pose(other);
  moved.root_world = {exp_map({0.3, 1.0, -0.4}), {0.1, 0.15, 0.05}};
  const auto there = segment_frames(other, moved);
  const double gap = gap_to_hand(one, palm, here, other, theirs, there);
  EXPECT_NEAR(gap, gap_to_hand(other, theirs, there, one, palm, here), 1e-12);
  EXPECT_GT(gap, 0.0);
  // Farther by as much as it is moved away along the line between, at most.
  moved.root_world.position += Vec3(0.0, 1.0, 0.0);
  const double far = gap_to_hand(one, palm, here, other, theirs, segment_frames(other, moved));
  EXPECT_GT(far, gap + 0.5);
  EXPECT_LE(far, gap + 1.0 + 1e-12);
}

}  // namespace
}  // namespace prehend::hands
