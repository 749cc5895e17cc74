#include "prehend/core/limits.h"

#include <gtest/gtest.h>

#include <limits>

#include "prehend/core/clip.h"
#include "prehend/core/hand_builder.h"

namespace prehend {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Limits, EveryBuiltHandIsWithinThem) {
  for (const HandProfile profile :
       {HandProfile::kBall, HandProfile::kAnatomical, HandProfile::kArm})
    EXPECT_TRUE(check_sizes(*build_hand({.profile = profile})).ok());
}

TEST(Limits, NameThePartOfAHandThatIsBeyondThem) {
  const Hand good = *build_hand();
  const int index = good.find("index-distal");
  for (const double bad : {1e7, -1e5, 1e308, kInf, kNan}) {
    Hand hand = good;
    hand.segments[index].capsules[0].b.z() = bad;
    EXPECT_EQ(check_sizes(hand).message(),
              "hand right: index-distal, capsule 0 is not finite or more than 100 m away; lengths "
              "are meters");
    hand = good;
    hand.segments[index].rest_parent.position.x() = bad;
    EXPECT_FALSE(check_sizes(hand).ok());
    hand = good;
    hand.pads[1].tip.y() = bad;
    EXPECT_NE(check_sizes(hand).message().find("pad of the index"), std::string::npos);
    hand = good;
    hand.segments[index].capsules[0].radius = bad;
    EXPECT_FALSE(check_sizes(hand).ok());
    hand = good;
    hand.length = bad;
    EXPECT_EQ(check_sizes(hand).ok(), false);
  }
  Hand hand = good;
  hand.segments[index].joints[0].damping = kNan;
  EXPECT_NE(check_sizes(hand).message().find("joint"), std::string::npos);
  hand = good;
  hand.segments[index].mass = 1e12;
  EXPECT_NE(check_sizes(hand).message().find("mass"), std::string::npos);
}

Object triangle() {
  TriangleMesh mesh;
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  mesh.faces = {{0, 1, 2}};
  Object object;
  object.name = "sheet";
  object.shape.mesh = std::make_shared<const TriangleMesh>(mesh);
  return object;
}

TEST(Limits, HoldForObjectsToo) {
  EXPECT_TRUE(check_sizes(triangle()).ok());
  Object object = triangle();
  TriangleMesh mesh = *object.shape.mesh;
  mesh.vertices[2].y() = 1e19;
  object.shape.mesh = std::make_shared<const TriangleMesh>(mesh);
  EXPECT_NE(check_sizes(object).message().find("object sheet, vertex 2"), std::string::npos);
  object = triangle();
  object.mass = kInf;
  EXPECT_FALSE(check_sizes(object).ok());
  object = triangle();
  object.shape.size.x() = 1e6;
  EXPECT_FALSE(check_sizes(object).ok());
}

TEST(Limits, AreAskedOfEveryClip) {
  const Hand good = *build_hand();
  Clip clip;
  clip.hands = {{std::make_shared<const Hand>(good), {rest_pose(good)}}};
  clip.objects = {{std::make_shared<const Object>(triangle()), {Transform{}}}};
  ASSERT_TRUE(validate(clip).ok());
  Clip far = clip;
  far.hands[0].poses[0].root_world.position.x() = 1e300;
  EXPECT_NE(validate(far).message().find("frame 0: the root's pose"), std::string::npos);
  far = clip;
  far.objects[0].poses_world[0].position.y() = -2e5;
  EXPECT_NE(validate(far).message().find("object sheet, frame 0"), std::string::npos);
  Hand huge = good;
  huge.segments[3].capsules[0].b.z() = -1e7;
  far = clip;
  far.hands[0].hand = std::make_shared<const Hand>(huge);
  EXPECT_NE(validate(far).message().find("capsule 0"), std::string::npos);
}

}  // namespace
}  // namespace prehend
