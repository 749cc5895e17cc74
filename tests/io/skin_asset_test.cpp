#include "prehend/io/skin_asset.h"

#include <gtest/gtest.h>

namespace prehend::io {
namespace {

constexpr Side kSides[] = {Side::kLeft, Side::kRight};

int joint(std::string_view name) {
  const auto& names = xr_joint_names();
  return static_cast<int>(std::find(names.begin(), names.end(), name) - names.begin());
}

TEST(SkinAsset, EveryVertexIsBoundWithWeightsThatSumToOne) {
  for (Side side : kSides) {
    const SkinAsset& asset = generic_hand_skin(side);
    EXPECT_EQ(asset.side, side);
    ASSERT_GT(asset.mesh.vertices.size(), 500u);
    ASSERT_EQ(asset.joints.size(), asset.mesh.vertices.size());
    ASSERT_EQ(asset.weights.size(), asset.mesh.vertices.size());
    for (std::size_t i = 0; i < asset.weights.size(); ++i) {
      double sum = 0.0;
      for (int k = 0; k < 4; ++k) {
        sum += asset.weights[i][k];
        EXPECT_GE(asset.joints[i][k], 0);
        EXPECT_LT(asset.joints[i][k], kXrJointCount);
      }
      EXPECT_NEAR(sum, 1.0, 1e-5);
    }
  }
}

TEST(SkinAsset, BonesPointAlongMinusZAndTheBackOfTheHandAlongY) {
  constexpr double kLargestBend = 0.35;  // the asset's metacarpals and tips are not quite straight
  for (Side side : kSides) {
    const RestFrames& frames = generic_hand_frames(side);
    EXPECT_LT(frames[0].position.norm(), 1e-12);
    for (int child = 2; child < kXrJointCount; ++child) {
      const int parent = xr_joint_parent(child);
      if (parent == 0) continue;
      const Vec3 bone = frames[parent].inverse() * frames[child].position;
      EXPECT_LT(std::acos(-bone.z() / bone.norm()), kLargestBend) << xr_joint_names()[child];
    }
    for (std::string_view name : {"index-proximal", "middle-proximal", "little-proximal"}) {
      const Vec3 dorsal = frames[joint(name)].turn(Vec3::UnitY());
      EXPECT_GT(dorsal.y(), 0.8) << name;
    }
  }
}

TEST(SkinAsset, TheThumbIsOnItsSide) {
  for (Side side : kSides) {
    const RestFrames& frames = generic_hand_frames(side);
    const double out = side == Side::kRight ? -1.0 : 1.0;
    EXPECT_GT(
        out * (frames[joint("thumb-tip")].position - frames[joint("little-tip")].position).x(),
        0.04);
  }
}

TEST(SkinAsset, SkinSurroundsItsJoints) {
  for (Side side : kSides) {
    const SkinAsset& asset = generic_hand_skin(side);
    for (int j = 1; j < kXrJointCount; ++j) {
      double nearest = 1.0;
      for (const Vec3& vertex : asset.mesh.vertices)
        nearest = std::min(nearest, (vertex - asset.bind_frames[j].position).norm());
      EXPECT_LT(nearest, 0.025) << xr_joint_names()[j];
    }
  }
}

}  // namespace
}  // namespace prehend::io
