#include "io/glb_foreign.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "io/gltf_motion.h"
#include "io/rig_hand.h"
#include "prehend/core/text.h"
#include "prehend/geometry/mass_properties.h"

namespace prehend::io {
namespace {

constexpr double kMaxFrames = 200'000;
constexpr double kDefaultMass = 0.1;  // kg, of an object whose file says nothing

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

struct Rig {
  RigSkeleton skeleton;
  std::vector<int> nodes;  // of each joint
};

Rig rig_of(const gltf::Document& document, const gltf::Motion& motion) {
  const std::size_t count = document.nodes.size();
  const std::vector<int> parents = threaded_parents(document);
  std::vector<std::vector<int>> children(count);
  Rig rig;
  for (std::size_t i = 0; i < count; ++i) {
    if (parents[i] < 0)
      rig.nodes.push_back(static_cast<int>(i));
    else
      children[parents[i]].push_back(static_cast<int>(i));
  }
  for (std::size_t k = 0; k < rig.nodes.size(); ++k)
    for (int child : children[rig.nodes[k]]) rig.nodes.push_back(child);
  std::vector<int> joint_of(count, -1);
  std::vector<Eigen::Affine3d> rest(count);
  motion.rest_worlds(rest);
  for (std::size_t k = 0; k < rig.nodes.size(); ++k) {
    const int node = rig.nodes[k];
    joint_of[node] = static_cast<int>(k);
    rig.skeleton.names.push_back(document.nodes[node].name);
    rig.skeleton.parents.push_back(parents[node] < 0 ? -1 : joint_of[parents[node]]);
    rig.skeleton.positions.push_back(rest[node].translation());
    rig.skeleton.turns.push_back(motion.turns(node));
  }
  return rig;
}

class ForeignReader {
 public:
  ForeignReader(const gltf::Document& document, const GlbReadOptions& options, int animation)
      : document_(document),
        options_(options),
        motion_(document, animation),
        rig_(rig_of(document, motion_)),
        worlds_(document.nodes.size()) {}

  Result<GlbClip> read();

 private:
  Status settle_frames();
  Status add_hands();
  Status add_objects();
  Status add_object(int node, TriangleMesh mesh);
  void pose_at(int frame);
  bool belongs_to_hand(int node) const;
  // Where a node stands in the frame last asked for, out of a left-handed file if it is one.
  Transform rigid_at(int node) const {
    const Transform t = gltf::rigid_part(worlds_[node]);
    return options_.hints.mirror ? mirror_x(t) : t;
  }
  Transform to_world(const Transform& t) const {
    return {up_ * t.rotation, unit_ * (up_ * t.position)};
  }

