#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "io/glb_builder.h"
#include "io/glb_extras.h"
#include "io/mesh_normals.h"
#include "prehend/core/atomic_file.h"
#include "prehend/core/skin.h"
#include "prehend/io/glb.h"
#include "prehend/io/skin_asset.h"

namespace prehend::io {
namespace {

using nlohmann::json;

const double kObjectCrease = radians(40.0);
const double kSkinCrease = radians(180.0);

const Vec3 kSkinColor(0.62, 0.37, 0.27);
const Vec3 kSurroundingsColor(0.55, 0.56, 0.58);
// Linear colors, apart from each other and from skin.
const std::array<Vec3, 6> kObjectColors = {Vec3(0.10, 0.28, 0.48), Vec3(0.62, 0.42, 0.10),
                                           Vec3(0.13, 0.36, 0.26), Vec3(0.47, 0.12, 0.12),
                                           Vec3(0.30, 0.20, 0.42), Vec3(0.32, 0.33, 0.35)};

bool has_all_joints(const Hand& hand) {
  return std::all_of(hand.xr_segments.begin(), hand.xr_segments.end(),
                     [](int segment) { return segment >= 0; });
}

// The generic hand's skin, and capsules for segments beyond it, such as an arm's.
Skin dressed(const Hand& hand) {
  Skin skin = fit_skin(generic_hand_skin(hand.side), hand);
  const Skin capsules = capsule_skin(hand);
  std::vector<int> copied(capsules.rest.vertices.size(), -1);
  for (std::size_t v = 0; v < copied.size(); ++v) {
    const int segment = capsules.segments[v][0];
    const bool covered = std::find(hand.xr_segments.begin(), hand.xr_segments.end(), segment) !=
                         hand.xr_segments.end();
    if (covered) continue;
    copied[v] = static_cast<int>(skin.rest.vertices.size());
    skin.rest.vertices.push_back(capsules.rest.vertices[v]);
    skin.segments.push_back(capsules.segments[v]);
    skin.weights.push_back(capsules.weights[v]);
  }
  for (const auto& [a, b, c] : capsules.rest.faces)
    if (copied[a] >= 0) skin.rest.faces.push_back({copied[a], copied[b], copied[c]});
  return skin;
}

// Each vertex's influences as glTF wants them: no segment twice, the weights' sum one, zero where
// there is none.
struct Influences {
  std::vector<std::uint8_t> joints;
  std::vector<float> weights;
};

Influences clean_influences(const Skin& skin, const std::vector<int>& source) {
  Influences out;
  for (int vertex : source) {
    std::array<int, 4> joints = {0, 0, 0, 0};
    std::array<double, 4> weights = {0.0, 0.0, 0.0, 0.0};
    int used = 0;
    double sum = 0.0;
    for (int k = 0; k < 4; ++k) {
      const double weight = skin.weights[vertex][k];
      if (weight <= 0.0) continue;
      const auto end = joints.begin() + used;
      const auto same = std::find(joints.begin(), end, skin.segments[vertex][k]);
      const auto slot = same - joints.begin();
      if (same == end) joints[used++] = skin.segments[vertex][k];
      weights[slot] += weight;
      sum += weight;
    }
    if (used == 0) weights[0] = sum = 1.0;
    for (int k = 0; k < 4; ++k) {
      out.joints.push_back(static_cast<std::uint8_t>(joints[k]));
      out.weights.push_back(static_cast<float>(weights[k] / sum));
    }
  }
  return out;
}

class ClipWriter {
 public:
  explicit ClipWriter(const Clip& clip, const GlbOptions& options)
      : clip_(clip), options_(options) {}

  Result<std::string> write();

 private:
  json add_hand(const HandTrack& track);
  void add_skin(const Hand& hand, const std::string& name, const std::vector<int>& joints,
                const std::vector<Transform>& binds_root);
  json add_object(const ObjectTrack& track, int index);
  json add_contacts();
  tinygltf::Primitive add_mesh_data(const ShadedMesh& mesh, int material);
  std::string node_name(const Hand& hand, std::string_view part) const {
    return clip_.hands.size() == 1 ? std::string(part) : fmt::format("{}-{}", hand.name, part);
  }

