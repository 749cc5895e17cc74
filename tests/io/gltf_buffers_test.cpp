// Documents whose buffers lie in files of their own.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "prehend/core/atomic_file.h"
#include "prehend/io/glb.h"
#include "prehend/io/mesh_file.h"

namespace prehend::io {
namespace {

namespace fs = std::filesystem;

class GltfBuffers : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) / fmt::format("gltf_buffers_{}", ::getpid());
    fs::create_directories(folder_ / "scene" / "data");
    // A tetrahedron: four points of three floats, then twelve corners of two bytes.
    const float points[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    const std::uint16_t corners[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    bytes_.assign(reinterpret_cast<const char*>(points), sizeof points);
    bytes_.append(reinterpret_cast<const char*>(corners), sizeof corners);
    put("outside.bin", bytes_);
    put("scene/own.bin", bytes_);
    put("scene/my points.bin", bytes_ + "more than is needed");
    put("scene/data/own.bin", bytes_);
    put("scene/short.bin", bytes_.substr(1));
  }
  void TearDown() override { fs::remove_all(folder_); }

  void put(const std::string& name, const std::string& bytes) const {
    ASSERT_TRUE(write_file((folder_ / name).string(), bytes).ok());
  }

  static std::string document(const std::string& uri) {
    return fmt::format(
        R"({{"asset": {{"version": "2.0"}}, "nodes": [{{"mesh": 0, "name": "thing"}}],
"meshes": [{{"primitives": [{{"attributes": {{"POSITION": 0}}, "indices": 1}}]}}],
"accessors": [{{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"}},
{{"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"}}],
"bufferViews": [{{"buffer": 0, "byteLength": 48}},
{{"buffer": 0, "byteOffset": 48, "byteLength": 24}}],
"buffers": [{{"byteLength": 72, "uri": "{}"}}]}})",
        uri);
  }

  Result<TriangleMesh> read(const std::string& uri) const {
    put("scene/a.gltf", document(uri));
    return read_mesh((folder_ / "scene/a.gltf").string());
  }

  fs::path folder_;
  std::string bytes_;
};

TEST_F(GltfBuffers, BesideTheFileAreRead) {
  for (const char* uri :
       {"own.bin", "./own.bin", "my%20points.bin", "data/own.bin", "data//own.bin", "%6fwn.bin"}) {
    const auto mesh = read(uri);
    ASSERT_TRUE(mesh.ok()) << uri << ": " << mesh.message();
    EXPECT_EQ(mesh->vertices.size(), 4u);
    EXPECT_EQ(mesh->faces.size(), 4u);
    const auto clip = read_glb((folder_ / "scene/a.gltf").string());
    ASSERT_TRUE(clip.ok()) << clip.message();
    EXPECT_EQ(clip->objects.size(), 1u);
  }
}

TEST_F(GltfBuffers, ABareNameIsReadFromTheFolderOneIsIn) {
  put("scene/a.gltf", document("own.bin"));
  const fs::path before = fs::current_path();
  fs::current_path(folder_ / "scene");
  const bool ok = read_mesh("a.gltf").ok() && read_glb("a.gltf").ok();
  fs::current_path(before);
  EXPECT_TRUE(ok);
}

TEST_F(GltfBuffers, ElsewhereAreRefusedInOneLine) {
  fs::create_symlink("../outside.bin", folder_ / "scene/link.bin");
  fs::create_directory_symlink("..", folder_ / "scene/up");
  ASSERT_EQ(::mkfifo((folder_ / "scene/pipe.bin").c_str(), 0600), 0);
  const std::string outside = (folder_ / "outside.bin").string();
  const std::pair<std::string, const char*> cases[] = {
      {"../outside.bin", "beside"},
      {"data/../../outside.bin", "beside"},
      {"%2e%2e/outside.bin", "beside"},
      {"..%2foutside.bin", "beside"},
      {outside, "beside"},
      {"%2F" + outside.substr(1), "beside"},
      {"file://" + outside, "beside"},
      {"http://localhost/own.bin", "beside"},
      {"link.bin", "link"},
      {"up/outside.bin", "missing"},
      {"pipe.bin", "plain file"},
      {"data", "plain file"},
      {"none.bin", "missing"},
      {"own.bin/x", "missing"},
      {"short.bin", "fewer"},
      {"own%2", "hexadecimal"},
      {"own%zz.bin", "hexadecimal"},
      {"own.bin%00.png", "name"},
      {"", "name"},
      {"./", "name"},
  };
  for (const auto& [uri, says] : cases) {
    const auto mesh = read(uri);
    ASSERT_FALSE(mesh.ok()) << uri;
    EXPECT_NE(mesh.message().find(says), std::string::npos) << uri << ": " << mesh.message();
    EXPECT_EQ(mesh.message().find('\n'), std::string::npos) << uri;
  }
}

TEST_F(GltfBuffers, OfADocumentWithoutAFolderAreRefused) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_ / "scene");
  const auto mesh = parse_mesh(document("own.bin"), "a.gltf");
  const auto clip = decode_glb(document("own.bin"), "a.gltf");
  fs::current_path(before);
  EXPECT_FALSE(mesh.ok());
  EXPECT_FALSE(clip.ok());
}

}  // namespace
}  // namespace prehend::io
