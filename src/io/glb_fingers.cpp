// Fingers into a .glb by adding to it: the bytes of its buffer stay where they are, new ones follow
// them, and the JSON gains nodes, samplers and channels.
#include <cmath>
#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "io/gltf_rig.h"
#include "io/rig_fingers.h"
#include "prehend/core/text.h"
#include "prehend/io/fingers_back.h"

namespace prehend::io {
namespace {

using Json = nlohmann::ordered_json;

std::uint32_t word_at(std::string_view bytes, std::size_t at) {
  std::uint32_t value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

void append_word(std::uint32_t value, std::string& out) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  out.append(bytes, sizeof value);
}

class GlbEditor {
 public:
  // Of a file that the reader has accepted.
  Status open(std::string_view bytes, const std::string& name) {
    if (bytes.size() < 20 || bytes.substr(0, 4) != "glTF")
      return Error{fmt::format("{}: fingers are put into .glb and .bvh files", printable(name))};
    const std::size_t json_size = word_at(bytes, 12);
    root_ = Json::parse(bytes.substr(20, json_size), nullptr, false);
    if (!root_.is_object()) return Error{printable(name) + ": its JSON is broken"};
    std::size_t at = 20 + json_size;
    if (at + 8 <= bytes.size()) binary_ = bytes.substr(at + 8, word_at(bytes, at));
    // A file without a buffer, or whose first one lies elsewhere, gets one of its own.
    Json& buffers = root_["buffers"];
    if (buffers.is_null()) buffers = Json::array();
    if (buffers.empty()) buffers.push_back({{"byteLength", 0}});
    if (buffers[0].contains("uri"))
      return Error{fmt::format("{}: its data lie outside of the file", printable(name))};
    return {};
  }

  int add_numbers(const std::vector<float>& values, int width, const char* type, bool bounds) {
    binary_.resize((binary_.size() + 3) / 4 * 4, '\0');
    const std::size_t offset = binary_.size(), size = values.size() * sizeof(float);
    binary_.append(reinterpret_cast<const char*>(values.data()), size);
    const int view =
        push("bufferViews", {{"buffer", 0}, {"byteOffset", offset}, {"byteLength", size}});
    Json accessor = {{"bufferView", view},
                     {"componentType", 5126},
                     {"count", values.size() / width},
                     {"type", type}};
    if (bounds) {
      accessor["min"] = Json::array({values.front()});
      accessor["max"] = Json::array({values.back()});
    }
    return push("accessors", std::move(accessor));
  }

  int add_node(const std::string& name, int parent, const Transform& at) {
    const Quat& q = at.rotation;
    const int node =
        push("nodes", {{"name", name},
                       {"translation", {at.position.x(), at.position.y(), at.position.z()}},
                       {"rotation", {q.x(), q.y(), q.z(), q.w()}}});
    Json& children = root_["nodes"][parent]["children"];
    if (children.is_null()) children = Json::array();
    children.push_back(node);
    return node;
  }

  // A channel of that node and path that is there already now reads the new sampler.
  void animate(int animation, int node, const char* path, int times, int values) {
    Json& target = root_["animations"][animation];
    Json sampler = {{"input", times}, {"interpolation", "LINEAR"}, {"output", values}};
    target["samplers"].push_back(std::move(sampler));
    const int index = static_cast<int>(target["samplers"].size()) - 1;
    for (Json& channel : target["channels"]) {
      if (channel["target"].value("node", -1) != node || channel["target"]["path"] != path)
        continue;
      channel["sampler"] = index;
      return;
    }
    target["channels"].push_back(
        {{"sampler", index}, {"target", {{"node", node}, {"path", path}}}});
  }

  // A node given as a matrix cannot be animated.
  void split_matrix(int node, const Transform& local, const Vec3& scale) {
    Json& json = root_["nodes"][node];
    if (!json.contains("matrix")) return;
    json.erase("matrix");
    const Quat& q = local.rotation;
    json["translation"] = {local.position.x(), local.position.y(), local.position.z()};
    json["rotation"] = {q.x(), q.y(), q.z(), q.w()};
    json["scale"] = {scale.x(), scale.y(), scale.z()};
  }

  int add_animation(const std::string& name) {
    return push("animations",
                {{"name", name}, {"samplers", Json::array()}, {"channels", Json::array()}});
  }

  std::string finish() {
    root_["buffers"][0]["byteLength"] = binary_.size();
    std::string text = root_.dump(-1, ' ', false, Json::error_handler_t::replace);
    text.resize((text.size() + 3) / 4 * 4, ' ');
    binary_.resize((binary_.size() + 3) / 4 * 4, '\0');
    std::string out = "glTF";
    append_word(2, out);
    append_word(static_cast<std::uint32_t>(28 + text.size() + binary_.size()), out);
    append_word(static_cast<std::uint32_t>(text.size()), out);
    append_word(0x4E4F534A, out);
    out += text;
    append_word(static_cast<std::uint32_t>(binary_.size()), out);
    append_word(0x004E4942, out);
    return out + binary_;
  }

 private:
  int push(const char* list, Json value) {
    Json& items = root_[list];
    if (items.is_null()) items = Json::array();
    items.push_back(std::move(value));
    return static_cast<int>(items.size()) - 1;
  }

