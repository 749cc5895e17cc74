#include "prehend/core/skin.h"

#include <algorithm>
#include <cmath>

#include "prehend/core/assert.h"

namespace prehend {

namespace {

bool is_tip(int xr_joint) { return xr_joint > 0 && xr_joint % 5 == 4; }

// Nearest joint towards the wrist, itself included, that the hand has a segment for.
int carrier(const Hand& hand, int xr_joint) {
  if (is_tip(xr_joint)) --xr_joint;
  while (xr_joint > 0 && hand.xr_segments[xr_joint] < 0) xr_joint = xr_joint_parent(xr_joint);
  return xr_joint;
}

// A frame whose -Z points at the child, turned by as little as possible.
Transform aimed(const Transform& frame, const Vec3& child) {
  const Vec3 wanted = (child - frame.position).normalized();
  const Quat turn = Quat::FromTwoVectors(frame.rotation * -Vec3::UnitZ(), wanted);
  return {turn * frame.rotation, frame.position};
}

// How far the asset's skin reaches beyond the last joint of a digit, along its bone.
double distal_reach(const SkinAsset& asset, int distal) {
  const Transform into = asset.bind_frames[distal].inverse();
  double reach = 0.0;
  for (size_t v = 0; v < asset.mesh.vertices.size(); ++v) {
    for (int k = 0; k < 4; ++k) {
      const int joint = asset.joints[v][k];
      if (asset.weights[v][k] > 0.5 && (joint == distal || joint == distal + 1)) {
        reach = std::max(reach, -(into * asset.mesh.vertices[v]).z());
      }
    }
  }
  return reach;
}

// Takes a point from the asset's bone to the hand's: into the bone's frame, stretched, and out.
struct BoneMap {
  Transform asset_frame;
  Transform hand_frame;
  Vec3 scale = Vec3::Ones();

