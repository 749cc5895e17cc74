#include <gtest/gtest.h>

#include "methods/example_control/placing/approach_direction.h"
#include "methods/example_control/placing/closing_poses.h"
#include "prehend/geometry/builtin.h"
#include "prehend/geometry/primitive.h"
#include "prehend/hands/standing.h"
#include "prehend/methods/example_control/placements.h"
#include "tests/methods/example_control/test_controller.h"

namespace prehend::example_control {
namespace {

double lowest_point(const Object& object, const Transform& object_world) {
  double lowest = INFINITY;
  for (const Vec3& v : object.shape.mesh->vertices) {
    lowest = std::min(lowest, (object_world * v).y());
  }
  return lowest;
}

double lowest_point(const Hand& hand, const Transform& wrist_world, const Eigen::VectorXd& q) {
  double lowest = INFINITY;
  const auto frames = segment_frames(hand, pose_from_coordinates(hand, wrist_world, q));
  for (int s = 0; s < hand.segment_count(); ++s) {
    for (const Capsule& local : hand.segments[s].capsules) {
      const Capsule capsule = frames[s] * local;
      lowest = std::min(lowest, std::min(capsule.a.y(), capsule.b.y()) - capsule.radius);
    }
  }
  return lowest;
}

Object box(const Vec3& half, double mass = 0.2) {
  return *geometry::object_from_primitive("box", ShapeKind::kBox, half, mass);
}

TEST(RestingPose, ABoxStandsOnSixSidesByItsHalfWidths) {
  const Object object = box({0.02, 0.04, 0.03});
  const auto sides = hands::resting_poses(object, radians(3.0));
  ASSERT_EQ(sides.size(), 6u);
  EXPECT_LT(angle_between(sides[0].rotation, Quat::Identity()), 1e-9);
  EXPECT_NEAR(sides[0].margin, 0.02, 1e-9);
  EXPECT_NEAR(sides[0].tip, std::atan2(0.02, 0.04), 1e-9);
  for (const hands::RestingPose& side : sides) {
    const Vec3 up = side.rotation.conjugate() * Vec3::UnitY();
    EXPECT_NEAR(up.cwiseAbs().maxCoeff(), 1.0, 1e-9);
  }
}

TEST(RestingPose, WhatLeansFallsOntoItsNearestSide) {
  const Object object = box({0.02, 0.04, 0.03});
  // It tips beyond atan(0.02 / 0.04) = 26.6 degrees about z.
  const Vec3 stands =
      hands::put_down(object, exp_map({0.0, 0.0, radians(26.0)})).rotation * Vec3::UnitY();
  EXPECT_NEAR(stands.y(), 1.0, 1e-9);
  const Vec3 fell =
      hands::put_down(object, exp_map({0.0, 0.0, radians(27.0)})).rotation * Vec3::UnitY();
  EXPECT_NEAR(fell.y(), 0.0, 1e-9);
  EXPECT_NEAR(fell.x(), -1.0, 1e-9);
}

// A tilted center of mass: the foot leaves the ground.
TEST(RestingPose, AnUnbalancedBoxFallsToItsHeavySide) {
  Object object = box({0.02, 0.04, 0.03});
  object.center_of_mass = {0.025, 0.0, 0.0};
  const Vec3 up = hands::put_down(object, Quat::Identity()).rotation.conjugate() * Vec3::UnitY();
  EXPECT_NEAR(up.x(), -1.0, 1e-9);
}

geometry::PreparedObjectPtr ready(const Object& object) {
  return geometry::prepare(std::make_shared<const Object>(object));
}

class Placements : public testing::Test {
 protected:
  const Hand hand_ = ball_hand();
  const Controller controller_ = test_controller(hand_);
};

TEST_F(Placements, FindsTheExamplesOwnGrip) {
  const Object object =
      *geometry::object_from_primitive("cylinder", ShapeKind::kCylinder, {0.03, 0.09, 0.0}, 0.2);
  const auto found = find_placement(*ready(object), hand_, controller_);
  ASSERT_TRUE(found.ok()) << found.message();
  EXPECT_EQ(found->digits, 5);
  // Squeezed from all around without support from below, 1 / friction with its margin.
  EXPECT_LT(found->squeeze, 1.05 * 1.5 / object.friction);
  const ExamplePath& path = controller_.path;
  const Transform& grip = path.wrist_world[path.grip_frame];
  const Vec3 there = grip.inverse() * path.target_world[path.grip_frame].position;
  const Vec3 here = found->grip_wrist_world.inverse() * found->object_world.position;
  constexpr double kNear = 0.03;  // the grid of the search
  EXPECT_NEAR(here.y(), there.y(), 0.5 * kNear);
  EXPECT_NEAR(here.z(), there.z(), kNear);
}

// Recorded objects have their frames where their makers put them.
TEST_F(Placements, WhereTheExamplesObjectHasItsFrameDoesNotMatter) {
  const Object object =
      *geometry::object_from_primitive("cylinder", ShapeKind::kCylinder, {0.03, 0.09, 0.0}, 0.2);
  Controller elsewhere = controller_;
  const Vec3 center(0.02, 0.09, -0.03);
  elsewhere.path.target_center = center;
  for (Transform& pose : elsewhere.path.target_world)
    pose = pose * Transform::from_position(-center);
  const auto one = find_placement(*ready(object), hand_, controller_),
             other = find_placement(*ready(object), hand_, elsewhere);
  ASSERT_TRUE(one.ok() && other.ok());
  constexpr double kSame = 1e-9;
  EXPECT_LT((one->object_world.position - other->object_world.position).norm(), kSame);
  EXPECT_LT((one->grip_wrist_world.position - other->grip_wrist_world.position).norm(), kSame);
}

// A hand that hardly opens is opened wider for what does not fit.
TEST_F(Placements, AHandOpensAsFarAsTheObjectIsWide) {
  const Object object =
      *geometry::object_from_primitive("cylinder", ShapeKind::kCylinder, {0.03, 0.09, 0.0}, 0.2);
  const Controller narrow = opened_wider(controller_, -0.9);
  const auto opening = [&](const Controller& controller) {
    return hands::ClosingHand(hand_, closing_poses(hand_, controller)).opening();
  };
  const double open = opening(narrow);
  ASSERT_LT(open, opening(controller_));
  const auto found = find_placements(*ready(object), hand_, narrow, {}, 4);
  ASSERT_TRUE(found.ok()) << found.message();
  const auto widest = std::max_element(found->begin(), found->end(), [&](auto& a, auto& b) {
    return opening(*a.controller) < opening(*b.controller);
  });
  EXPECT_GT(opening(*widest->controller), open);
  const auto easy = find_placements(*ready(object), hand_, controller_, {}, 4);
  for (const GraspPlacement& way : *easy)
    EXPECT_EQ(way.controller->positions, controller_.positions);
}

// Invariants of what is presented, for all ten objects of the task.
TEST_F(Placements, TheTenObjectsStandAndTheHandComesFreely) {
  constexpr double kStands = 1e-9, kDeepest = 2.5e-3;  // m
  PlacementOptions options;
  options.floor_height = 0.3;
  for (const char* name :
       {"cylinder", "box", "sphere", "mug", "bottle", "book", "hammer", "bunny", "bulb", "wedge"}) {
    const Object object = *geometry::builtin_object(name);
    const auto found = find_placement(*ready(object), hand_, controller_, options);
    ASSERT_TRUE(found.ok()) << found.message();
    EXPECT_NEAR(lowest_point(object, found->object_world), 0.3, kStands) << name;
    EXPECT_GE(found->digits, 3) << name;
    EXPECT_LT(found->squeeze, 4.0) << name;
    const Eigen::VectorXd open = controller_.rest_pose(Setpoint::kOpen);
    EXPECT_GT(lowest_point(hand_, found->grip_wrist_world, open), 0.3 + 0.9 * options.clearance);
    const auto exact = geometry::exact_distance(object.shape);
    hands::ClosingHand closing(hand_, closing_poses(hand_, controller_));
    const Transform at = found->object_world.inverse() * found->grip_wrist_world;
    const auto gaps = closing.open_gaps(*exact, at);
    EXPECT_GT(std::min(gaps.palm, gaps.digits), -kDeepest) << name;
  }
}

TEST_F(Placements, TurnsOnlyAsFarAsAllowed) {
  const Object object = *geometry::builtin_object("mug");
  PlacementOptions options;
  options.turn = PlacementOptions::Turn::kUpright;
  const auto upright = find_placement(*ready(object), hand_, controller_, options);
  ASSERT_TRUE(upright.ok()) << upright.message();
  EXPECT_NEAR((upright->object_world.rotation * Vec3::UnitY()).y(), 1.0, 1e-12);
  options.turn = PlacementOptions::Turn::kNone;
  const auto given = find_placement(*ready(object), hand_, controller_, options);
  if (given.ok()) {
    EXPECT_EQ(angle_between(given->object_world.rotation, Quat::Identity()), 0.0);
  }
}

TEST_F(Placements, TheHandKeepsTheExamplesOrientationIfAsked) {
  PlacementOptions options;
  options.turn_hand = false;
  const auto found =
      find_placement(*ready(*geometry::builtin_object("sphere")), hand_, controller_, options);
  ASSERT_TRUE(found.ok());
  const ExamplePath& path = controller_.path;
  EXPECT_EQ(
      angle_between(found->grip_wrist_world.rotation, path.wrist_world[path.grip_frame].rotation),
      0.0);
}

// The palm of the example faces aside; turned, it faces down, and all else turns with it.
TEST_F(Placements, AHandThatComesFromAboveIsTheExamplesTurned) {
  const auto all = approach_directions(hand_, controller_);
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].turned, 0.0);
  EXPECT_TRUE(all[0].level);
  EXPECT_NEAR(all[3].ahead.dot(all[0].ahead), 0.0, 0.05);
  for (const ApproachDirection& direction : all) {
    const Vec3 fingers = direction.wrist * -Vec3::UnitZ();
    EXPECT_GT(fingers.dot(direction.along), 0.9);
    EXPECT_NEAR(direction.ahead.dot(direction.across), 0.0, 1e-9);
    ASSERT_EQ(direction.last_stretch.size(), all[0].last_stretch.size());
    for (size_t i = 0; i < direction.last_stretch.size(); ++i) {
      const Vec3 own = direction.wrist.conjugate() * direction.last_stretch[i].position;
      const Vec3 example = all[0].wrist.conjugate() * all[0].last_stretch[i].position;
      EXPECT_LT((own - example).norm(), 1e-9);
    }
  }
}

