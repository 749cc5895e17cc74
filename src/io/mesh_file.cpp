#include "prehend/io/mesh_file.h"

#include <fmt/format.h>

#include <assimp/scene.h>
#include <algorithm>
#include <assimp/Importer.hpp>
#include <charconv>
#include <cmath>
#include <cstring>

#include "io/gltf_document.h"
#include "io/isolated.h"
#include "io/mesh_check.h"
#include "io/off_file.h"
#include "prehend/core/atomic_file.h"
#include "prehend/core/text.h"
#include "prehend/geometry/primitive.h"
#include "prehend/geometry/repair.h"

namespace prehend::io {
namespace {

// Formats that were fed thousands of damaged files; assimp knows more, but not safely (a damaged
// Collada file ends the program).
constexpr const char* kEndings[] = {".obj", ".stl",  ".ply", ".off",
                                    ".glb", ".gltf", ".fbx", ".3ds"};

using Affine = Eigen::Affine3d;

void append(TriangleMesh& target, const TriangleMesh& piece, const Affine& place) {
  const int first = static_cast<int>(target.vertices.size());
  for (const Vec3& v : piece.vertices) target.vertices.push_back(place * v);
  // A mirroring transform turns the faces over.
  const bool mirrored = place.linear().determinant() < 0.0;
  for (const auto& f : piece.faces) {
    target.faces.push_back(
        {f[0] + first, f[mirrored ? 2 : 1] + first, f[mirrored ? 1 : 2] + first});
  }
}

Affine to_affine(const aiMatrix4x4& m) {
  Affine place;
  place.matrix() << m.a1, m.a2, m.a3, m.a4, m.b1, m.b2, m.b3, m.b4, m.c1, m.c2, m.c3, m.c4, 0, 0, 0,
      1;
  return place;
}

// A polygon of the file, cut in the plane it lies in by and large.
void append_polygon(const std::vector<int>& corners, TriangleMesh& mesh) {
  if (corners.size() == 3) mesh.faces.push_back({corners[0], corners[1], corners[2]});
  if (corners.size() <= 3) return;
  const Vec3& origin = mesh.vertices[corners[0]];
  Vec3 normal = Vec3::Zero();
  for (size_t i = 1; i + 1 < corners.size(); ++i) {
    normal += (mesh.vertices[corners[i]] - origin).cross(mesh.vertices[corners[i + 1]] - origin);
  }
  if (!(normal.norm() > 0.0)) return;
  const Vec3 across = any_orthogonal(normal.normalized());
  const Vec3 up = normal.normalized().cross(across);
  std::vector<geometry::Point2> flat;
  for (const int c : corners) {
    const Vec3 p = mesh.vertices[c] - origin;
    flat.emplace_back(across.dot(p), up.dot(p));
  }
  for (const auto& [a, b, c] : geometry::triangulate(flat)) {
    mesh.faces.push_back({corners[a], corners[b], corners[c]});
  }
}

Result<TriangleMesh> triangles_of(const aiMesh& source) {
  TriangleMesh mesh;
  for (unsigned i = 0; i < source.mNumVertices; ++i) {
    const aiVector3D& v = source.mVertices[i];
    mesh.vertices.emplace_back(v.x, v.y, v.z);
  }
  std::vector<int> corners;
  for (unsigned i = 0; i < source.mNumFaces; ++i) {
    const aiFace& face = source.mFaces[i];
    if (face.mNumIndices > kMostCorners) {
      return Error{fmt::format("face {} has {} corners; at most {} are read", i, face.mNumIndices,
                               kMostCorners)};
    }
    corners.clear();
    for (unsigned k = 0; k < face.mNumIndices; ++k) {
      if (face.mIndices[k] >= source.mNumVertices) {
        return Error{fmt::format("face {} names vertex {}, but there are {}", i, face.mIndices[k],
                                 source.mNumVertices)};
      }
      corners.push_back(static_cast<int>(face.mIndices[k]));
    }
    append_polygon(corners, mesh);
  }
  return mesh;
}

// All meshes of all nodes, by a stack: files may nest deeper than the program's own stack.
Result<TriangleMesh> merged(const aiScene& scene) {
  TriangleMesh mesh;
  std::vector<std::pair<const aiNode*, Affine>> stack{{scene.mRootNode, Affine::Identity()}};
  while (!stack.empty()) {
    const auto [node, parent] = stack.back();
    stack.pop_back();
    if (!node) continue;
    const Affine place = parent * to_affine(node->mTransformation);
    for (unsigned i = 0; i < node->mNumMeshes; ++i) {
      if (node->mMeshes[i] >= scene.mNumMeshes) return Error{"a node names a missing mesh"};
      const auto piece = triangles_of(*scene.mMeshes[node->mMeshes[i]]);
      if (!piece) return piece.error();
      append(mesh, *piece, place);
    }
    for (unsigned i = 0; i < node->mNumChildren; ++i) stack.emplace_back(node->mChildren[i], place);
  }
  return mesh;
}

Result<TriangleMesh> triangles_of(const Result<PolygonMesh>& source) {
  if (!source) return source.error();
  TriangleMesh mesh;
  mesh.vertices = source->vertices;
  for (const std::vector<int>& polygon : source->polygons) append_polygon(polygon, mesh);
  return mesh;
}

Result<TriangleMesh> parse_by_assimp(std::string_view bytes, const std::string& ending) {
  if (const Status status = check_mesh_bytes(bytes, ending); !status) return status.error();
  try {
    Assimp::Importer importer;
    const std::string shape = ending == ".obj" ? obj_shape(bytes) : std::string();
    if (ending == ".obj") bytes = shape;
    // No post-processing: its assertions end the program on damaged meshes.
    const aiScene* scene =
        importer.ReadFileFromMemory(bytes.data(), bytes.size(), 0, ending.substr(1).c_str());
    if (!scene || !scene->mRootNode) {
      return Error{fmt::format("not a {} file that can be read: {}", ending.substr(1),
                               printable(importer.GetErrorString(), 120))};
    }
    return merged(*scene);
  } catch (const std::exception& problem) {
    return Error{fmt::format("not a {} file that can be read: {}", ending.substr(1),
                             printable(problem.what(), 120))};
  }
}

template <typename Item>
void pack(const std::vector<Item>& items, std::string& out) {
  const std::uint64_t count = items.size();
  out.append(reinterpret_cast<const char*>(&count), sizeof count);
  for (const Item& item : items)
    out.append(reinterpret_cast<const char*>(item.data()), sizeof(typename Item::value_type) * 3);
}

template <typename Item>
bool unpack(std::string_view& bytes, std::vector<Item>& items) {
  constexpr std::size_t kSize = sizeof(typename Item::value_type) * 3;
  std::uint64_t count = 0;
  if (bytes.size() < sizeof count) return false;
  std::memcpy(&count, bytes.data(), sizeof count);
  bytes.remove_prefix(sizeof count);
  if (count > bytes.size() / kSize) return false;
  items.resize(count);
  for (Item& item : items) {
    std::memcpy(item.data(), bytes.data(), kSize);
    bytes.remove_prefix(kSize);
  }
  return true;
}

// assimp ends the program where a damaged FBX or 3DS file breaks one of its assumptions, and these
// formats are too rich to be checked beforehand.
Result<TriangleMesh> parse_isolated(std::string_view bytes, const std::string& ending) {
  constexpr char kMesh = 'm', kMessage = 'e';
  const auto answer = run_isolated([&] {
    const auto mesh = parse_by_assimp(bytes, ending);
    std::string out(1, mesh ? kMesh : kMessage);
    if (!mesh) return out + mesh.message();
    pack(mesh->vertices, out);
    pack(mesh->faces, out);
    return out;
  });
  if (!answer) return answer.error();
  std::string_view rest = *answer;
  if (!rest.starts_with(kMesh))
    return Error{rest.empty() ? "it cannot be read" : std::string(rest.substr(1))};
  rest.remove_prefix(1);
  TriangleMesh mesh;
  if (!unpack(rest, mesh.vertices) || !unpack(rest, mesh.faces)) return Error{"it cannot be read"};
  return mesh;
}

Result<TriangleMesh> merged(const gltf::Document& document) {
  TriangleMesh mesh;
  const int count = static_cast<int>(document.nodes.size());
  for (int i = 0; i < count; ++i) {
    if (document.nodes[i].mesh < 0) continue;
    Affine place = Affine::Identity();
    for (int n = i; n >= 0; n = document.nodes[n].parent) {
      const gltf::Node& node = document.nodes[n];
      place = Eigen::Translation3d(node.translation) * node.rotation * Eigen::Scaling(node.scale) *
              place;
    }
    const auto piece = document.mesh(document.nodes[i].mesh);
    if (!piece) return piece.error();
    append(mesh, piece->triangles, place);
  }
  return mesh;
}

// The last steps of every format.
Result<TriangleMesh> finished(Result<TriangleMesh> mesh, const std::string& name, double scale) {
  if (!mesh) {
    const std::string& message = mesh.message();
    // The glTF reader names the file itself.
    return message.rfind(name, 0) == 0 ? mesh : Error{fmt::format("{}: {}", name, message)};
  }
  for (Vec3& v : mesh->vertices) v *= scale;
  if (const Status status = geometry::validate(*mesh); !status) {
    return Error{fmt::format("{}: {}", name, status.message())};
  }
  TriangleMesh welded = geometry::weld(*mesh);
  if (welded.empty()) return Error{fmt::format("{}: every face is a single point or line", name)};
  return welded;
}

Status check_ending(const std::string& name, const std::string& ending) {
  if (std::find(std::begin(kEndings), std::end(kEndings), ending) != std::end(kEndings)) return {};
  return Error{fmt::format("{}: not a mesh format that is read; there are {}", name,
                           fmt::join(kEndings, ", "))};
}

Status check_scale(const std::string& name, double scale) {
  if (scale > 0.0 && std::isfinite(scale)) return {};
  return Error{fmt::format("{}: {} meters per unit; it must be positive", name, scale)};
}

}  // namespace

Result<double> parse_unit(std::string_view text) {
  constexpr std::pair<std::string_view, double> kUnits[] = {
      {"m", 1.0}, {"dm", 0.1}, {"cm", 0.01}, {"mm", 0.001}, {"in", 0.0254}, {"ft", 0.3048}};
  for (const auto& [name, meters] : kUnits) {
    if (text == name) return meters;
  }
  double meters = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), meters);
  if (error == std::errc() && end == text.data() + text.size() && meters > 0.0 &&
      std::isfinite(meters)) {
    return meters;
  }
  return Error{fmt::format("unit {}: m, dm, cm, mm, in, ft or a positive number of meters expected",
                           printable(text))};
}

