#include "prehend/physics/mjcf_skeleton.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace prehend::physics {
namespace {

TEST(MjcfSkeleton, BodiesComeWithParentsPlacesAndHinges) {
  const auto skeleton = parse_mjcf_skeleton(R"(
    <mujoco><worldbody><body name="hips"><freejoint/><geom size="0.1"/>
      <body name="chest" pos="0 0 0.3" euler="0 0 90">
        <joint name="chest_x" axis="2 0 0"/><joint name="chest_y" axis="0 1 0"/><geom size="0.1"/>
      </body></body></worldbody></mujoco>)",
                                            "body.xml");
  ASSERT_TRUE(skeleton.ok()) << skeleton.message();
  EXPECT_EQ(skeleton->names, (std::vector<std::string>{"hips", "chest"}));
  EXPECT_EQ(skeleton->parents, (std::vector<int>{-1, 0}));
  EXPECT_LT((skeleton->rest_parent[1].position - Vec3(0, 0, 0.3)).norm(), 1e-12);
  EXPECT_LT(angle_between(skeleton->rest_parent[1].rotation, exp_map({0, 0, kPi / 2})), 1e-9);
  ASSERT_EQ(skeleton->hinges[1].size(), 2u);
  EXPECT_EQ(skeleton->hinges[1][0].name, "chest_x");
  EXPECT_LT((skeleton->hinges[1][0].axis - Vec3::UnitX()).norm(), 1e-12);
  EXPECT_TRUE(skeleton->hinges[0].empty());
  EXPECT_EQ(skeleton->find("chest"), 1);
  EXPECT_EQ(skeleton->find("head"), -1);
  EXPECT_LT((skeleton->up - Vec3::UnitZ()).norm(), 1e-12);
}

TEST(MjcfSkeleton, AttributesWithoutAValueAreLeftOut) {
  const auto path = std::filesystem::temp_directory_path() /
                    ("prehend_skeleton_" + std::to_string(getpid()) + ".xml");
  std::ofstream(path) << R"(<mujoco><worldbody><body name="foot"><joint type="ball"/>
    <geom density="" size="0.1" name="sole"/></body></worldbody></mujoco>)";
  const auto skeleton = load_mjcf_skeleton(path.string());
  std::filesystem::remove(path);
  ASSERT_TRUE(skeleton.ok()) << skeleton.message();
  EXPECT_EQ(skeleton->names, (std::vector<std::string>{"foot"}));
}

TEST(MjcfSkeleton, ABrokenFileIsOneLine) {
  const auto skeleton = parse_mjcf_skeleton("<mujoco><worldbody>", "broken.xml");
  ASSERT_FALSE(skeleton.ok());
  EXPECT_NE(skeleton.message().find("broken.xml"), std::string::npos);
  EXPECT_EQ(skeleton.message().find('\n'), std::string::npos);
}

}  // namespace
}  // namespace prehend::physics
