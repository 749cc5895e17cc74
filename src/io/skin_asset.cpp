#include "prehend/io/skin_asset.h"

#include <cstdint>
#include <string>

#include "io/gltf_document.h"

extern "C" {
extern const unsigned char prehend_skin_left[];
extern const std::uint64_t prehend_skin_left_size;
extern const unsigned char prehend_skin_right[];
extern const std::uint64_t prehend_skin_right_size;
}

namespace prehend::io {
namespace {

// "index-finger-phalanx-proximal" -> "index-proximal"; "pinky-finger-tip" -> "little-tip".
std::string openxr_name(std::string name) {
  const auto drop = [&](const std::string& part) {
    if (const auto at = name.find(part); at != std::string::npos) name.erase(at, part.size());
  };
  drop("-finger");
  drop("-phalanx");
  if (name.starts_with("pinky")) name.replace(0, 5, "little");
  return name;
}

int xr_joint(const std::string& name) {
  const auto& names = xr_joint_names();
  for (int i = 0; i < kXrJointCount; ++i)
    if (names[i] == name) return i;
  return -1;
}

Transform rigid(const Eigen::Matrix4d& matrix) {
  Mat3 linear = matrix.topLeftCorner<3, 3>();
  linear.colwise().normalize();
  return {Quat(linear).normalized(), matrix.topRightCorner<3, 1>()};
}

SkinAsset read_skin(std::span<const unsigned char> bytes, Side side) {
  auto document = gltf::load_memory(bytes, "generic hand");
  PREHEND_ASSERT(document.ok() && document->skins.size() == 1 && document->mesh_count() == 1);
  auto mesh = document->mesh(0);
  PREHEND_ASSERT(mesh.ok() && !mesh->joints.empty());

  SkinAsset asset;
  asset.side = side;
  const gltf::Skin& skin = document->skins[0];
  std::vector<int> xr_joints;
  int found = 0;
  for (std::size_t i = 0; i < skin.joints.size(); ++i) {
    const int joint = xr_joint(openxr_name(document->nodes[skin.joints[i]].name));
    xr_joints.push_back(joint);
    PREHEND_ASSERT(joint >= 0);
    asset.bind_frames[joint] = rigid(skin.inverse_binds[i].inverse());
    ++found;
  }
  PREHEND_ASSERT(found == kXrJointCount);

  const Transform wrist_from_asset = asset.bind_frames[0].inverse();
  for (Transform& frame : asset.bind_frames) frame = wrist_from_asset * frame;
  asset.mesh = std::move(mesh->triangles);
  for (Vec3& vertex : asset.mesh.vertices) vertex = wrist_from_asset * vertex;
  asset.weights = std::move(mesh->weights);
  asset.joints = std::move(mesh->joints);
  for (auto& joints : asset.joints)
    for (int& joint : joints) joint = xr_joints.at(joint);
  return asset;
}

}  // namespace

const SkinAsset& generic_hand_skin(Side side) {
  static const SkinAsset left = read_skin({prehend_skin_left, prehend_skin_left_size}, Side::kLeft);
  static const SkinAsset right =
      read_skin({prehend_skin_right, prehend_skin_right_size}, Side::kRight);
  return side == Side::kLeft ? left : right;
}

const RestFrames& generic_hand_frames(Side side) { return generic_hand_skin(side).bind_frames; }

}  // namespace prehend::io
