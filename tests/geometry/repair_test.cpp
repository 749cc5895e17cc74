#include "prehend/geometry/repair.h"

#include <gtest/gtest.h>

#include <limits>

#include "prehend/geometry/builtin.h"
#include "prehend/geometry/decimate.h"
#include "prehend/geometry/mass_properties.h"
#include "prehend/geometry/mesh_report.h"
#include "prehend/geometry/primitive.h"

namespace prehend::geometry {
namespace {

// Every face with vertices of its own, as STL has them.
TriangleMesh torn(const TriangleMesh& mesh) {
  TriangleMesh result;
  for (const auto& f : mesh.faces) {
    const int first = static_cast<int>(result.vertices.size());
    for (const int v : f) result.vertices.push_back(mesh.vertices[v]);
    result.faces.push_back({first, first + 1, first + 2});
  }
  return result;
}

void add(TriangleMesh& mesh, const TriangleMesh& other, const Vec3& shift) {
  const int first = static_cast<int>(mesh.vertices.size());
  for (const Vec3& v : other.vertices) mesh.vertices.push_back(v + shift);
  for (const auto& f : other.faces) {
    mesh.faces.push_back({f[0] + first, f[1] + first, f[2] + first});
  }
}

TEST(Inspect, FindsNothingWrongWithASoundMesh) {
  const MeshReport report = inspect(sphere_mesh(0.05, 32));
  EXPECT_TRUE(report.closed());
  EXPECT_TRUE(report.warnings.empty());
  EXPECT_EQ(report.parts, 1);
}

TEST(Inspect, SeesThroughRepeatedVertices) {
  const MeshReport report = inspect(torn(box_mesh(Vec3::Constant(0.05))));
  EXPECT_EQ(report.vertices, 36);
  EXPECT_TRUE(report.closed());
  EXPECT_EQ(report.parts, 1);
}

TEST(Inspect, CountsHolesFlipsAndParts) {
  TriangleMesh mesh = subdivide(box_mesh(Vec3::Constant(0.05)), 3);
  mesh.faces.erase(mesh.faces.begin() + 400);
  mesh.faces.erase(mesh.faces.begin() + 10);
  std::swap(mesh.faces[200][0], mesh.faces[200][1]);
  add(mesh, sphere_mesh(0.01, 12), {0.2, 0, 0});
  const MeshReport report = inspect(mesh);
  EXPECT_EQ(report.holes, 2);
  EXPECT_EQ(report.boundary_edges, 6);
  EXPECT_EQ(report.flipped_faces, 1);
  EXPECT_EQ(report.parts, 2);
  EXPECT_EQ(report.warnings.size(), 3u);
}

TEST(Inspect, CountsEdgesOfManyFacesAndFacesWithoutArea) {
  TriangleMesh mesh = box_mesh(Vec3::Constant(0.05));
  mesh.vertices.emplace_back(0.2, 0.2, 0.2);
  mesh.faces.push_back({mesh.faces[0][0], mesh.faces[0][1], 8});
  mesh.vertices.push_back(0.5 * (mesh.vertices[0] + mesh.vertices[7]));
  mesh.faces.push_back({0, 7, 9});
  const MeshReport report = inspect(mesh);
  EXPECT_GE(report.non_manifold_edges, 1);
  EXPECT_EQ(report.degenerate_faces, 1);
}

TEST(Inspect, TellsMillimetersAndInsideOut) {
  TriangleMesh mesh = box_mesh({30, 48.5, 30});
  for (auto& f : mesh.faces) std::swap(f[1], f[2]);
  const MeshReport report = inspect(mesh);
  ASSERT_EQ(report.warnings.size(), 2u);
  EXPECT_EQ(report.warnings[0], "97 m tall; did you mean millimeters?");
  EXPECT_EQ(report.flipped_faces, 12);
  EXPECT_EQ(inspect(box_mesh(Vec3::Constant(1e-4))).warnings.size(), 1u);
}

TEST(Inspect, ReportsInvalidMeshesAsSuch) {
  TriangleMesh mesh = box_mesh(Vec3::Ones());
  mesh.vertices[0].x() = std::numeric_limits<double>::infinity();
  EXPECT_EQ(inspect(mesh).warnings.size(), 1u);
  EXPECT_EQ(inspect({}).warnings.size(), 1u);
}

TEST(Weld, JoinsVerticesWithinATolerance) {
  TriangleMesh mesh = torn(box_mesh(Vec3::Constant(0.05)));
  EXPECT_EQ(weld(mesh).vertices.size(), 8u);
  for (size_t i = 0; i < mesh.vertices.size(); ++i) {
    mesh.vertices[i].x() += 1e-7 * static_cast<double>(i % 3);
  }
  EXPECT_GT(weld(mesh).vertices.size(), 8u);
  EXPECT_EQ(weld(mesh, 1e-6).vertices.size(), 8u);
  EXPECT_EQ(weld(mesh, 1e-6).faces.size(), 12u);
}

TEST(Repair, ClosesTurnsAndWelds) {
  TriangleMesh mesh = subdivide(box_mesh(Vec3::Constant(0.05)), 3);
  // A hole of many faces within one side, others turned over, everything torn apart.
  std::erase_if(mesh.faces, [&](const auto& f) {
    Vec3 center = Vec3::Zero();
    for (const int v : f) center += mesh.vertices[v] / 3.0;
    return center.x() > 0.0499 && std::abs(center.y()) < 0.03 && std::abs(center.z()) < 0.03;
  });
  const size_t left = mesh.faces.size();
  ASSERT_LT(left, 768u);
  for (size_t f = 0; f < left; f += 5) std::swap(mesh.faces[f][0], mesh.faces[f][1]);
  mesh = torn(mesh);
  mesh.faces.push_back(mesh.faces[0]);
  const Repaired repaired = repair(mesh);
  EXPECT_TRUE(repaired.closed);
  EXPECT_EQ(repaired.filled_holes, 1);
  EXPECT_EQ(repaired.dropped_faces, 1);
  EXPECT_NEAR(mass_properties(repaired.mesh).volume, 1e-3, 1e-12);  // the side was flat
  for (const std::string& warning : inspect(repaired.mesh).warnings) ADD_FAILURE() << warning;
}

TEST(Repair, TurnsAnInsideOutMeshAndKeepsACavity) {
  TriangleMesh mesh = sphere_mesh(0.05, 32);
  TriangleMesh cavity = sphere_mesh(0.02, 32);
  for (auto& f : cavity.faces) std::swap(f[0], f[1]);
  const double solid = mass_properties(mesh).volume;
  const double hollow = solid + mass_properties(cavity).volume;
  ASSERT_LT(hollow, solid);
  add(mesh, cavity, Vec3::Zero());
  EXPECT_NEAR(mass_properties(repair(mesh).mesh).volume, hollow, 1e-12);
  TriangleMesh inside_out = sphere_mesh(0.05, 32);
  for (auto& f : inside_out.faces) std::swap(f[0], f[1]);
  EXPECT_NEAR(mass_properties(repair(inside_out).mesh).volume, solid, 1e-12);
}

TEST(Repair, RemovesFinsAndSeparatesTouchingParts) {
  TriangleMesh mesh = box_mesh(Vec3::Constant(0.05));
  // A fin, both sides, standing on an edge.
  mesh.vertices.emplace_back(0.1, 0.1, 0.1);
  mesh.faces.push_back({0, 1, 8});
  mesh.faces.push_back({1, 0, 8});
  // A second box that shares one corner.
  add(mesh, box_mesh(Vec3::Constant(0.02)), Vec3::Constant(0.07));
  const Repaired repaired = repair(mesh);
  EXPECT_TRUE(repaired.closed);
  EXPECT_EQ(inspect(repaired.mesh).parts, 2);
  EXPECT_NEAR(mass_properties(repaired.mesh).volume, 1e-3 + 6.4e-5, 1e-7);
}

TEST(Decimate, KeepsASphereClosedAndRound) {
  const TriangleMesh fine = sphere_mesh(0.05, 128);
  const TriangleMesh coarse = decimate(fine, 2000);
  EXPECT_LE(coarse.faces.size(), 2000u);
  EXPECT_GT(coarse.faces.size(), 1900u);
  EXPECT_TRUE(inspect(coarse).closed());
  EXPECT_EQ(inspect(coarse).flipped_faces, 0);
  EXPECT_NEAR(mass_properties(coarse).volume, mass_properties(fine).volume, 3e-3 * 5.2e-4);
  for (const Vec3& v : coarse.vertices) EXPECT_NEAR(v.norm(), 0.05, 2e-4);
}

TEST(Decimate, KeepsFlatSidesExactly) {
  const TriangleMesh coarse = decimate(subdivide(box_mesh({0.02, 0.03, 0.04}), 5), 12);
  EXPECT_TRUE(inspect(coarse).closed());
  EXPECT_LE(coarse.faces.size(), 60u);
  EXPECT_NEAR(mass_properties(coarse).volume, 8 * 0.02 * 0.03 * 0.04, 1e-9);
}

TEST(Decimate, NeverTearsAMesh) {
  const auto bunny = builtin_object("bunny");
  ASSERT_TRUE(bunny.ok()) << bunny.message();
  for (const int target : {2000, 500, 100, 4}) {
    const TriangleMesh coarse = decimate(*bunny->shape.mesh, target);
    const MeshReport report = inspect(coarse);
    EXPECT_TRUE(report.closed()) << target;
    EXPECT_EQ(report.parts, 1) << target;
    EXPECT_GT(mass_properties(coarse).volume, 0.0) << target;
  }
}

TEST(Subdivide, KeepsTheShape) {
  const TriangleMesh fine = subdivide(box_mesh(Vec3::Constant(0.05)), 3);
  EXPECT_EQ(fine.faces.size(), 12u * 64u);
  EXPECT_TRUE(inspect(fine).closed());
  EXPECT_NEAR(mass_properties(fine).volume, 1e-3, 1e-15);
}

}  // namespace
}  // namespace prehend::geometry
