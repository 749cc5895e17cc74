// A glTF file as plain checked data: every index in range, every accessor inside its buffer, the
// nodes a forest, all numbers finite. Readers of clips and skins touch no raw memory.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "prehend/core/mesh.h"
#include "prehend/core/result.h"

namespace tinygltf {
class Model;
}

namespace prehend::io::gltf {

struct Node {
  std::string name;
  int parent = -1;
  std::vector<int> children;
  Vec3 translation = Vec3::Zero();
  Quat rotation = Quat::Identity();
  Vec3 scale = Vec3::Ones();
  int mesh = -1;
  int skin = -1;
};

struct Skin {
  std::vector<int> joints;                     // nodes
  std::vector<Eigen::Matrix4d> inverse_binds;  // one a joint
};

// All triangles of a mesh's primitives; joints and weights only where every primitive has them.
struct Mesh {
  std::string name;
  TriangleMesh triangles;
  std::vector<std::array<int, 4>> joints;  // indices into a skin's joints
  std::vector<std::array<double, 4>> weights;
};

enum class Path { kTranslation, kRotation, kScale };
enum class Interpolation { kLinear, kStep, kCubicSpline };

struct Channel {
  int node = -1;
  Path path = Path::kTranslation;
  Interpolation interpolation = Interpolation::kLinear;
  std::vector<double> times;  // increasing
  std::vector<double>
      values;  // 3 or 4 a key; a cubic spline's key has in-tangent, value, out-tangent

  int width() const { return path == Path::kRotation ? 4 : 3; }
};

struct Animation {
  std::string name;
  std::vector<Channel> channels;
  std::string extras;  // JSON text; empty if there is none
};

class Document {
 public:
  std::string source;     // file name, for messages
  std::string generator;  // the program that wrote it, as it says
  std::vector<Node> nodes;
  std::vector<Skin> skins;
  std::vector<Animation> animations;

  int accessor_count() const;
  // Elements of an accessor, `components` numbers each, integers as they are (normalized ones as
  // fractions).
  Result<std::vector<double>> numbers(int accessor, int components) const;
  Result<std::vector<int>> integers(int accessor, int components) const;
  int mesh_count() const;
  Result<Mesh> mesh(int index) const;

 private:
  friend Result<Document> load_memory(std::span<const unsigned char> bytes,
                                      const std::string& source, const std::string& folder);
  std::shared_ptr<const tinygltf::Model> model_;
};

// .glb or .gltf with its buffers.
Result<Document> load(const std::string& path);
// Buffers in files of their own are looked for in `folder`; without one they are refused.
Result<Document> load_memory(std::span<const unsigned char> bytes, const std::string& source,
                             const std::string& folder = "");

}  // namespace prehend::io::gltf