  const gltf::Document& document_;
  const GlbReadOptions& options_;
  gltf::Motion motion_;
  Rig rig_;
  std::vector<Eigen::Affine3d> worlds_;  // of the frame last asked for
  std::vector<int> hand_nodes_;
  int frames_ = 1;
  double rate_ = 60.0;
  double unit_ = 1.0;
  Quat up_ = Quat::Identity();
  GlbClip out_;
};

Status ForeignReader::settle_frames() {
  rate_ = options_.frame_rate > 0.0 ? options_.frame_rate : motion_.natural_rate();
  const double count = std::floor(motion_.duration() * rate_ + 0.5) + 1.0;
  if (!(count <= kMaxFrames))
    return Error{
        fmt::format("{}: {:.0f} s of motion at {:g} frames a second is more than {} frames",
                    document_.source, motion_.duration(), rate_, kMaxFrames)};
  frames_ = static_cast<int>(count);
  return {};
}

void ForeignReader::pose_at(int frame) {
  if (frame < 0)
    motion_.rest_worlds(worlds_);
  else
    motion_.worlds(frame / rate_, worlds_);
}

Status ForeignReader::add_hands() {
  RigMotion motion;
  motion.rig = &rig_.skeleton;
  motion.frame_count = frames_;
  motion.frames = [this](int frame, std::span<Transform> frames_rig) {
    pose_at(frame);
    for (std::size_t k = 0; k < rig_.nodes.size(); ++k) frames_rig[k] = rigid_at(rig_.nodes[k]);
  };
  const auto mapped = map_rig(rig_.skeleton, options_.hints, document_.source);
  if (!mapped) return mapped.error();
  double unit = options_.hints.metres_per_unit.value_or(0.0);
  std::vector<Transform> frames_rig(rig_.nodes.size());
  for (const RigHand& found : *mapped) {
    const auto model =
        RigHandModel::build(motion, found, unit, out_.import.up, printable(document_.source, 300));
    if (!model) return model.error();
    unit = model->metres_per_unit();
    HandTrack track;
    track.hand = model->hand();
    double residual = 0.0;
    for (int f = 0; f < frames_; ++f) {
      motion.frames(f, frames_rig);
      track.poses.push_back(model->pose(frames_rig));
      residual = std::max(residual, model->residual(frames_rig));
    }
    out_.clip.hands.push_back(std::move(track));
    out_.import.tables.push_back(rig_table(rig_.skeleton, model->mapped()));
    out_.import.residuals_m.push_back(residual);
    for (const std::string& note : model->notes())
      out_.import.notes.push_back(
          fmt::format("{} hand: {}", to_string(model->mapped().side), note));
    for (const auto& joints : model->mapped().joints)
      for (int joint : joints) hand_nodes_.push_back(rig_.nodes[joint]);
  }
  out_.import.metres_per_unit = unit_ = unit;
  out_.import.units_guessed = !options_.hints.metres_per_unit;
  return {};
}

bool ForeignReader::belongs_to_hand(int node) const {
  for (; node >= 0; node = document_.nodes[node].parent)
    if (std::find(hand_nodes_.begin(), hand_nodes_.end(), node) != hand_nodes_.end()) return true;
  return false;
}

Status ForeignReader::add_object(int node, TriangleMesh mesh) {
  // Scale goes into the mesh: an object is rigid.
  pose_at(0);
  const Transform rigid = gltf::rigid_part(worlds_[node]);
  const bool mirror = options_.hints.mirror;
  for (Vec3& vertex : mesh.vertices) {
    vertex = unit_ * (rigid.inverse() * (worlds_[node] * vertex));
    if (mirror) vertex = mirror_x(vertex);
  }
  if ((worlds_[node].linear().determinant() < 0.0) != mirror)
    for (auto& face : mesh.faces) std::swap(face[1], face[2]);
  std::string name = document_.nodes[node].name;
  if (name.empty()) name = fmt::format("object-{}", out_.clip.objects.size() + 1);

  Object object;
  if (auto solid = geometry::object_from_mesh(name, mesh, kDefaultMass); solid.ok()) {
    object = std::move(*solid);
  } else {
    Eigen::AlignedBox3d box;
    for (const Vec3& vertex : mesh.vertices) box.extend(vertex);
    const Vec3 squares = box.sizes().cwiseAbs2();
    object.name = name;
    object.mass = kDefaultMass;
    object.center_of_mass = box.center();
    object.inertia = (kDefaultMass / 12.0 * (Vec3::Constant(squares.sum()) - squares)).asDiagonal();
    object.shape.mesh = std::make_shared<TriangleMesh>(std::move(mesh));
    out_.import.notes.push_back(
        fmt::format("{}: not a closed mesh; its inertia is that of its box", printable(name)));
  }
  ObjectTrack track;
  track.object = std::make_shared<Object>(std::move(object));
  for (int f = 0; f < frames_; ++f) {
    pose_at(f);
    track.poses_world.push_back(to_world(rigid_at(node)));
  }
  out_.clip.objects.push_back(std::move(track));
  return {};
}

Status ForeignReader::add_objects() {
  if (out_.import.up == UpAxis::kZ) up_ = exp_map({-kPi / 2, 0.0, 0.0});
  for (int node : motion_.order()) {
    const gltf::Node& from = document_.nodes[node];
    if (from.mesh < 0 || from.skin >= 0 || belongs_to_hand(node)) continue;
    auto mesh = document_.mesh(from.mesh);
    if (!mesh) return mesh.error();
    if (mesh->triangles.empty()) continue;
    if (Status status = add_object(node, std::move(mesh->triangles)); !status) return status;
  }
  return {};
}

Result<GlbClip> ForeignReader::read() {
  if (Status status = settle_frames(); !status) return status.error();
  out_.clip.name = std::filesystem::path(document_.source).stem().string();
  out_.clip.frame_rate = rate_;
  out_.import.up = options_.hints.up.value_or(UpAxis::kY);
  const Status hands = add_hands();
  // A file of objects alone is a clip too, unless somebody said where a hand is.
  if (!hands && (!options_.hints.joints.empty() || !out_.clip.hands.empty())) return hands.error();
  if (Status status = add_objects(); !status) return status.error();
  if (!hands) {
    if (out_.clip.objects.empty()) return hands.error();
    out_.import.notes.push_back(hands.message());
  }
  if (Status status = validate(out_.clip); !status)
    return Error{fmt::format("{}: {}", document_.source, status.message())};
  return std::move(out_);
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

}  // namespace

Result<GlbClip> foreign_clip(const gltf::Document& document, const GlbReadOptions& options) {
  const auto animation = choose_animation(document, options.animation);
  if (!animation) return animation.error();
  return ForeignReader(document, options, *animation).read();
}

}  // namespace prehend::io
