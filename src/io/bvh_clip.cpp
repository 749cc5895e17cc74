#include "prehend/io/bvh_clip.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "io/bvh_rig.h"
#include "prehend/core/text.h"

namespace prehend::io {
namespace {

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

const char* unit_name(double meters) {
  if (meters == 1.0) return "meters";
  if (meters == 0.1) return "decimeters";
  if (meters == 0.01) return "centimeters";
  if (meters == 0.001) return "millimeters";
  if (meters == 0.0254) return "inches";
  return "a unit of its own";
}

}  // namespace

std::string RigImport::text() const {
  std::string out = fmt::format(
      "units: {} ({:g} m{}), up: {}\n", unit_name(meters_per_unit), meters_per_unit,
      units_guessed ? ", guessed from the size of the hand" : "", up == UpAxis::kY ? "y" : "z");
  for (std::size_t i = 0; i < tables.size(); ++i) {
    out += tables[i];
    out += fmt::format("  joint centers within {:.3g} mm of the rig's\n", 1e3 * residuals_m[i]);
  }
  for (const std::string& note : notes) out += "note: " + note + "\n";
  return out;
}

Result<BvhClip> clip_from_bvh(const Bvh& file, const std::string& name, const RigHints& hints) {
  const auto rig = bvh_rig(file, name, hints);
  if (!rig) return rig.error();
  BvhClip out;
  out.clip.name = std::filesystem::path(name).stem().string();
  out.clip.frame_rate = rig->bvh.frame_rate();
  out.import.up = rig->up;
  out.import.units_guessed = !hints.meters_per_unit;
  out.import.meters_per_unit = rig->meters_per_unit;
  for (const RigHandModel& model : rig->models) {
    double residual = 0.0;
    out.clip.hands.push_back(track_of(model, rig->bvh, residual));
    out.import.residuals_m.push_back(residual);
    out.import.tables.push_back(rig_table(rig->skeleton, model.mapped()));
    out.import.left_handed |= model.left_handed();
    for (const std::string& note : model.notes())
      out.import.notes.push_back(fmt::format("{} hand: {}", to_string(model.mapped().side), note));
  }
  if (const Status s = validate(out.clip); !s)
    return Error{fmt::format("{}: {}", printable(name, 300), s.message())};
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
  if (!hints.meters_per_unit)
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
        {(turn * frame.rotation).normalized(), turn * frame.position * *hints.meters_per_unit});
  }
  return motion;
}

}  // namespace prehend::io
