#include "io/bvh_rig.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

#include "prehend/core/text.h"

namespace prehend::io {
namespace {

RigSkeleton bvh_skeleton(const Bvh& bvh) {
  RigSkeleton rig;
  const auto rest = bvh_frames(bvh, -1);
  for (std::size_t i = 0; i < bvh.joints.size(); ++i) {
    const BvhJoint& joint = bvh.joints[i];
    rig.names.push_back(joint.name);
    rig.parents.push_back(joint.parent);
    rig.positions.push_back(rest[i].position);
    bool turns = false;
    for (std::size_t c = 0; c < joint.channels.size() && !turns; ++c) {
      if (joint.channels[c] < BvhChannel::kXRotation) continue;
      for (int f = 1; f < bvh.frame_count && !turns; ++f)
        turns = std::abs(bvh.frame(f)[joint.first_channel + c] -
                         bvh.frame(0)[joint.first_channel + c]) > 1e-3;
    }
    rig.turns.push_back(turns);
  }
  return rig;
}

RigMotion bvh_rig_motion(const Bvh& bvh, const RigSkeleton& rig) {
  RigMotion motion;
  motion.rig = &rig;
  motion.frame_count = bvh.frame_count;
  motion.frames = [&bvh](int frame, std::span<Transform> frames) {
    bvh_frames(bvh, frame, frames);
  };
  for (const BvhJoint& joint : bvh.joints)
    motion.end_sites.push_back(joint.end_sites.empty() ? Vec3::Zero() : joint.end_sites.front());
  return motion;
}

// A body tells its own up axis: the head is above the hips.
UpAxis guess_up(const Bvh& bvh) {
  int head = -1, hips = -1;
  for (std::size_t i = 0; i < bvh.joints.size(); ++i) {
    std::string name = bvh.joints[i].name;
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) {
      return static_cast<char>(c < 128 ? std::tolower(c) : c);
    });
    const auto has = [&](const char* word) { return name.find(word) != std::string::npos; };
    if (head < 0 && has("head")) head = static_cast<int>(i);
    if (hips < 0 && (has("hips") || has("pelvis"))) hips = static_cast<int>(i);
  }
  if (head < 0 || hips < 0) return UpAxis::kY;
  const auto frames = bvh_frames(bvh, bvh.frame_count > 0 ? 0 : -1);
  const Vec3 trunk = frames[head].position - frames[hips].position;
  return trunk.z() > 0.8 * trunk.norm() ? UpAxis::kZ : UpAxis::kY;
}

}  // namespace

Result<BvhRig> bvh_rig(const Bvh& file, const std::string& name, const RigHints& hints) {
  BvhRig rig;
  rig.bvh = hints.mirror ? mirrored(file) : file;
  const std::string shown = printable(name, 300);
  if (rig.bvh.frame_count == 0) return Error{fmt::format("{}: no frames of motion", shown)};
  rig.skeleton = bvh_skeleton(rig.bvh);
  auto mapped = map_rig(rig.skeleton, hints, name);
  if (!mapped) {
    RigHints bare = hints;
    bare.bare_wrists = true;
    const auto wrists = map_rig(rig.skeleton, bare, name);
    if (!wrists) return mapped.error();
    mapped = wrists;
  }
  rig.up = hints.up.value_or(guess_up(rig.bvh));
  // The first hand's unit is the file's.
  rig.meters_per_unit = hints.meters_per_unit.value_or(0.0);
  const RigMotion motion = bvh_rig_motion(rig.bvh, rig.skeleton);
  for (RigHand& hand : *mapped) {
    // A nub of a thumb and of one finger, as bodies have them, is no more than a wrist.
    hand.may_be_bare = true;
    auto model = RigHandModel::build(motion, hand, rig.meters_per_unit, rig.up, shown);
    if (!model) return model.error();
    rig.meters_per_unit = model->meters_per_unit();
    rig.models.push_back(std::move(*model));
  }
  return rig;
}

}  // namespace prehend::io