TEST_F(Placements, PlacementsAreUnlikeAndTheFirstIsTheBest) {
  const Object object = *geometry::builtin_object("box");
  const auto ways = find_placements(*ready(object), hand_, controller_, {}, 6);
  ASSERT_TRUE(ways.ok()) << ways.message();
  ASSERT_EQ(ways->size(), 6u);
  for (size_t i = 0; i < ways->size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      const GraspPlacement &a = (*ways)[i], &b = (*ways)[j];
      const double apart = angle_between(a.grip_wrist_world.rotation, b.grip_wrist_world.rotation) +
                           angle_between(a.object_world.rotation, b.object_world.rotation);
      EXPECT_GT(apart, radians(5.0)) << i << " " << j;
    }
  }
}

TEST_F(Placements, TwiceIsTheSame) {
  const Object object = *geometry::builtin_object("bulb");
  const auto first = find_placement(*ready(object), hand_, controller_);
  const auto second = find_placement(*ready(object), hand_, controller_);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(first->grip_wrist_world.position, second->grip_wrist_world.position);
  EXPECT_EQ(first->object_world.rotation.coeffs(), second->object_world.rotation.coeffs());
  EXPECT_EQ(first->squeeze, second->squeeze);
}

TEST_F(Placements, WhatIsTooLargeIsNamedWithItsSize) {
  const auto found = find_placement(*ready(box({0.15, 0.15, 0.15})), hand_, controller_);
  ASSERT_FALSE(found.ok());
  EXPECT_NE(found.message().find("box"), std::string::npos);
  EXPECT_NE(found.message().find("30.0 x 30.0 x 30.0 cm"), std::string::npos) << found.message();
  EXPECT_EQ(found.message().find('\n'), std::string::npos);
}