  const Clip& clip_;
  const GlbOptions& options_;
  GlbBuilder builder_;
  int times_ = -1;
  int skin_material_ = -1;
};

tinygltf::Primitive ClipWriter::add_mesh_data(const ShadedMesh& mesh, int material) {
  tinygltf::Primitive primitive;
  primitive.mode = TINYGLTF_MODE_TRIANGLES;
  primitive.material = material;
  primitive.attributes["POSITION"] =
      builder_.add(to_floats(mesh.vertices), 3, AccessorUse::kVertices, /*bounds=*/true);
  primitive.attributes["NORMAL"] = builder_.add(to_floats(mesh.normals), 3, AccessorUse::kVertices);
  std::vector<std::uint32_t> indices;
  indices.reserve(3 * mesh.faces.size());
  for (const auto& face : mesh.faces) indices.insert(indices.end(), face.begin(), face.end());
  primitive.indices = builder_.add(indices, AccessorUse::kIndices);
  return primitive;
}

void ClipWriter::add_skin(const Hand& hand, const std::string& name, const std::vector<int>& joints,
                          const std::vector<Transform>& binds_root) {
  const Skin skin = options_.skin && has_all_joints(hand) ? dressed(hand) : capsule_skin(hand);
  if (skin.rest.empty()) return;
  if (skin_material_ < 0) skin_material_ = builder_.add_material("skin", kSkinColor, 0.55);
  const ShadedMesh shaded = shaded_mesh(skin.rest, kSkinCrease);
  const Influences influences = clean_influences(skin, shaded.source);
  tinygltf::Mesh mesh;
  mesh.name = name;
  mesh.primitives.push_back(add_mesh_data(shaded, skin_material_));
  mesh.primitives[0].attributes["JOINTS_0"] =
      builder_.add(influences.joints, 4, AccessorUse::kVertices);
  mesh.primitives[0].attributes["WEIGHTS_0"] =
      builder_.add(influences.weights, 4, AccessorUse::kVertices);

  tinygltf::Skin bound;
  bound.name = name;
  bound.joints = joints;
  bound.skeleton = joints[0];
  std::vector<float> inverse_binds;
  for (const Transform& bind : binds_root) {
    Eigen::Matrix4d matrix = Eigen::Matrix4d::Identity();
    const Transform inverse = bind.inverse();
    matrix.topLeftCorner<3, 3>() = inverse.rotation.toRotationMatrix();
    matrix.topRightCorner<3, 1>() = inverse.position;
    for (int i = 0; i < 16; ++i) inverse_binds.push_back(static_cast<float>(matrix.data()[i]));
  }
  bound.inverseBindMatrices = builder_.add(inverse_binds, 16);

  auto& model = builder_.model();
  const int node = builder_.add_node(name, -1, {});
  model.nodes[node].mesh = static_cast<int>(model.meshes.size());
  model.nodes[node].skin = static_cast<int>(model.skins.size());
  model.meshes.push_back(mesh);
  model.skins.push_back(bound);
}

json ClipWriter::add_hand(const HandTrack& track) {
  const Hand& hand = *track.hand;
  const HandPose& first = track.poses[0];
  const int armature = builder_.add_node(hand.name, -1, {});
  std::vector<int> nodes;
  for (int s = 0; s < hand.segment_count(); ++s) {
    const Segment& segment = hand.segments[s];
    const Transform local =
        s == 0 ? first.root_world : Transform{first.rotations[s], segment.rest_parent.position};
    nodes.push_back(builder_.add_node(node_name(hand, segment.name),
                                      s == 0 ? armature : nodes[segment.parent], local));
    std::vector<Quat> rotations;
    for (const HandPose& pose : track.poses)
      rotations.push_back(s == 0 ? pose.root_world.rotation : pose.rotations[s]);
    builder_.animate_rotation(nodes[s], times_, rotations);
  }
  std::vector<Vec3> positions;
  for (const HandPose& pose : track.poses) positions.push_back(pose.root_world.position);
  builder_.animate_translation(nodes[0], times_, positions);

  std::vector<Transform> binds = segment_frames(hand, rest_pose(hand));
  std::vector<int> joints = nodes;
  for (Digit digit : kDigits) {
    const FingerPad& pad = hand.pads[static_cast<int>(digit)];
    if (pad.segment < 0) continue;
    const auto tip = Transform::from_position(pad.tip);
    joints.push_back(builder_.add_node(node_name(hand, xr_joint_names()[xr_tip_of(digit)]),
                                       nodes[pad.segment], tip));
    binds.push_back(binds[pad.segment] * tip);
  }
  add_skin(hand, hand.name + " skin", joints, binds);
  json description = hand_to_json(hand);
  description["nodes"] = nodes;
  return description;
}

json ClipWriter::add_object(const ObjectTrack& track, int index) {
  const Object& object = *track.object;
  const Vec3& color =
      object.fixed ? kSurroundingsColor : kObjectColors[index % kObjectColors.size()];
  const int material = builder_.add_material(object.name, color, object.fixed ? 0.9 : 0.45);
  const ShadedMesh shaded = shaded_mesh(*object.shape.mesh, kObjectCrease);
  tinygltf::Mesh mesh;
  mesh.name = object.name;
  mesh.primitives.push_back(add_mesh_data(shaded, material));
  const int node = builder_.add_node(object.name, -1, track.poses_world[0]);
  auto& model = builder_.model();
  model.nodes[node].mesh = static_cast<int>(model.meshes.size());
  model.meshes.push_back(mesh);

  std::vector<Quat> rotations;
  std::vector<Vec3> positions;
  for (const Transform& pose : track.poses_world) {
    rotations.push_back(pose.rotation);
    positions.push_back(pose.position);
  }
  builder_.animate_rotation(node, times_, rotations);
  builder_.animate_translation(node, times_, positions);
  json description = object_to_json(object);
  description["node"] = node;
  description["vertex_source"] =
      builder_.add(std::vector<std::uint32_t>(shaded.source.begin(), shaded.source.end()));
  return description;
}

// Contacts of all frames in one row; those of frame f are offsets[f] to offsets[f + 1].
json ClipWriter::add_contacts() {
  std::vector<std::uint32_t> offsets = {0};
  std::vector<std::int16_t> by, on;
  const auto put = [](const ContactSide& side, std::vector<std::int16_t>& out) {
    for (const int id : {static_cast<int>(side.kind), side.index, side.segment})
      out.push_back(static_cast<std::int16_t>(id));
  };
  std::vector<Vec3> points, normals, forces;
  std::vector<float> torques, gaps;
  for (const auto& frame : clip_.contacts) {
    for (const Contact& contact : frame) {
      put(contact.by, by);
      put(contact.on, on);
      points.push_back(contact.point_on);
      normals.push_back(contact.normal_world);
      forces.push_back(contact.force_world);
      torques.push_back(static_cast<float>(contact.torque_normal));
      gaps.push_back(static_cast<float>(contact.gap));
    }
    offsets.push_back(static_cast<std::uint32_t>(points.size()));
  }
  json description = {{"offsets", builder_.add(offsets)}};
  if (points.empty()) return description;
  description["by"] = builder_.add(by, 3);
  description["on"] = builder_.add(on, 3);
  description["points_on"] = builder_.add(to_floats(points), 3);
  description["normals_world"] = builder_.add(to_floats(normals), 3);
  description["forces_world"] = builder_.add(to_floats(forces), 3);
  description["torques_normal"] = builder_.add(torques, 1);
  description["gaps"] = builder_.add(gaps, 1);
  return description;
}

json marks_to_json(const ClipMarks& marks) {
  json list = json::array();
  for (const ClipMark& mark : marks) {
    json one = {{"kind", mark.kind},
                {"first", mark.first},
                {"last", mark.last},
                {"worst", mark.worst},
                {"text", mark.text}};
    if (const auto& point = mark.point_world)
      one["point_world"] = {point->x(), point->y(), point->z()};
    list.push_back(std::move(one));
  }
  return list;
}

Result<std::string> ClipWriter::write() {
  const int frames = clip_.frame_count();
  std::vector<float> times;
  for (int f = 0; f < frames; ++f) times.push_back(static_cast<float>(f / clip_.frame_rate));
  times_ = builder_.add(times, 1, AccessorUse::kData, /*bounds=*/true);
  builder_.model().scenes[0].name = clip_.name;

  json hands = json::array(), objects = json::array();
  for (const HandTrack& track : clip_.hands) hands.push_back(add_hand(track));
  for (std::size_t i = 0; i < clip_.objects.size(); ++i)
    objects.push_back(add_object(clip_.objects[i], static_cast<int>(i)));
  json description = {{"version", kExtrasVersion},
                      {"name", clip_.name},
                      {"frame_rate", clip_.frame_rate},
                      {"frames", frames},
                      {"forces_recorded", clip_.forces_recorded},
                      {"hands", hands},
                      {"objects", objects}};
  if (clip_.floor_height) description["floor_height"] = *clip_.floor_height;
  if (clip_.has_contacts()) description["contacts"] = add_contacts();
  if (!options_.marks.empty()) description["marks"] = marks_to_json(options_.marks);
  return builder_.finish(clip_.name, {{"prehend", description}});
}

Status check_writable(const Clip& clip) {
  if (Status status = validate(clip); !status) return status;
  for (const HandTrack& track : clip.hands)
    if (track.hand->segment_count() > 250)
      return Error{fmt::format("hand {} has {} segments; GLB skins take 250", track.hand->name,
                               track.hand->segment_count())};
  for (const ObjectTrack& track : clip.objects)
    if (!track.object->shape.mesh || track.object->shape.mesh->empty())
      return Error{fmt::format("object {} has no mesh", track.object->name)};
  return {};
}

}  // namespace

Result<std::string> encode_glb(const Clip& clip, const GlbOptions& options) {
  if (Status status = check_writable(clip); !status) return status.error();
  return ClipWriter(clip, options).write();
}

Status write_glb(const Clip& clip, const std::string& path, const GlbOptions& options) {
  auto bytes = encode_glb(clip, options);
  if (!bytes) return Error{fmt::format("cannot write {}: {}", path, bytes.message())};
  return write_file(path, *bytes);
}

}  // namespace prehend::io
