#include "prehend/io/bvh_clip.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "io/joint_name.h"
#include "io/rig_hand.h"
#include "prehend/core/text.h"

namespace prehend::io {
namespace {

RigSkeleton skeleton_of(const Bvh& bvh) {
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

RigMotion motion_of(const Bvh& bvh, const RigSkeleton& rig) {
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

HandTrack track_of(const RigHandModel& model, const Bvh& bvh, double& residual) {
  HandTrack track;
  track.hand = model.hand();
  std::vector<Transform> frames(bvh.joints.size());
  residual = 0.0;
  for (int f = 0; f < bvh.frame_count; ++f) {
    bvh_frames(bvh, f, frames);
    HandPose pose = model.pose(frames);
    if (f > 0) {
      // Of the two quaternions of a rotation the nearer to the frame before, for whoever blends.
      const HandPose& before = track.poses.back();
      for (std::size_t i = 0; i < pose.rotations.size(); ++i)
        if (pose.rotations[i].dot(before.rotations[i]) < 0.0) pose.rotations[i].coeffs() *= -1.0;
      if (pose.root_world.rotation.dot(before.root_world.rotation) < 0.0)
        pose.root_world.rotation.coeffs() *= -1.0;
    }
    residual = std::max(residual, model.residual(frames));
    track.poses.push_back(std::move(pose));
  }
  return track;
}

const char* unit_name(double metres) {
  if (metres == 1.0) return "metres";
  if (metres == 0.1) return "decimetres";
  if (metres == 0.01) return "centimetres";
  if (metres == 0.001) return "millimetres";
  if (metres == 0.0254) return "inches";
  return "a unit of its own";
}

}  // namespace

std::string RigImport::text() const {
  std::string out = fmt::format(
      "units: {} ({:g} m{}), up: {}\n", unit_name(metres_per_unit), metres_per_unit,
      units_guessed ? ", guessed from the size of the hand" : "", up == UpAxis::kY ? "y" : "z");
  for (std::size_t i = 0; i < tables.size(); ++i) {
    out += tables[i];
    out += fmt::format("  joint centres within {:.3g} mm of the rig's\n", 1e3 * residuals_m[i]);
  }
  for (const std::string& note : notes) out += "note: " + note + "\n";
  return out;
}

Result<BvhClip> clip_from_bvh(const Bvh& file, const std::string& name, const RigHints& hints) {
  const Bvh reflected = hints.mirror ? mirrored(file) : Bvh();
  const Bvh& bvh = hints.mirror ? reflected : file;
  const std::string shown = printable(name, 300);
  if (bvh.frame_count == 0) return Error{fmt::format("{}: no frames of motion", shown)};
  const RigSkeleton rig = skeleton_of(bvh);
  auto mapped = map_rig(rig, hints, name);
  if (!mapped) {
    RigHints bare = hints;
    bare.bare_wrists = true;
    const auto wrists = map_rig(rig, bare, name);
    if (!wrists) return mapped.error();
    mapped = wrists;
  }
  BvhClip out;
  out.clip.name = std::filesystem::path(name).stem().string();
  out.clip.frame_rate = bvh.frame_rate();
  out.import.up = hints.up.value_or(guess_up(bvh));
  out.import.units_guessed = !hints.metres_per_unit;
  // The first hand's unit is the file's.
  double unit = hints.metres_per_unit.value_or(0.0);
  const RigMotion motion = motion_of(bvh, rig);
  for (RigHand& hand : *mapped) {
    // A nub of a thumb and of one finger, as bodies have them, is no more than a wrist.
    hand.may_be_bare = true;
    const auto model = RigHandModel::build(motion, hand, unit, out.import.up, shown);
    if (!model) return model.error();
    unit = model->metres_per_unit();
    double residual = 0.0;
    out.clip.hands.push_back(track_of(*model, bvh, residual));
    out.import.residuals_m.push_back(residual);
    out.import.tables.push_back(rig_table(rig, model->mapped()));
    out.import.left_handed |= model->left_handed();
    for (const std::string& note : model->notes())
      out.import.notes.push_back(fmt::format("{} hand: {}", to_string(model->mapped().side), note));
  }
  out.import.metres_per_unit = unit;
  if (const Status s = validate(out.clip); !s)
    return Error{fmt::format("{}: {}", shown, s.message())};
  return out;
}

Result<BvhClip> read_bvh_clip(const std::string& path, const RigHints& hints) {
  const auto bvh = read_bvh(path);
  if (!bvh) return bvh.error();
  return clip_from_bvh(*bvh, path, hints);
}

Result<BvhMotion> read_bvh_object_motion(const std::string& path, const RigHints& hints) {
  auto bvh = read_bvh(path);
  if (!bvh) return bvh.error();
  if (!hints.metres_per_unit)
    return Error{fmt::format("{}: give the unit of the object's motion", printable(path, 300))};
  if (hints.mirror) *bvh = mirrored(*bvh);
  int root = -1;
  for (std::size_t i = 0; i < bvh->joints.size() && root < 0; ++i)
    if (bvh->joints[i].has_positions()) root = static_cast<int>(i);
  if (root < 0 || bvh->frame_count == 0) {
    return Error{
        fmt::format("{}: no motion of an object: right would be one joint with three "
                    "position and three rotation channels",
                    printable(path, 300))};
  }
  BvhMotion motion;
  motion.frame_rate = bvh->frame_rate();
  const Quat turn = hints.up == UpAxis::kZ ? exp_map({-kPi / 2, 0.0, 0.0}) : Quat::Identity();
  for (int f = 0; f < bvh->frame_count; ++f) {
    const Transform frame = bvh_frames(*bvh, f)[root];
    motion.poses_world.push_back(
        {(turn * frame.rotation).normalized(), turn * frame.position * *hints.metres_per_unit});
  }
  return motion;
}

}  // namespace prehend::io