TEST_F(Placements, AControllerWithoutAnExampleIsRefused) {
  Controller bare = controller_;
  bare.path = {};
  EXPECT_FALSE(find_placement(*ready(box({0.03, 0.04, 0.03})), hand_, bare).ok());
}

TEST_F(Placements, ClosedDigitsTouchWithoutEntering) {
  const Object object =
      *geometry::object_from_primitive("cylinder", ShapeKind::kCylinder, {0.03, 0.09, 0.0}, 0.2);
  const auto field = geometry::exact_distance(object.shape);
  const ExamplePath& path = controller_.path;
  const Transform at =
      path.target_world[path.grip_frame].inverse() * path.wrist_world[path.grip_frame];
  hands::ClosingHand closing(hand_, closing_poses(hand_, controller_));
  const auto grip = closing.close(*field, at, 0.004);
  EXPECT_EQ(grip.digits, 5);
  EXPECT_TRUE(grip.thumb);
  constexpr double kDeepest = 0.003;  // what a step of closing may enter
  const auto frames = segment_frames(hand_, pose_from_coordinates(hand_, at, grip.pose));
  for (int s = 0; s < hand_.segment_count(); ++s) {
    for (const Capsule& local : hand_.segments[s].capsules) {
      const Capsule capsule = frames[s] * local;
      for (double part : {0.0, 0.25, 0.5, 0.75, 1.0}) {
        const Vec3 point = capsule.a + part * (capsule.b - capsule.a);
        EXPECT_GT(field->sample(point).distance - capsule.radius, -kDeepest)
            << hand_.segments[s].name;
      }
    }
  }
}