  Vec3 operator*(const Vec3& point) const {
    return hand_frame * scale.cwiseProduct(asset_frame.inverse() * point);
  }
};

std::array<BoneMap, kXrJointCount> bone_maps(const SkinAsset& asset, const Hand& hand,
                                             const std::array<Transform, kXrJointCount>& frames) {
  const int middle = xr_tip_of(Digit::kMiddle) - 1;
  const double asset_length =
      (asset.bind_frames[middle].position - asset.bind_frames[0].position).norm() +
      distal_reach(asset, middle);
  const double size = hand.length / asset_length;
  const double asset_spread =
      (asset.bind_frames[21].position - asset.bind_frames[6].position).norm();
  const double spread = (frames[21].position - frames[6].position).norm();
  std::array<BoneMap, kXrJointCount> maps;
  maps[0] = {asset.bind_frames[0], frames[0], {spread / asset_spread, size, size}};
  for (int j = 1; j < kXrJointCount; ++j) {
    if (is_tip(j)) {
      maps[j] = maps[j - 1];
      continue;
    }
    BoneMap& map = maps[j];
    map.asset_frame = aimed(asset.bind_frames[j], asset.bind_frames[j + 1].position);
    map.hand_frame = frames[j];
    const double asset_bone =
        is_tip(j + 1) ? distal_reach(asset, j)
                      : (asset.bind_frames[j + 1].position - asset.bind_frames[j].position).norm();
    const double bone = (frames[j + 1].position - frames[j].position).norm();
    map.scale = {size, size, asset_bone > 0.0 ? bone / asset_bone : size};
  }
  return maps;
}

void add_capsule(const Transform& frame_root, const Capsule& capsule, int segment, int sides,
                 Skin& skin) {
  const Vec3 span = capsule.b - capsule.a;
  const Vec3 axis = span.norm() > 0.0 ? Vec3(span.normalized()) : Vec3::UnitZ();
  const Vec3 u = any_orthogonal(axis), w = axis.cross(u);
  const int rings = std::max(2, sides / 2);  // from pole to pole, the equator doubled
  const int first = static_cast<int>(skin.rest.vertices.size());
  const auto put = [&](const Vec3& point) {
    skin.rest.vertices.push_back(frame_root * point);
    skin.segments.push_back({segment, 0, 0, 0});
    skin.weights.push_back({1.0, 0.0, 0.0, 0.0});
  };
  put(capsule.a - capsule.radius * axis);
  for (int ring = 0; ring < rings; ++ring) {
    const bool far_end = 2 * ring >= rings;
    // Equal steps of latitude on both half balls; the cylinder joins the two rings at the equator.
    const double latitude = far_end
                                ? kPi / 2 * (2 * ring - rings) / static_cast<double>(rings)
                                : kPi / 2 * (2 * (ring + 1) - rings) / static_cast<double>(rings);
    const Vec3 center =
        (far_end ? capsule.b : capsule.a) + capsule.radius * std::sin(latitude) * axis;
    for (int s = 0; s < sides; ++s) {
      const double angle = 2.0 * kPi * s / sides;
      put(center +
          capsule.radius * std::cos(latitude) * (std::cos(angle) * u + std::sin(angle) * w));
    }
  }
  put(capsule.b + capsule.radius * axis);
  const int last = static_cast<int>(skin.rest.vertices.size()) - 1;
  for (int s = 0; s < sides; ++s) {
    const int next = (s + 1) % sides;
    skin.rest.faces.push_back({first, first + 1 + next, first + 1 + s});
    for (int ring = 0; ring + 1 < rings; ++ring) {
      const int a = first + 1 + ring * sides, b = a + sides;
      skin.rest.faces.push_back({a + s, a + next, b + next});
      skin.rest.faces.push_back({a + s, b + next, b + s});
    }
    const int top = last - sides;
    skin.rest.faces.push_back({last, top + s, top + next});
  }
}

}  // namespace

Skin fit_skin(const SkinAsset& asset, const Hand& hand) {
  PREHEND_ASSERT(asset.side == hand.side);
  HandPose rest = rest_pose(hand);
  const auto frames = xr_frames(hand, rest);
  const auto maps = bone_maps(asset, hand, frames);
  Skin skin;
  skin.rest.faces = asset.mesh.faces;
  skin.rest.vertices.reserve(asset.mesh.vertices.size());
  for (size_t v = 0; v < asset.mesh.vertices.size(); ++v) {
    Vec3 point = Vec3::Zero();
    std::array<int, 4> segments{};
    for (int k = 0; k < 4; ++k) {
      const int joint = asset.joints[v][k];
      point += asset.weights[v][k] * (maps[joint] * asset.mesh.vertices[v]);
      segments[k] = std::max(0, hand.xr_segments[carrier(hand, joint)]);
    }
    skin.rest.vertices.push_back(point);
    skin.segments.push_back(segments);
    skin.weights.push_back(asset.weights[v]);
  }
  return skin;
}

Skin capsule_skin(const Hand& hand, int sides) {
  Skin skin;
  const std::vector<Transform> frames = segment_frames(hand, rest_pose(hand));
  for (int i = 0; i < hand.segment_count(); ++i) {
    for (const Capsule& capsule : hand.segments[i].capsules) {
      add_capsule(frames[i], capsule, i, sides, skin);
    }
  }
  return skin;
}

void deform(const Skin& skin, const Hand& hand, const HandPose& pose,
            std::vector<Vec3>& positions_world) {
  const std::vector<Transform> rest = segment_frames(hand, rest_pose(hand));
  const std::vector<Transform> posed = segment_frames(hand, pose);
  std::vector<Eigen::Matrix<double, 3, 4>> moves(rest.size());
  for (size_t i = 0; i < rest.size(); ++i) {
    const Transform move = posed[i] * rest[i].inverse();
    moves[i] << move.rotation.toRotationMatrix(), move.position;
  }
  positions_world.resize(skin.rest.vertices.size());
  for (size_t v = 0; v < skin.rest.vertices.size(); ++v) {
    Eigen::Matrix<double, 3, 4> blend = Eigen::Matrix<double, 3, 4>::Zero();
    for (int k = 0; k < 4; ++k) {
      if (skin.weights[v][k] > 0.0) blend += skin.weights[v][k] * moves[skin.segments[v][k]];
    }
    positions_world[v] = blend.leftCols<3>() * skin.rest.vertices[v] + blend.col(3);
  }
}

}  // namespace prehend
