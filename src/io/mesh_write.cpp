#include <fmt/format.h>

#include <assimp/scene.h>
#include <assimp/Exporter.hpp>

#include "prehend/core/atomic_file.h"
#include "prehend/core/text.h"
#include "prehend/geometry/repair.h"
#include "prehend/io/mesh_file.h"

namespace prehend::io {
namespace {

// The scene owns what is put into it and frees it with `delete[]`.
std::unique_ptr<aiScene> to_scene(const TriangleMesh& source) {
  auto mesh = std::make_unique<aiMesh>();
  mesh->mPrimitiveTypes = aiPrimitiveType_TRIANGLE;
  mesh->mNumVertices = static_cast<unsigned>(source.vertices.size());
  mesh->mVertices = new aiVector3D[source.vertices.size()];
  for (size_t i = 0; i < source.vertices.size(); ++i) {
    const Eigen::Vector3f v = source.vertices[i].cast<float>();
    mesh->mVertices[i] = {v.x(), v.y(), v.z()};
  }
  mesh->mNumFaces = static_cast<unsigned>(source.faces.size());
  mesh->mFaces = new aiFace[source.faces.size()];
  for (size_t i = 0; i < source.faces.size(); ++i) {
    aiFace& face = mesh->mFaces[i];
    face.mNumIndices = 3;
    face.mIndices = new unsigned[3];
    for (int k = 0; k < 3; ++k) face.mIndices[k] = static_cast<unsigned>(source.faces[i][k]);
  }
  auto scene = std::make_unique<aiScene>();
  scene->mRootNode = new aiNode();
  scene->mRootNode->mNumMeshes = 1;
  scene->mRootNode->mMeshes = new unsigned[1]{0};
  scene->mMaterials = new aiMaterial* [1] { new aiMaterial() };
  scene->mNumMaterials = 1;
  scene->mMeshes = new aiMesh* [1] { mesh.release() };
  scene->mNumMeshes = 1;
  return scene;
}

}  // namespace

Status write_mesh(const TriangleMesh& mesh, const std::string& path) {
  const std::string ending = file_ending(path);
  const char* format = ending == ".obj"   ? "objnomtl"
                       : ending == ".ply" ? "plyb"
                       : ending == ".stl" ? "stlb"
                                          : nullptr;
  if (!format) {
    return Error{
        fmt::format("{}: not a mesh format that is written; there are .obj, .ply, .stl", path)};
  }
  if (const Status status = geometry::validate(mesh); !status) {
    return Error{fmt::format("{}: {}", path, status.message())};
  }
  const auto scene = to_scene(mesh);
  Assimp::Exporter exporter;
  const aiExportDataBlob* blob = exporter.ExportToBlob(scene.get(), format);
  if (!blob) return Error{fmt::format("{}: {}", path, printable(exporter.GetErrorString(), 120))};
  return write_file(path, {static_cast<const char*>(blob->data), blob->size});
}

}  // namespace prehend::io
