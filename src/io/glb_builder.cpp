#include "io/glb_builder.h"

#include <algorithm>
#include <cstring>
#include <sstream>

#include <nlohmann/json.hpp>

namespace prehend::io {
namespace {

int gltf_type(int components) {
  switch (components) {
    case 1:
      return TINYGLTF_TYPE_SCALAR;
    case 16:
      return TINYGLTF_TYPE_MAT4;
    default:
      return components;  // VEC2 to VEC4 are 2 to 4
  }
}

tinygltf::Value to_value(const nlohmann::json& json) {
  using tinygltf::Value;
  if (json.is_boolean()) return Value(json.get<bool>());
  if (json.is_number_integer()) return Value(json.get<int>());
  if (json.is_number()) return Value(json.get<double>());
  if (json.is_string()) return Value(json.get<std::string>());
  if (json.is_array()) {
    Value::Array array;
    for (const auto& element : json) array.push_back(to_value(element));
    return Value(std::move(array));
  }
  Value::Object object;
  for (const auto& [key, element] : json.items()) object.emplace(key, to_value(element));
  return Value(std::move(object));
}

}  // namespace

GlbBuilder::GlbBuilder() {
  model_.asset.version = "2.0";
  model_.asset.generator = "Prehend";
  model_.buffers.resize(1);
  model_.scenes.resize(1);
  model_.defaultScene = 0;
}

int GlbBuilder::append(const void* bytes, std::size_t size, int component_type, std::size_t count,
                       int components, AccessorUse use) {
  PREHEND_ASSERT(count > 0);
  auto& data = model_.buffers[0].data;
  data.resize((data.size() + 3) / 4 * 4);
  tinygltf::BufferView view;
  view.buffer = 0;
  view.byteOffset = data.size();
  view.byteLength = size;
  if (use == AccessorUse::kVertices) view.target = TINYGLTF_TARGET_ARRAY_BUFFER;
  if (use == AccessorUse::kIndices) view.target = TINYGLTF_TARGET_ELEMENT_ARRAY_BUFFER;
  data.resize(data.size() + size);
  std::memcpy(data.data() + view.byteOffset, bytes, size);

  tinygltf::Accessor accessor;
  accessor.bufferView = static_cast<int>(model_.bufferViews.size());
  accessor.componentType = component_type;
  accessor.count = count;
  accessor.type = gltf_type(components);
  model_.bufferViews.push_back(view);
  model_.accessors.push_back(accessor);
  return static_cast<int>(model_.accessors.size()) - 1;
}

int GlbBuilder::add(const std::vector<float>& values, int components, AccessorUse use,
                    bool bounds) {
  const int index =
      append(values.data(), values.size() * sizeof(float), TINYGLTF_COMPONENT_TYPE_FLOAT,
             values.size() / components, components, use);
  if (bounds) {
    auto& accessor = model_.accessors[index];
    accessor.minValues.assign(values.begin(), values.begin() + components);
    accessor.maxValues = accessor.minValues;
    for (std::size_t i = 0; i < values.size(); ++i) {
      double& low = accessor.minValues[i % components];
      double& high = accessor.maxValues[i % components];
      low = std::min(low, static_cast<double>(values[i]));
      high = std::max(high, static_cast<double>(values[i]));
    }
  }
  return index;
}

int GlbBuilder::add(const std::vector<std::uint8_t>& values, int components, AccessorUse use) {
  return append(values.data(), values.size(), TINYGLTF_COMPONENT_TYPE_UNSIGNED_BYTE,
                values.size() / components, components, use);
}

int GlbBuilder::add(const std::vector<std::int16_t>& values, int components) {
  return append(values.data(), values.size() * 2, TINYGLTF_COMPONENT_TYPE_SHORT,
                values.size() / components, components, AccessorUse::kData);
}

int GlbBuilder::add(const std::vector<std::uint32_t>& values, AccessorUse use) {
  return append(values.data(), values.size() * 4, TINYGLTF_COMPONENT_TYPE_UNSIGNED_INT,
                values.size(), 1, use);
}

int GlbBuilder::add_material(const std::string& name, const Vec3& color, double roughness) {
  tinygltf::Material material;
  material.name = name;
  material.pbrMetallicRoughness.baseColorFactor = {color.x(), color.y(), color.z(), 1.0};
  material.pbrMetallicRoughness.metallicFactor = 0.0;
  material.pbrMetallicRoughness.roughnessFactor = roughness;
  model_.materials.push_back(material);
  return static_cast<int>(model_.materials.size()) - 1;
}

int GlbBuilder::add_node(const std::string& name, int parent, const Transform& transform) {
  tinygltf::Node node;
  node.name = name;
  if (!transform.position.isZero())
    node.translation = {transform.position.x(), transform.position.y(), transform.position.z()};
  const Quat q = transform.rotation.normalized();
  if (!q.vec().isZero()) node.rotation = {q.x(), q.y(), q.z(), q.w()};
  const int index = static_cast<int>(model_.nodes.size());
  model_.nodes.push_back(node);
  if (parent < 0) {
    model_.scenes[0].nodes.push_back(index);
  } else {
    model_.nodes[parent].children.push_back(index);
  }
  return index;
}

void GlbBuilder::add_channel(int node, const char* path, int time_accessor, int values) {
  tinygltf::AnimationSampler sampler;
  sampler.input = time_accessor;
  sampler.output = values;
  sampler.interpolation = "LINEAR";
  tinygltf::AnimationChannel channel;
  channel.sampler = static_cast<int>(animation_.samplers.size());
  channel.target_node = node;
  channel.target_path = path;
  animation_.samplers.push_back(sampler);
  animation_.channels.push_back(channel);
}

void GlbBuilder::animate_rotation(int node, int time_accessor, const std::vector<Quat>& rotations) {
  std::vector<float> values;
  values.reserve(4 * rotations.size());
  Quat previous = Quat::Identity();
  for (const Quat& rotation : rotations) {
    // Players that blend component by component need neighbors on the same half sphere.
    Quat q = rotation.normalized();
    if (q.dot(previous) < 0.0) q.coeffs() = -q.coeffs();
    for (int i = 0; i < 4; ++i) values.push_back(static_cast<float>(q.coeffs()[i]));
    previous = q;
  }
  add_channel(node, "rotation", time_accessor, add(values, 4));
}

void GlbBuilder::animate_translation(int node, int time_accessor,
                                     const std::vector<Vec3>& positions) {
  add_channel(node, "translation", time_accessor, add(to_floats(positions), 3));
}

Result<std::string> GlbBuilder::finish(const std::string& animation_name,
                                       const nlohmann::json& extras) {
  animation_.name = animation_name;
  animation_.extras = to_value(extras);
  model_.animations = {animation_};
  std::ostringstream stream;
  tinygltf::TinyGLTF writer;
  try {
    if (!writer.WriteGltfSceneToStream(&model_, stream, /*prettyPrint=*/false,
                                       /*writeBinary=*/true))
      return Error{"the clip cannot be put into a GLB file"};
  } catch (const nlohmann::json::exception&) {
    return Error{"a name in the clip is not UTF-8 text, which a GLB file needs"};
  }
  return std::move(stream).str();
}

std::vector<float> to_floats(const std::vector<Vec3>& vectors) {
  std::vector<float> values;
  values.reserve(3 * vectors.size());
  for (const Vec3& v : vectors)
    for (int i = 0; i < 3; ++i) values.push_back(static_cast<float>(v[i]));
  return values;
}

}  // namespace prehend::io