Result<TriangleMesh> parse_mesh(std::string_view bytes, const std::string& name,
                                const MeshOptions& options) {
  const std::string ending = file_ending(name);
  if (const Status status = check_ending(name, ending); !status) return status.error();
  if (const Status status = check_scale(name, options.meters_per_unit); !status) {
    return status.error();
  }
  if (ending == ".off") {
    return finished(triangles_of(parse_off(bytes)), name, options.meters_per_unit);
  }
  if (ending == ".fbx" || ending == ".3ds") {
    return finished(parse_isolated(bytes, ending), name, options.meters_per_unit);
  }
  if (ending != ".glb" && ending != ".gltf") {
    return finished(parse_by_assimp(bytes, ending), name, options.meters_per_unit);
  }
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  const auto document = gltf::load_memory({data, bytes.size()}, name);
  if (!document) return document.error();
  return finished(merged(*document), name, options.meters_per_unit);
}

Result<TriangleMesh> read_mesh(const std::string& path, const MeshOptions& options) {
  const std::string ending = file_ending(path);
  if (const Status status = check_ending(path, ending); !status) return status.error();
  if (ending == ".gltf" || ending == ".glb") {  // buffers may lie beside it
    if (const Status status = check_scale(path, options.meters_per_unit); !status) {
      return status.error();
    }
    const auto document = gltf::load(path);
    if (!document) return document.error();
    return finished(merged(*document), path, options.meters_per_unit);
  }
  const auto bytes = read_file(path);
  if (!bytes) return bytes.error();
  return parse_mesh(*bytes, path, options);
}

}  // namespace prehend::io
