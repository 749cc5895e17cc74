#include "io/glb_foreign.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "io/gltf_rig.h"
#include "prehend/core/text.h"
#include "prehend/geometry/mass_properties.h"

namespace prehend::io {
namespace {

constexpr double kDefaultMass = 0.1;  // kg, of an object whose file says nothing
// As many as a scene may have: each is a body of its own, and a file of more is not of hands.
constexpr std::size_t kMostObjects = 1000;

class ForeignReader {
 public:
  ForeignReader(const gltf::Document& document, const GlbReadOptions& options, int animation)
      : document_(document),
        options_(options),
        rig_(document, options, animation),
        worlds_(document.nodes.size()) {}

  Result<GlbClip> read();

 private:
  Status add_hands();
  Status add_objects();
  Object object_of(int node, TriangleMesh mesh);
  void pose_at(int frame) { rig_.worlds(frame, worlds_); }
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
  GltfRig rig_;
  std::vector<Eigen::Affine3d> worlds_;  // of the frame last asked for
  std::vector<int> hand_nodes_;
  double unit_ = 1.0;
  Quat up_ = Quat::Identity();
  GlbClip out_;
};

Status ForeignReader::add_hands() {
  if (const Status found = rig_.find_hands(); !found) return found;
  std::vector<Transform> frames_rig(rig_.nodes().size());
  for (const RigHandModel& model : rig_.models()) {
    HandTrack track;
    track.hand = model.hand();
    double residual = 0.0;
    for (int f = 0; f < rig_.frame_count(); ++f) {
      rig_.joints(f, frames_rig);
      track.poses.push_back(model.pose(frames_rig));
      residual = std::max(residual, model.residual(frames_rig));
    }
    out_.clip.hands.push_back(std::move(track));
    out_.import.tables.push_back(rig_table(rig_.skeleton(), model.mapped()));
    out_.import.residuals_m.push_back(residual);
    for (const std::string& note : model.notes())
      out_.import.notes.push_back(fmt::format("{} hand: {}", to_string(model.mapped().side), note));
    for (const auto& joints : model.mapped().joints)
      for (int joint : joints) hand_nodes_.push_back(rig_.nodes()[joint]);
  }
  out_.import.meters_per_unit = unit_ = rig_.meters_per_unit();
  out_.import.units_guessed = !options_.hints.meters_per_unit;
  return {};
}

bool ForeignReader::belongs_to_hand(int node) const {
  for (; node >= 0; node = document_.nodes[node].parent)
    if (std::find(hand_nodes_.begin(), hand_nodes_.end(), node) != hand_nodes_.end()) return true;
  return false;
}

// As it stands in the frame last asked for. Scale goes into the mesh: an object is rigid.
Object ForeignReader::object_of(int node, TriangleMesh mesh) {
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
  return object;
}

Status ForeignReader::add_objects() {
  if (out_.import.up == UpAxis::kZ) up_ = exp_map({-kPi / 2, 0.0, 0.0});
  std::vector<int> nodes;  // of the clip's objects
  pose_at(0);
  for (int node : rig_.motion().order()) {
    const gltf::Node& from = document_.nodes[node];
    if (from.mesh < 0 || from.skin >= 0 || belongs_to_hand(node)) continue;
    if (nodes.size() == kMostObjects)
      return Error{fmt::format("{}: has more than {} meshes; a clip has at most so many objects",
                               document_.source, kMostObjects)};
    auto mesh = document_.mesh(from.mesh);
    if (!mesh) return mesh.error();
    if (mesh->triangles.empty()) continue;
    out_.clip.objects.push_back(
        {std::make_shared<Object>(object_of(node, std::move(mesh->triangles))), {}});
    nodes.push_back(node);
  }
  for (int f = 0; f < rig_.frame_count(); ++f) {
    pose_at(f);
    for (std::size_t i = 0; i < nodes.size(); ++i)
      out_.clip.objects[i].poses_world.push_back(to_world(rigid_at(nodes[i])));
  }
  return {};
}

Result<GlbClip> ForeignReader::read() {
  if (Status status = rig_.settle_frames(); !status) return status.error();
  out_.clip.name = std::filesystem::path(document_.source).stem().string();
  out_.clip.frame_rate = rig_.frame_rate();
  out_.import.up = rig_.up();
  const Status hands = add_hands();
  // A file of objects alone is a clip too, unless somebody said where a hand is.
  if (!hands && (!options_.hints.joints.empty() || !rig_.models().empty())) return hands.error();
  if (Status status = add_objects(); !status) return status.error();
  if (!hands) {
    if (out_.clip.objects.empty()) return hands.error();
    out_.import.notes.push_back(hands.message());
  }
  if (Status status = validate(out_.clip); !status)
    return Error{fmt::format("{}: {}", document_.source, status.message())};
  return std::move(out_);
}

}  // namespace

Result<GlbClip> foreign_clip(const gltf::Document& document, const GlbReadOptions& options) {
  const auto animation = choose_animation(document, options.animation);
  if (!animation) return animation.error();
  return ForeignReader(document, options, *animation).read();
}

}  // namespace prehend::io