  Json root_;
  std::string binary_;
};

// Puts the joints of one hand into the file.
class HandWriter {
 public:
  HandWriter(const gltf::Document& document, const GltfRig& rig, bool mirror, int animation,
             int times, GlbEditor& editor)
      : document_(document),
        rig_(rig),
        mirror_(mirror),
        animation_(animation),
        times_(times),
        editor_(editor) {
    worlds_.resize(document.nodes.size());
    rig.worlds(0, worlds_);
  }

  void write(const RigFingers& fingers) {
    std::vector<int> nodes;
    for (const FingerJoint& joint : fingers.joints) {
      const int above = joint.above < 0 ? -1 : rig_.nodes()[joint.above];
      // Lengths below a node that is stretched count in its own measure. Added joints are not
      // stretched themselves, but hang below one that may be.
      const double stretch =
          above < 0 ? 1.0 : std::cbrt(std::abs(worlds_[above].linear().determinant()));
      int node = joint.rig_joint < 0 ? -1 : rig_.nodes()[joint.rig_joint];
      std::vector<float> turns, places;
      Transform first;
      for (std::size_t f = 0; f < joint.locals.size(); ++f) {
        Transform t = mirror_ ? mirror_x(joint.locals[f]) : joint.locals[f];
        t.position /= stretch;
        if (f > 0 && t.rotation.dot(before_) < 0.0) t.rotation.coeffs() *= -1.0;
        before_ = t.rotation;
        if (f == 0) first = t;
        for (int k = 0; k < 4; ++k) turns.push_back(static_cast<float>(t.rotation.coeffs()[k]));
        for (int k = 0; k < 3; ++k) places.push_back(static_cast<float>(t.position[k]));
      }
      if (node < 0) {
        node = editor_.add_node(joint.name, joint.parent >= 0 ? nodes[joint.parent] : above, first);
      } else {
        const gltf::Node& old = document_.nodes[node];
        editor_.split_matrix(node, {old.rotation, old.translation}, old.scale);
      }
      nodes.push_back(node);
      editor_.animate(animation_, node, "rotation", times_,
                      editor_.add_numbers(turns, 4, "VEC4", false));
      if (joint.moves)
        editor_.animate(animation_, node, "translation", times_,
                        editor_.add_numbers(places, 3, "VEC3", false));
    }
  }

 private:
  const gltf::Document& document_;
  const GltfRig& rig_;
  bool mirror_;
  int animation_, times_;
  GlbEditor& editor_;
  std::vector<Eigen::Affine3d> worlds_;
  Quat before_;
};

// Joints hang where the file has them, also in rigs whose fingers the reader threads by name.
RigSkeleton as_filed(const gltf::Document& document, const GltfRig& rig) {
  RigSkeleton skeleton = rig.skeleton();
  std::vector<int> joint_of(document.nodes.size(), -1);
  for (std::size_t k = 0; k < rig.nodes().size(); ++k)
    joint_of[rig.nodes()[k]] = static_cast<int>(k);
  for (std::size_t k = 0; k < rig.nodes().size(); ++k) {
    const int parent = document.nodes[rig.nodes()[k]].parent;
    skeleton.parents[k] = parent < 0 ? -1 : joint_of[parent];
  }
  return skeleton;
}

}  // namespace

Result<WithFingers> glb_with_fingers(std::string_view bytes, const std::string& name,
                                     const RigHints& hints, const FingersBack& fingers) {
  const auto document =
      gltf::load_memory({reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()}, name);
  if (!document) return document.error();
  const GlbReadOptions options{.hints = hints};
  const auto animation = choose_animation(*document, "");
  if (!animation) return animation.error();
  GltfRig rig(*document, options, *animation);
  if (const Status s = rig.settle_frames(); !s) return s.error();
  if (const Status s = rig.find_hands(); !s) return s.error();
  if (rig.models().size() != fingers.hands.size())
    return Error{fmt::format("{}: has {} hands, and fingers are given for {}", printable(name, 300),
                             rig.models().size(), fingers.hands.size())};
  GlbEditor editor;
  if (const Status s = editor.open(bytes, name); !s) return s.error();
  std::vector<float> times;
  for (std::size_t f = 0; f < fingers.hands[0].poses.size(); ++f)
    times.push_back(static_cast<float>(
        rig.motion().start() + static_cast<double>(fingers.first_frame + f) / rig.frame_rate()));
  const int target = *animation >= 0 ? *animation : editor.add_animation("fingers");
  HandWriter writer(*document, rig, hints.mirror, target,
                    editor.add_numbers(times, 1, "SCALAR", true), editor);
  WithFingers out;
  const RigSkeleton skeleton = as_filed(*document, rig);
  for (std::size_t i = 0; i < rig.models().size(); ++i) {
    const RigFingers made =
        rig_fingers(skeleton, rig.models()[i], fingers.hands[i], [&](int frame) {
          std::vector<Transform> joints(rig.nodes().size());
          rig.joints(fingers.first_frame + frame, joints);
          return joints;
        });
    writer.write(made);
    out.notes.push_back(fingers_note(skeleton, rig.models()[i], made));
  }
  out.bytes = editor.finish();
  return out;
}

}  // namespace prehend::io
