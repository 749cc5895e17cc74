#include "prehend/io/mesh_file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <assimp/Exporter.hpp>
#include <assimp/Importer.hpp>
#include <filesystem>
#include <fstream>

#include "prehend/core/atomic_file.h"
#include "prehend/core/text.h"
#include "prehend/geometry/builtin.h"
#include "prehend/geometry/mass_properties.h"
#include "prehend/geometry/mesh_report.h"
#include "prehend/geometry/primitive.h"
#include "tests/io/mutate.h"
#include "tests/recordings.h"

namespace prehend::io {
namespace {

std::string as_obj(const TriangleMesh& mesh) {
  std::string text = "# a comment\nmtllib none.mtl\no thing\n";
  for (const Vec3& v : mesh.vertices) text += fmt::format("v {} {} {}\n", v.x(), v.y(), v.z());
  for (const auto& f : mesh.faces)
    text += fmt::format("f {} {} {}\n", f[0] + 1, f[1] + 1, f[2] + 1);
  return text;
}

std::string as_ply(const TriangleMesh& mesh) {
  std::string text = fmt::format(
      "ply\nformat ascii 1.0\nelement vertex {}\nproperty float x\nproperty float y\n"
      "property float z\nelement face {}\nproperty list uchar int vertex_indices\nend_header\n",
      mesh.vertices.size(), mesh.faces.size());
  for (const Vec3& v : mesh.vertices) text += fmt::format("{} {} {}\n", v.x(), v.y(), v.z());
  for (const auto& f : mesh.faces) text += fmt::format("3 {} {} {}\n", f[0], f[1], f[2]);
  return text;
}

std::string as_stl(const TriangleMesh& mesh) {
  std::string text = "solid thing\n";
  for (const auto& f : mesh.faces) {
    text += "facet normal 0 0 0\nouter loop\n";
    for (const int v : f) {
      const Vec3& p = mesh.vertices[v];
      text += fmt::format("vertex {} {} {}\n", p.x(), p.y(), p.z());
    }
    text += "endloop\nendfacet\n";
  }
  return text + "endsolid thing\n";
}

std::string as_off(const TriangleMesh& mesh) {
  std::string text = fmt::format("OFF\n{} {} 0\n", mesh.vertices.size(), mesh.faces.size());
  for (const Vec3& v : mesh.vertices) text += fmt::format("{} {} {}\n", v.x(), v.y(), v.z());
  for (const auto& f : mesh.faces) text += fmt::format("3 {} {} {}\n", f[0], f[1], f[2]);
  return text;
}

std::string temporary(const std::string& name) {
  const auto folder = std::filesystem::path(::testing::TempDir()) / "prehend_mesh_file";
  std::filesystem::create_directories(folder);
  return (folder / name).string();
}

std::string written(const TriangleMesh& mesh, const std::string& name) {
  const std::string path = temporary(name);
  EXPECT_TRUE(write_mesh(mesh, path).ok());
  return path;
}

TEST(MeshFile, TextFormatsGiveTheSameMesh) {
  const TriangleMesh box = geometry::box_mesh({0.25, 0.5, 1.0});
  const std::pair<std::string, std::string> files[] = {{"a.obj", as_obj(box)},
                                                       {"a.ply", as_ply(box)},
                                                       {"a.stl", as_stl(box)},
                                                       {"a.off", as_off(box)}};
  for (const auto& [name, text] : files) {
    const auto mesh = parse_mesh(text, name);
    ASSERT_TRUE(mesh.ok()) << name << ": " << mesh.message();
    EXPECT_EQ(mesh->vertices.size(), 8u) << name;  // STL's copies welded
    EXPECT_EQ(mesh->faces.size(), 12u) << name;
    EXPECT_NEAR(geometry::mass_properties(*mesh).volume, 1.0, 1e-6) << name;
  }
}

TEST(MeshFile, AnObjThatNamesMissingTextureCoordinatesIsRead) {
  const auto mesh = parse_mesh(
      "mtllib none.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvn 0 0 1\nusemtl none\n"
      "f 1/1/1 3/3/1 2/2/1\nf 1/7/1 2/8/1 4/9/1\nf 1//1 4//1 3//1\nf 2/1 3/2 4/3\n",
      "a.obj");
  ASSERT_TRUE(mesh.ok()) << mesh.message();
  EXPECT_EQ(mesh->faces.size(), 4u);
  EXPECT_NEAR(geometry::mass_properties(*mesh).volume, 1.0 / 6.0, 1e-6);
}

TEST(MeshFile, WritesWhatItReads) {
  const auto mug = geometry::builtin_object("cup");
  ASSERT_TRUE(mug.ok());
  const double volume = geometry::mass_properties(*mug->shape.mesh).volume;
  for (const char* name : {"cup.obj", "cup.ply", "cup.stl"}) {
    const auto mesh = read_mesh(written(*mug->shape.mesh, name));
    ASSERT_TRUE(mesh.ok()) << mesh.message();
    EXPECT_EQ(mesh->faces.size(), mug->shape.mesh->faces.size()) << name;
    EXPECT_TRUE(geometry::inspect(*mesh).closed()) << name;
    EXPECT_NEAR(geometry::mass_properties(*mesh).volume, volume, 1e-4 * volume) << name;
  }
  EXPECT_FALSE(write_mesh(*mug->shape.mesh, temporary("cup.doc")).ok());
  EXPECT_FALSE(write_mesh(*mug->shape.mesh, "no/such/folder/cup.ply").ok());
}

TEST(MeshFile, PolygonsAreCutAndUnitsApplied) {
  const auto mesh =
      parse_mesh("v 0 0 0\nv 100 0 0\nv 100 100 0\nv 0 100 0\nf 1 2 3 4\n", "sheet.obj", {0.001});
  ASSERT_TRUE(mesh.ok()) << mesh.message();
  EXPECT_EQ(mesh->faces.size(), 2u);
  EXPECT_NEAR((mesh->vertices[0] - mesh->vertices[2]).norm(), std::sqrt(0.02), 1e-7);
  EXPECT_DOUBLE_EQ(*parse_unit("mm"), 0.001);
  EXPECT_DOUBLE_EQ(*parse_unit("0.0254"), 0.0254);
  for (const char* bad : {"", "furlong", "-1", "nan", "1 m", "0"})
    EXPECT_FALSE(parse_unit(bad).ok());
}

struct BadFile {
  const char* name;
  std::string bytes;
  const char* says;
};

TEST(MeshFile, BadFilesGetOneLineThatSaysWhy) {
  const TriangleMesh box = geometry::box_mesh(Vec3::Ones());
  const std::string ply = as_ply(box), stl = as_stl(box);
  std::string nan = ply, many = ply;
  nan.replace(nan.find("-1"), 2, "nan");
  many.replace(many.find("vertex 8"), 8, "vertex 4000000000");
  const BadFile cases[] = {
      {"a.obj", "", "empty"},
      {"a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4000000000\n", "4000000000"},
      {"a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 x\n", "line 4"},
      {"a.obj", "hello\n", "no vertices"},
      {"a.ply", ply.substr(0, ply.find("end_header")), "end_header"},
      {"a.ply", many, "count"},
      {"a.ply", nan, "not a number"},
      {"a.ply", stl, "first line"},
      {"a.stl", ply, "promises"},
      {"a.stl", "solid x\nendsolid x\n", "facets"},
      {"a.stl", stl.substr(0, stl.size() / 2), "cut short"},
      {"a.off", "OFF\n1000000 1000000 0\n0 0 0\n", "cut short"},
      {"a.glb", "glTF", "a.glb"},
      {"a.doc", "x", "format"},
  };
  for (const BadFile& bad : cases) {
    const auto mesh = parse_mesh(bad.bytes, bad.name);
    ASSERT_FALSE(mesh.ok()) << bad.name << " " << bad.says;
    EXPECT_NE(mesh.message().find(bad.says), std::string::npos) << mesh.message();
    EXPECT_EQ(mesh.message().find('\n'), std::string::npos);
    EXPECT_EQ(mesh.message().rfind(bad.name, 0), 0u) << mesh.message();
  }
  EXPECT_FALSE(read_mesh("no/such/file.stl").ok());
  EXPECT_FALSE(read_mesh(".").ok());
}

// By assimp's own writers, for the formats that have no other here.
std::string exported(const TriangleMesh& mesh, const char* format) {
  Assimp::Importer importer;
  const aiScene* scene = importer.ReadFile(written(mesh, "source.ply"), 0);
  Assimp::Exporter exporter;
  const aiExportDataBlob* blob = exporter.ExportToBlob(scene, format);
  return blob ? std::string(static_cast<const char*>(blob->data), blob->size) : "";
}

class DamagedMesh : public ::testing::TestWithParam<const char*> {};

TEST_P(DamagedMesh, IsAnsweredWithAMeshOrOneLine) {
  const std::string name = GetParam();
  const TriangleMesh mesh = geometry::sphere_mesh(0.05, 8);
  const std::string ending = file_ending(name);
  std::string good;
  if (name.rfind("text", 0) == 0) {
    good = ending == ".obj"   ? as_obj(mesh)
           : ending == ".ply" ? as_ply(mesh)
           : ending == ".stl" ? as_stl(mesh)
                              : as_off(mesh);
  } else if (ending == ".fbx" || ending == ".3ds") {
    good = exported(mesh, ending == ".fbx" ? "fbxa" : "3ds");
  } else {
    const auto bytes = read_file(written(mesh, name));
    ASSERT_TRUE(bytes.ok());
    good = *bytes;
  }
  ASSERT_TRUE(parse_mesh(good, name).ok());
  const double refused = testing::expect_value_or_one_line(
      good, [&](const std::string& b) { return parse_mesh(b, name); });
  EXPECT_GT(refused, 0.15);
}
INSTANTIATE_TEST_SUITE_P(All, DamagedMesh,
                         ::testing::Values("text.obj", "text.ply", "text.stl", "text.off",
                                           "binary.ply", "binary.stl", "export.fbx", "binary.3ds"));

TEST(LoadObject, TakesBuiltInNamesAndOptions) {
  const auto mug = load_object("cup", {.mass = 0.5, .friction = 0.9});
  ASSERT_TRUE(mug.ok()) << mug.message();
  EXPECT_EQ(mug->object.mass, 0.5);
  EXPECT_EQ(mug->object.friction, 0.9);
  const auto own = geometry::builtin_object("cup");
  EXPECT_LT((mug->object.inertia / 0.5 - own->inertia / own->mass).norm(), 1e-12);
  EXPECT_FALSE(load_object("cup", {.mass = -1.0}).ok());
}

TEST(LoadObject, SuggestsNamesForUnknownOnes) {
  EXPECT_NE(load_object("hamer").message().find("did you mean hammer?"), std::string::npos);
  EXPECT_NE(load_object("bottel").message().find("bottle"), std::string::npos);
  EXPECT_NE(load_object("zzzzzz").message().find("built in are sphere, box"), std::string::npos);
}

TEST(LoadObject, WeighsAFileByItsVolume) {
  const std::string path = written(geometry::box_mesh({0.05, 0.05, 0.05}), "box.stl");
  const auto box = load_object(path);
  ASSERT_TRUE(box.ok()) << box.message();
  EXPECT_TRUE(box->warnings.empty()) << box->warnings[0];
  EXPECT_EQ(box->object.name, "box");
  EXPECT_NEAR(box->object.mass, 1.0, 1e-5);
  EXPECT_NEAR(load_object(path, {.density = 500.0})->object.mass, 0.5, 1e-5);
}

TEST(LoadObject, WarnsOfMillimetersAndInsideOutMeshes) {
  TriangleMesh mesh = geometry::box_mesh({40, 48.5, 40});
  for (auto& f : mesh.faces) std::swap(f[0], f[1]);
  const auto loaded = load_object(written(mesh, "mug.ply"));
  ASSERT_TRUE(loaded.ok()) << loaded.message();
  ASSERT_EQ(loaded->warnings.size(), 2u);
  EXPECT_EQ(loaded->warnings[0], "mug.ply: 97 m tall; did you mean millimeters?");
  EXPECT_NE(loaded->warnings[1].find("inside out"), std::string::npos);
  EXPECT_GT(geometry::mass_properties(*loaded->object.shape.mesh).volume, 0.0);
}

TEST(LoadObject, RefusesZeroVolume) {
  TriangleMesh sheet;
  sheet.vertices = {{0, 0, 0}, {0.1, 0, 0}, {0, 0.1, 0}};
  sheet.faces = {{0, 1, 2}};
  const auto loaded = load_object(written(sheet, "sheet.obj"));
  ASSERT_FALSE(loaded.ok());
  EXPECT_NE(loaded.message().find("no volume"), std::string::npos) << loaded.message();
}

TEST(LoadObject, AcceptsOpenMeshesWithAWarning) {
  // A box whose bottom is missing: the shell stays open, the mass is that of the box.
  TriangleMesh mesh = geometry::box_mesh({0.05, 0.05, 0.05});
  mesh.faces.erase(mesh.faces.begin() + 4, mesh.faces.begin() + 6);
  const auto loaded = load_object(written(mesh, "open.ply"));
  ASSERT_TRUE(loaded.ok()) << loaded.message();
  EXPECT_EQ(loaded->warnings.size(), 2u);
  EXPECT_NE(loaded->warnings[0].find("open: 1 hole"), std::string::npos);
  EXPECT_NEAR(loaded->object.mass, 1.0, 1e-5);
  EXPECT_EQ(loaded->object.shape.mesh->faces.size(), 10u);
}

TEST(LoadObject, ReadsTheRecordedObjects) {
  const std::string folder = recording("object_sim").string();
  PREHEND_SKIP_WITHOUT(folder);
  int read = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".stl") continue;
    const auto loaded = load_object(entry.path().string());
    ASSERT_TRUE(loaded.ok()) << loaded.message();
    ++read;
    if (entry.path().stem() == "bowl") {
      EXPECT_FALSE(loaded->warnings.empty());
    }
  }
  EXPECT_GE(read, 20);
}

}  // namespace
}  // namespace prehend::io
