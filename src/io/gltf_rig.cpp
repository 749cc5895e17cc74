#include "io/gltf_rig.h"

#include <cmath>
#include <map>

#include <fmt/format.h>

#include "prehend/core/text.h"

namespace prehend::io {
namespace {

constexpr double kMaxFrames = 200'000;  // of a clip: an hour at 55 frames a second

// Some rigs, WebXR's among them, hang all joints of a hand side by side under one node. What the
// guess needs is a tree: each finger is threaded in the order that its names tell.
std::vector<int> threaded_parents(const gltf::Document& document) {
  const std::size_t count = document.nodes.size();
  std::vector<int> parents(count);
  // Siblings of one finger by phalanx, and their wrist.
  using Finger = std::tuple<int, int, int>;  // parent, side, digit
  std::map<Finger, std::map<int, int>> fingers;
  std::map<std::pair<int, int>, int> wrists;
  for (std::size_t i = 0; i < count; ++i) {
    parents[i] = document.nodes[i].parent;
    const JointName name = parse_joint_name(document.nodes[i].name);
    const int side = name.side ? static_cast<int>(*name.side) : -1;
    if (name.wrist) wrists.emplace(std::pair(parents[i], side), i);
    if (name.digit != Digit::kNone && name.phalanx >= 0 && !name.ignored)
      fingers[{parents[i], side, static_cast<int>(name.digit)}].emplace(name.phalanx, i);
  }
  for (const auto& [finger, joints] : fingers) {
    if (joints.size() < 3) continue;
    const auto wrist = wrists.find({std::get<0>(finger), std::get<1>(finger)});
    int above = wrist == wrists.end() ? std::get<0>(finger) : wrist->second;
    for (const auto& [phalanx, node] : joints) {
      parents[node] = above;
      above = node;
    }
  }
  return parents;
}

}  // namespace

GltfRig::GltfRig(const gltf::Document& document, const GlbReadOptions& options, int animation)
    : document_(document), options_(options), motion_(document, animation) {
  const std::size_t count = document.nodes.size();
  const std::vector<int> parents = threaded_parents(document);
  std::vector<std::vector<int>> children(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (parents[i] < 0)
      nodes_.push_back(static_cast<int>(i));
    else
      children[parents[i]].push_back(static_cast<int>(i));
  }
  for (std::size_t k = 0; k < nodes_.size(); ++k)
    for (int child : children[nodes_[k]]) nodes_.push_back(child);
  std::vector<int> joint_of(count, -1);
  std::vector<Eigen::Affine3d> rest(count);
  motion_.rest_worlds(rest);
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    const int node = nodes_[k];
    joint_of[node] = static_cast<int>(k);
    skeleton_.names.push_back(document.nodes[node].name);
    skeleton_.parents.push_back(parents[node] < 0 ? -1 : joint_of[parents[node]]);
    skeleton_.positions.push_back(rest[node].translation());
    skeleton_.turns.push_back(motion_.turns(node));
  }
}

Status GltfRig::settle_frames() {
  rate_ = options_.frame_rate > 0.0 ? options_.frame_rate : motion_.natural_rate();
  const double count = std::floor(motion_.duration() * rate_ + 0.5) + 1.0;
  if (!(count <= kMaxFrames))
    return Error{
        fmt::format("{}: {:.0f} s of motion at {:g} frames a second is more than {} frames",
                    document_.source, motion_.duration(), rate_, kMaxFrames)};
  frames_ = static_cast<int>(count);
  return {};
}

void GltfRig::worlds(int frame, std::span<Eigen::Affine3d> out) const {
  if (frame < 0)
    motion_.rest_worlds(out);
  else
    motion_.worlds(frame / rate_, out);
}

void GltfRig::joints(int frame, std::span<Transform> frames_rig) const {
  std::vector<Eigen::Affine3d> all(document_.nodes.size());
  worlds(frame, all);
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    const Transform t = gltf::rigid_part(all[nodes_[k]]);
    frames_rig[k] = options_.hints.mirror ? mirror_x(t) : t;
  }
}

Status GltfRig::find_hands() {
  RigMotion motion;
  motion.rig = &skeleton_;
  motion.frame_count = frames_;
  motion.frames = [this](int frame, std::span<Transform> frames_rig) { joints(frame, frames_rig); };
  auto mapped = map_rig(skeleton_, options_.hints, document_.source);
  if (!mapped) {
    RigHints bare = options_.hints;
    bare.bare_wrists = true;
    const auto wrists = map_rig(skeleton_, bare, document_.source);
    if (!wrists) return mapped.error();
    mapped = wrists;
  }
  unit_ = options_.hints.meters_per_unit.value_or(0.0);
  for (RigHand& found : *mapped) {
    found.may_be_bare = true;
    auto model = RigHandModel::build(motion, found, unit_, up(), printable(document_.source, 300));
    if (!model) return model.error();
    unit_ = model->meters_per_unit();
    models_.push_back(std::move(*model));
  }
  return {};
}

// The animation asked for, or the one with the most tracks; -1 if there is none.
Result<int> choose_animation(const gltf::Document& document, const std::string& wanted) {
  int best = -1;
  std::string names;
  for (std::size_t i = 0; i < document.animations.size(); ++i) {
    const gltf::Animation& animation = document.animations[i];
    if (!wanted.empty() && animation.name == wanted) return static_cast<int>(i);
    if (best < 0 || animation.channels.size() > document.animations[best].channels.size())
      best = static_cast<int>(i);
    names += fmt::format("{}\"{}\"", i ? ", " : "", printable(animation.name));
  }
  if (!wanted.empty())
    return Error{fmt::format("{}: has no animation \"{}\"; it has {}", document.source,
                             printable(wanted), names.empty() ? "none" : printable(names, 300))};
  return best;
}

}  // namespace prehend::io
