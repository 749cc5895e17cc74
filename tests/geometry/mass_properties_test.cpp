#include "prehend/geometry/mass_properties.h"

#include <gtest/gtest.h>

#include <limits>

#include "prehend/geometry/decimate.h"
#include "prehend/geometry/primitive.h"

namespace prehend::geometry {
namespace {

TEST(MassProperties, OfABoxAreClosedForm) {
  TriangleMesh mesh = box_mesh({0.1, 0.2, 0.3});
  const Vec3 shift(5.0, -7.0, 11.0);
  for (Vec3& v : mesh.vertices) v += shift;
  const MassProperties m = mass_properties(mesh);
  EXPECT_NEAR(m.volume, 8 * 0.1 * 0.2 * 0.3, 1e-14);
  EXPECT_LT((m.center_of_mass - shift).norm(), 1e-13);
  const Mat3 expected = Vec3((0.04 + 0.09) / 3, (0.01 + 0.09) / 3, (0.01 + 0.04) / 3).asDiagonal();
  EXPECT_LT((m.unit_inertia - expected).norm(), 1e-13);
}

TEST(MassProperties, OfATetrahedronAreClosedForm) {
  TriangleMesh mesh;
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  mesh.faces = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  const MassProperties m = mass_properties(mesh);
  EXPECT_NEAR(m.volume, 1.0 / 6.0, 1e-15);
  EXPECT_LT((m.center_of_mass - Vec3::Constant(0.25)).norm(), 1e-15);
  // Second moments about the corner: 1/10 on the diagonal, 1/20 off it.
  const double xx = 0.1 - 1.0 / 16, xy = 0.05 - 1.0 / 16;
  EXPECT_NEAR(m.unit_inertia(0, 0), 2 * xx, 1e-15);
  EXPECT_NEAR(m.unit_inertia(0, 1), -xy, 1e-15);
}

TEST(MassProperties, TurnWithTheMesh) {
  TriangleMesh mesh = subdivide(box_mesh({0.01, 0.05, 0.02}), 2);
  const Mat3 before = mass_properties(mesh).unit_inertia;
  const Mat3 turn = exp_map({0.3, -1.1, 0.7}).toRotationMatrix();
  for (Vec3& v : mesh.vertices) v = turn * v + Vec3(0.3, 0.1, -0.2);
  const Mat3 after = mass_properties(mesh).unit_inertia;
  EXPECT_LT((after - turn * before * turn.transpose()).norm(), 1e-14);
}

struct PrimitiveCase {
  ShapeKind kind;
  Vec3 size;
};
class PrimitiveInertia : public testing::TestWithParam<PrimitiveCase> {};

// The closed form and the sum over a fine mesh that is inscribed: two independent routes.
TEST_P(PrimitiveInertia, AgreesWithItsMesh) {
  const auto object = object_from_primitive("p", GetParam().kind, GetParam().size, 2.0);
  ASSERT_TRUE(object.ok());
  const TriangleMesh fine = GetParam().kind == ShapeKind::kSphere ? sphere_mesh(0.03, 512)
                            : GetParam().kind == ShapeKind::kBox  ? box_mesh(GetParam().size)
                            : GetParam().kind == ShapeKind::kCylinder
                                ? cylinder_mesh(0.03, 0.05, 512)
                                : capsule_mesh(0.03, 0.05, 512);
  const MassProperties m = mass_properties(fine);
  EXPECT_LT((object->inertia / 2.0 - m.unit_inertia).norm(), 3e-4 * m.unit_inertia.norm());
  EXPECT_LT(m.center_of_mass.norm(), 1e-12);
}
INSTANTIATE_TEST_SUITE_P(All, PrimitiveInertia,
                         testing::Values(PrimitiveCase{ShapeKind::kSphere, {0.03, 0, 0}},
                                         PrimitiveCase{ShapeKind::kBox, {0.01, 0.02, 0.03}},
                                         PrimitiveCase{ShapeKind::kCylinder, {0.03, 0.05, 0}},
                                         PrimitiveCase{ShapeKind::kCapsule, {0.03, 0.05, 0}}));

TEST(ObjectFromMesh, RefusesWhatEnclosesNothing) {
  TriangleMesh sheet;
  sheet.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  sheet.faces = {{0, 1, 2}};
  EXPECT_NE(object_from_mesh("sheet", sheet, 1.0).message().find("no volume"), std::string::npos);
  TriangleMesh inside_out = box_mesh(Vec3::Ones());
  for (auto& f : inside_out.faces) std::swap(f[0], f[1]);
  EXPECT_FALSE(object_from_mesh("box", inside_out, 1.0).ok());
  EXPECT_FALSE(object_from_mesh("empty", {}, 1.0).ok());
}

TEST(ObjectFromMesh, RefusesBadNumbers) {
  TriangleMesh mesh = box_mesh(Vec3::Ones());
  EXPECT_FALSE(object_from_mesh("box", mesh, 0.0).ok());
  EXPECT_FALSE(object_from_mesh("box", mesh, std::numeric_limits<double>::quiet_NaN()).ok());
  mesh.faces[3][1] = 8;
  EXPECT_NE(object_from_mesh("box", mesh, 1.0).message().find("names vertex 8"), std::string::npos);
  mesh = box_mesh(Vec3::Ones());
  mesh.vertices[2].y() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(object_from_mesh("box", mesh, 1.0).message().find("vertex 2"), std::string::npos);
}

TEST(ObjectFromPrimitive, RefusesSizesThatAreNotPositive) {
  EXPECT_FALSE(object_from_primitive("s", ShapeKind::kSphere, Vec3::Zero(), 1.0).ok());
  EXPECT_FALSE(object_from_primitive("b", ShapeKind::kBox, {1, -1, 1}, 1.0).ok());
  EXPECT_FALSE(object_from_primitive("c", ShapeKind::kCylinder, {1, 1, 0}, -1.0).ok());
}

}  // namespace
}  // namespace prehend::geometry
