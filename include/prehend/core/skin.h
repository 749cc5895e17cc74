// A hand's skin: a mesh that follows the segments by linear blending.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "prehend/core/hand_pose.h"
#include "prehend/core/mesh.h"

namespace prehend {

// Bound to OpenXR joints, in meters, in the frame of the hand that it was modeled for.
struct SkinAsset {
  TriangleMesh mesh;
  std::vector<std::array<int, 4>> joints;  // OpenXR joint of each influence
  std::vector<std::array<double, 4>> weights;
  std::array<Transform, kXrJointCount> bind_frames;
  Side side = Side::kRight;
};

// Where the asset of a side comes from: io/skin_asset.h has the generic hand's.
using SkinSource = const SkinAsset& (*)(Side);

// Bound to the segments of one hand: vertices in the root's frame with the hand at rest.
struct Skin {
  TriangleMesh rest;
  std::vector<std::array<int, 4>> segments;
  std::vector<std::array<double, 4>> weights;
};

// Brings the asset to the hand's proportions, bone by bone.
Skin fit_skin(const SkinAsset& asset, const Hand& hand);

// A skin made of the hand's own capsules, for hands that have no asset.
Skin capsule_skin(const Hand& hand, int sides = 12);

// World positions of the skin's vertices.
void deform(const Skin& skin, const Hand& hand, const HandPose& pose,
            std::vector<Vec3>& positions_world);

}  // namespace prehend