// Nothing to grip: the floor stops the fingers, and the thumb and they stop each other.
TEST_F(Placements, ClosingDigitsStopAtTheFloorAndAtTheThumb) {
  const auto far = geometry::exact_distance(
      geometry::object_from_primitive("ball", ShapeKind::kSphere, {0.01, 0.0, 0.0}, 0.1)->shape);
  const Transform at = Transform::from_position({1.0, 0.0, 0.0});
  hands::ClosingHand closing(hand_, closing_poses(hand_, controller_));
  const auto capsules = [&](const Eigen::VectorXd& q, auto&& each) {
    const auto frames = segment_frames(hand_, pose_from_coordinates(hand_, at, q));
    for (int s = 0; s < hand_.segment_count(); ++s) {
      for (const Capsule& own : hand_.segments[s].capsules) each(s, frames[s] * own);
    }
  };
  // A floor half way of the middle finger's tip stops its base, and nothing else does.
  const auto freely = closing.close(*far, at, 0.0);
  const Eigen::VectorXd open = controller_.rest_pose(Setpoint::kOpen);
  const int base = hand_.find("middle-proximal"), tip = hand_.find("middle-distal");
  const auto tip_place = [&](const Eigen::VectorXd& q) {
    return segment_frames(hand_, pose_from_coordinates(hand_, at, q))[tip].position;
  };
  const auto moved = [&](const Eigen::VectorXd& q) {
    return (q - open).segment<3>(coordinate_offsets(hand_)[base]).norm();
  };
  const Vec3 from = tip_place(open), to = tip_place(freely.pose), up = (from - to).normalized();
  const auto stopped = closing.close(*far, at, 0.0, {up, up.dot(0.5 * (from + to))});
  EXPECT_LT(moved(stopped.pose), 0.8 * moved(freely.pose));
  const auto below = closing.close(*far, at, 0.0, {up, -10.0});
  EXPECT_EQ((below.pose - freely.pose).norm(), 0.0);

  constexpr double kEntered = 0.005;  // m: what a step of closing may enter
  double overlap = INFINITY;
  capsules(freely.pose, [&](int s, const Capsule& finger) {
    if (hand_.segments[s].digit == Digit::kThumb || hand_.segments[s].phalanx < 2) return;
    capsules(freely.pose, [&](int t, const Capsule& thumb) {
      if (hand_.segments[t].digit == Digit::kThumb && hand_.segments[t].phalanx > 0)
        overlap = std::min(overlap, distance(finger, thumb));
    });
  });
  EXPECT_GT(overlap, -kEntered);
}

}  // namespace
}  // namespace prehend::example_control
