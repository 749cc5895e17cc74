// A GLB under construction: accessors appended to one buffer, nodes and animation channels.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tiny_gltf.h>
#include <nlohmann/json_fwd.hpp>

#include "prehend/core/math.h"
#include "prehend/core/result.h"

namespace prehend::io {

// What an accessor's bytes are for: vertex data says so to the graphics card.
enum class AccessorUse { kData, kVertices, kIndices };

class GlbBuilder {
 public:
  GlbBuilder();

  // `values` in elements of `components`; bounds are required of positions and times. Returns the
  // accessor's index. Empty accessors do not exist in glTF.
  int add(const std::vector<float>& values, int components, AccessorUse use = AccessorUse::kData,
          bool bounds = false);
  int add(const std::vector<std::uint8_t>& values, int components, AccessorUse use);
  int add(const std::vector<std::int16_t>& values, int components);
  int add(const std::vector<std::uint32_t>& values, AccessorUse use = AccessorUse::kData);

  int add_material(const std::string& name, const Vec3& color, double roughness);
  // Returns the node's index; parent -1 puts it under the scene.
  int add_node(const std::string& name, int parent, const Transform& transform);
  // One value a frame at the times of `time_accessor`.
  void animate_rotation(int node, int time_accessor, const std::vector<Quat>& rotations);
  void animate_translation(int node, int time_accessor, const std::vector<Vec3>& positions);

  tinygltf::Model& model() { return model_; }
  // The file's bytes, `extras` under the one animation.
  Result<std::string> finish(const std::string& animation_name, const nlohmann::json& extras);

 private:
  int append(const void* bytes, std::size_t size, int component_type, std::size_t count,
             int components, AccessorUse use);
  void add_channel(int node, const char* path, int time_accessor, int values);

  tinygltf::Model model_;
  tinygltf::Animation animation_;
};

std::vector<float> to_floats(const std::vector<Vec3>& vectors);

}  // namespace prehend::io
