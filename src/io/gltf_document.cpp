#include "io/gltf_document.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>
#include <tiny_gltf.h>
#include <nlohmann/json.hpp>

#include "io/gltf_accessor.h"
#include "io/gltf_buffers.h"
#include "io/json_depth.h"
#include "prehend/core/atomic_file.h"
#include "prehend/core/text.h"

namespace prehend::io::gltf {
namespace {

using nlohmann::json;

constexpr int kMaxJsonDepth = 64;  // the format needs 6; extras of others a few more

struct Container {
  json root;
  std::span<const unsigned char> binary;
};

std::uint32_t word(std::span<const unsigned char> bytes, std::size_t at) {
  std::uint32_t value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

Result<json> parse_json(std::span<const unsigned char> text, const std::string& source) {
  // The parser could count levels itself, by a callback, but then takes the square of the time.
  if (nests_deeper({reinterpret_cast<const char*>(text.data()), text.size()}, kMaxJsonDepth))
    return Error{source + ": its JSON is nested deeper than any glTF file's"};
  json root = json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (!root.is_object()) return Error{source + ": its JSON is broken; a glTF 2.0 file is needed"};
  return root;
}

// Splits a .glb; a text file is all JSON.
Result<Container> open_container(std::span<const unsigned char> bytes, const std::string& source) {
  constexpr std::uint32_t kJson = 0x4E4F534A, kBinary = 0x004E4942;
  Container container;
  std::span<const unsigned char> text = bytes;
  if (bytes.size() >= 4 && std::memcmp(bytes.data(), "glTF", 4) == 0) {
    if (bytes.size() < 20) return Error{source + ": cut off in its header"};
    if (word(bytes, 4) != 2)
      return Error{fmt::format("{}: glTF version {}, where 2 is needed", source, word(bytes, 4))};
    const std::uint64_t length = word(bytes, 8), json_length = word(bytes, 12);
    if (length > bytes.size())
      return Error{fmt::format("{}: cut off at {} of {} bytes", source, bytes.size(), length)};
    if (word(bytes, 16) != kJson || 20 + json_length > length)
      return Error{source + ": its first chunk is not JSON of the size that it says"};
    text = bytes.subspan(20, json_length);
    std::size_t at = 20 + json_length;
    if (at + 8 <= length && word(bytes, at + 4) == kBinary) {
      const std::uint64_t binary_length = word(bytes, at);
      if (at + 8 + binary_length > length)
        return Error{source + ": its binary chunk is longer than the file"};
      container.binary = bytes.subspan(at + 8, binary_length);
    }
  } else if (bytes.empty() || std::memchr("{ \t\r\n", bytes[0], 5) == nullptr) {
    return Error{source + ": neither a .glb nor a .gltf file"};
  }
  auto root = parse_json(text, source);
  if (!root) return root.error();
  container.root = std::move(*root);
  return container;
}

// tinygltf reads a document whose pictures, which no clip needs, are left out; it would decode
// them, and it does not check where they lie.
std::string without_pictures(json root) {
  for (const char* key : {"images", "textures", "samplers", "materials", "cameras"})
    root.erase(key);
  return root.dump(-1, ' ', false, json::error_handler_t::replace);
}

Status parse_model(const Container& container, const std::string& source, tinygltf::Model& model) {
  std::string text = without_pictures(container.root);
  std::string error, warning;
  bool ok = false;
  tinygltf::TinyGLTF loader;
  try {
    if (container.binary.empty()) {
      ok = loader.LoadASCIIFromString(&model, &error, &warning, text.data(),
                                      static_cast<unsigned>(text.size()), "");
    } else {
      text.resize((text.size() + 3) / 4 * 4, ' ');
      const std::size_t binary = (container.binary.size() + 3) / 4 * 4;
      std::vector<unsigned char> glb(28 + text.size() + binary, 0);
      const std::uint32_t header[] = {0x46546C67, 2, static_cast<std::uint32_t>(glb.size()),
                                      static_cast<std::uint32_t>(text.size()), 0x4E4F534A};
      const std::uint32_t chunk[] = {static_cast<std::uint32_t>(binary), 0x004E4942};
      std::memcpy(glb.data(), header, sizeof header);
      std::memcpy(glb.data() + 20, text.data(), text.size());
      std::memcpy(glb.data() + 20 + text.size(), chunk, sizeof chunk);
      std::memcpy(glb.data() + 28 + text.size(), container.binary.data(), container.binary.size());
      ok = loader.LoadBinaryFromMemory(&model, &error, &warning, glb.data(),
                                       static_cast<unsigned>(glb.size()), "");
    }
  } catch (const std::exception& failure) {
    error = failure.what();
  }
  if (!ok) return Error{fmt::format("{}: {}", source, printable(error, 200))};
  return {};
}

Status set_transform(const tinygltf::Node& from, const std::string& where, Node& node) {
  auto finite = [](const std::vector<double>& v) {
    return std::all_of(v.begin(), v.end(), [](double x) { return std::isfinite(x); });
  };
  if (!finite(from.matrix) || !finite(from.translation) || !finite(from.rotation) ||
      !finite(from.scale))
    return Error{where + " has a transform that is not finite"};
  if (from.matrix.size() == 16) {
    const Eigen::Map<const Eigen::Matrix4d> matrix(from.matrix.data());
    Mat3 linear = matrix.topLeftCorner<3, 3>();
    node.translation = matrix.topRightCorner<3, 1>();
    node.scale = linear.colwise().norm().transpose();
    if (linear.determinant() < 0.0) node.scale.x() = -node.scale.x();
    if (node.scale.cwiseAbs().minCoeff() < 1e-12) return Error{where + " has a singular matrix"};
    for (int c = 0; c < 3; ++c) linear.col(c) /= node.scale[c];
    node.rotation = Quat(linear).normalized();
    return {};
  }
  if (from.translation.size() == 3) node.translation = Vec3(from.translation.data());
  if (from.scale.size() == 3) node.scale = Vec3(from.scale.data());
  if (from.rotation.size() == 4) {
    const auto& q = from.rotation;
    node.rotation = Quat(q[3], q[0], q[1], q[2]);
    const double norm = node.rotation.norm();
    if (!(norm > 0.5 && norm < 2.0))
      return Error{where + " has a rotation that is no unit quaternion"};
    node.rotation.normalize();
  }
  return {};
}

Result<std::vector<Node>> read_nodes(const tinygltf::Model& model, const std::string& source) {
  const int count = static_cast<int>(model.nodes.size());
  std::vector<Node> nodes(count);
  for (int i = 0; i < count; ++i) {
    const tinygltf::Node& from = model.nodes[i];
    const std::string where = fmt::format("{}: node {} ({})", source, i, printable(from.name));
    nodes[i].name = from.name;
    nodes[i].mesh = from.mesh;
    nodes[i].skin = from.skin;
    if (from.mesh >= static_cast<int>(model.meshes.size()) ||
        from.skin >= static_cast<int>(model.skins.size()))
      return Error{where + " names a mesh or a skin that does not exist"};
    if (Status status = set_transform(from, where, nodes[i]); !status) return status.error();
    for (int child : from.children) {
      if (child < 0 || child >= count || child == i)
        return Error{fmt::format("{} has child {}, which cannot be", where, child)};
      if (nodes[child].parent != -1)
        return Error{fmt::format("{}: node {} has two parents", source, child)};
      nodes[child].parent = i;
      nodes[i].children.push_back(child);
    }
  }
  // One parent each still allows a ring, which no root leads to.
  std::vector<int> reached;
  for (int i = 0; i < count; ++i)
    if (nodes[i].parent == -1) reached.push_back(i);
  for (std::size_t k = 0; k < reached.size(); ++k)
    for (int child : nodes[reached[k]].children) reached.push_back(child);
  if (static_cast<int>(reached.size()) != count)
    return Error{source + ": its nodes form a ring; a node cannot be its own ancestor"};
  return nodes;
}

Result<Skin> read_skin(const tinygltf::Model& model, const tinygltf::Skin& from,
                       const std::string& source) {
  Skin skin;
  skin.joints = from.joints;
  for (int joint : from.joints)
    if (joint < 0 || joint >= static_cast<int>(model.nodes.size()))
      return Error{fmt::format("{}: a skin names joint {}, which is no node", source, joint)};
  skin.inverse_binds.assign(skin.joints.size(), Eigen::Matrix4d::Identity());
  if (from.inverseBindMatrices >= 0) {
    auto numbers = read_accessor(model, from.inverseBindMatrices, 16, source);
    if (!numbers) return numbers.error();
    if (numbers->size() < 16 * skin.joints.size())
      return Error{source + ": a skin has fewer bind matrices than joints"};
    for (std::size_t i = 0; i < skin.joints.size(); ++i)
      skin.inverse_binds[i] = Eigen::Map<const Eigen::Matrix4d>(numbers->data() + 16 * i);
  }
  return skin;
}

// Empty for paths that move no node (morph weights, extensions).
Result<std::optional<Channel>> read_channel(const tinygltf::Model& model,
                                            const tinygltf::Animation& animation,
                                            const tinygltf::AnimationChannel& from,
                                            const std::string& where) {
  Channel channel;
  channel.node = from.target_node;
  if (from.target_path == "rotation") {
    channel.path = Path::kRotation;
  } else if (from.target_path == "scale") {
    channel.path = Path::kScale;
  } else if (from.target_path != "translation") {
    return std::optional<Channel>{};
  }
  if (from.target_node < 0) return std::optional<Channel>{};
  if (from.target_node >= static_cast<int>(model.nodes.size()))
    return Error{fmt::format("{} moves node {}, which does not exist", where, from.target_node)};
  if (from.sampler < 0 || from.sampler >= static_cast<int>(animation.samplers.size()))
    return Error{fmt::format("{} names sampler {}, which does not exist", where, from.sampler)};
  const tinygltf::AnimationSampler& sampler = animation.samplers[from.sampler];
  if (sampler.interpolation == "STEP") channel.interpolation = Interpolation::kStep;
  if (sampler.interpolation == "CUBICSPLINE") channel.interpolation = Interpolation::kCubicSpline;

  auto times = read_accessor(model, sampler.input, 1, where);
  if (!times) return times.error();
  auto values = read_accessor(model, sampler.output, channel.width(), where);
  if (!values) return values.error();
  channel.times = std::move(*times);
  channel.values = std::move(*values);
  const std::size_t parts = channel.interpolation == Interpolation::kCubicSpline ? 3 : 1;
  if (channel.times.empty() ||
      channel.values.size() != channel.times.size() * channel.width() * parts)
    return Error{fmt::format("{} has {} times for {} values", where, channel.times.size(),
                             channel.values.size() / channel.width())};
  if (std::adjacent_find(channel.times.begin(), channel.times.end(),
                         [](double a, double b) { return a >= b; }) != channel.times.end())
    return Error{where + " has times that do not increase"};
  return std::optional<Channel>(std::move(channel));
}

Result<Animation> read_animation(const tinygltf::Model& model, int index, const json& root,
                                 const std::string& source) {
  const tinygltf::Animation& from = model.animations[index];
  Animation animation;
  animation.name = from.name;
  const json& text = root["animations"][index];
  if (text.contains("extras")) animation.extras = text["extras"].dump();
  for (std::size_t i = 0; i < from.channels.size(); ++i) {
    const std::string where = fmt::format("{}: animation {}, channel {}", source, index, i);
    auto channel = read_channel(model, from, from.channels[i], where);
    if (!channel) return channel.error();
    if (channel->has_value()) animation.channels.push_back(std::move(**channel));
  }
  return animation;
}

}  // namespace

int Document::accessor_count() const { return static_cast<int>(model_->accessors.size()); }
int Document::mesh_count() const { return static_cast<int>(model_->meshes.size()); }

Result<std::vector<double>> Document::numbers(int accessor, int components) const {
  return read_accessor(*model_, accessor, components, source);
}

Result<std::vector<int>> Document::integers(int accessor, int components) const {
  return read_integers(*model_, accessor, components, source);
}

namespace {

// Appends one primitive; false in `skinned` when it has no joints and weights.
Status add_primitive(const tinygltf::Model& model, const tinygltf::Primitive& from,
                     const std::string& where, Mesh& mesh, bool& skinned) {
  const auto attribute = [&](const char* name) {
    const auto found = from.attributes.find(name);
    return found == from.attributes.end() ? -1 : found->second;
  };
  if (from.mode != -1 && from.mode != TINYGLTF_MODE_TRIANGLES) return {};
  auto positions = read_accessor(model, attribute("POSITION"), 3, where);
  if (!positions) return positions.error();
  const int base = static_cast<int>(mesh.triangles.vertices.size());
  const int count = static_cast<int>(positions->size() / 3);
  for (int i = 0; i < count; ++i) mesh.triangles.vertices.emplace_back(positions->data() + 3 * i);

  std::vector<int> indices;
  if (from.indices >= 0) {
    auto read = read_integers(model, from.indices, 1, where);
    if (!read) return read.error();
    indices = std::move(*read);
  } else {
    indices.resize(count);
    for (int i = 0; i < count; ++i) indices[i] = i;
  }
  if (indices.size() % 3 != 0)
    return Error{fmt::format("{} has {} indices, which make no triangles", where, indices.size())};
  for (std::size_t i = 0; i + 2 < indices.size(); i += 3) {
    std::array<int, 3> face;
    for (int c = 0; c < 3; ++c) {
      if (indices[i + c] < 0 || indices[i + c] >= count)
        return Error{fmt::format("{} names vertex {} of {}", where, indices[i + c], count)};
      face[c] = base + indices[i + c];
    }
    mesh.triangles.faces.push_back(face);
  }

  if (attribute("JOINTS_0") < 0 || attribute("WEIGHTS_0") < 0) {
    skinned = false;
    return {};
  }
  auto joints = read_integers(model, attribute("JOINTS_0"), 4, where);
  if (!joints) return joints.error();
  auto weights = read_accessor(model, attribute("WEIGHTS_0"), 4, where);
  if (!weights) return weights.error();
  if (joints->size() != 4u * count || weights->size() != 4u * count)
    return Error{where + " has not one set of joints and weights a vertex"};
  for (int i = 0; i < count; ++i) {
    std::array<int, 4> joint;
    std::array<double, 4> weight;
    for (int k = 0; k < 4; ++k) {
      joint[k] = (*joints)[4 * i + k];
      weight[k] = (*weights)[4 * i + k];
    }
    mesh.joints.push_back(joint);
    mesh.weights.push_back(weight);
  }
  return {};
}

}  // namespace

Result<Mesh> Document::mesh(int index) const {
  PREHEND_ASSERT(index >= 0 && index < mesh_count());
  const tinygltf::Mesh& from = model_->meshes[index];
  Mesh mesh;
  mesh.name = from.name;
  bool skinned = true;
  for (std::size_t p = 0; p < from.primitives.size(); ++p) {
    const std::string where = fmt::format("{}: mesh {}, part {}", source, index, p);
    if (Status status = add_primitive(*model_, from.primitives[p], where, mesh, skinned); !status)
      return status.error();
  }
  if (!skinned) {
    mesh.joints.clear();
    mesh.weights.clear();
  }
  return mesh;
}

Result<Document> load_memory(std::span<const unsigned char> bytes, const std::string& source,
                             const std::string& folder) {
  auto container = open_container(bytes, source);
  if (!container) return container.error();
  if (Status status = embed_outside_buffers(container->root, source, folder); !status)
    return status.error();
  auto model = std::make_shared<tinygltf::Model>();
  if (Status status = parse_model(*container, source, *model); !status) return status.error();

  Document document;
  document.source = source;
  document.generator = model->asset.generator;
  auto nodes = read_nodes(*model, source);
  if (!nodes) return nodes.error();
  document.nodes = std::move(*nodes);
  for (const tinygltf::Skin& from : model->skins) {
    auto skin = read_skin(*model, from, source);
    if (!skin) return skin.error();
    document.skins.push_back(std::move(*skin));
  }
  for (std::size_t i = 0; i < model->animations.size(); ++i) {
    auto animation = read_animation(*model, static_cast<int>(i), container->root, source);
    if (!animation) return animation.error();
    document.animations.push_back(std::move(*animation));
  }
  document.model_ = std::move(model);
  return document;
}

Result<Document> load(const std::string& path) {
  auto bytes = read_file(path);
  if (!bytes) return bytes.error();
  return load_memory({reinterpret_cast<const unsigned char*>(bytes->data()), bytes->size()}, path,
                     folder_of(path));
}

}  // namespace prehend::io::gltf
