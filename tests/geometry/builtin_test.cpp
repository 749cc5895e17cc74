#include "prehend/geometry/builtin.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "prehend/geometry/mass_properties.h"
#include "prehend/geometry/mesh_report.h"
#include "prehend/geometry/signed_distance.h"

namespace prehend::geometry {
namespace {

class Builtin : public testing::TestWithParam<std::string> {};

void expect_one_closed_outward_surface(const Object& object) {
  const MeshReport report = inspect(*object.shape.mesh);
  EXPECT_TRUE(report.closed());
  EXPECT_EQ(report.parts, 1);
  EXPECT_EQ(report.flipped_faces, 0);
  EXPECT_EQ(report.degenerate_faces, 0);
  EXPECT_TRUE(report.warnings.empty()) << report.warnings[0];
}

void expect_everyday_size_and_weight(const Object& object) {
  const MeshReport report = inspect(*object.shape.mesh);
  const double largest = (report.upper - report.lower).maxCoeff();
  EXPECT_GT(largest, 0.05);
  EXPECT_LT(largest, 0.35);
  const double density = object.mass / mass_properties(*object.shape.mesh).volume;
  EXPECT_GT(density, 200.0);   // a light bulb
  EXPECT_LT(density, 8000.0);  // a nail
}

void expect_physical_inertia_about_the_origin(const Object& object) {
  EXPECT_EQ(object.center_of_mass, Vec3::Zero());
  if (object.name != "hammer") {  // of two materials
    const MassProperties mesh = mass_properties(*object.shape.mesh);
    EXPECT_LT(mesh.center_of_mass.norm(), 1e-9);
    const double tolerance = object.shape.kind == ShapeKind::kMesh ? 1e-9 : 0.01;
    EXPECT_LT((object.inertia / object.mass - mesh.unit_inertia).norm(),
              tolerance * mesh.unit_inertia.norm());
  }
  const Vec3 moments = Eigen::SelfAdjointEigenSolver<Mat3>(object.inertia).eigenvalues();
  EXPECT_GT(moments[0], 0.0);
  EXPECT_LE(moments[2], moments[0] + moments[1]);  // the triangle inequality of inertias
}

// One test an object: some take a second to make.
TEST_P(Builtin, IsAClosedEverydayThingCentredOnItsMass) {
  const auto object = builtin_object(GetParam());
  ASSERT_TRUE(object.ok()) << object.message();
  expect_one_closed_outward_surface(*object);
  expect_everyday_size_and_weight(*object);
  expect_physical_inertia_about_the_origin(*object);
}

INSTANTIATE_TEST_SUITE_P(All, Builtin, testing::ValuesIn(builtin_names()), [](const auto& test) {
  std::string name = test.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(BuiltinObject, UnknownNamesGetTheList) {
  const auto object = builtin_object("teapot");
  ASSERT_FALSE(object.ok());
  EXPECT_NE(object.message().find("wine-bottle"), std::string::npos);
  EXPECT_EQ(object.message().find('\n'), std::string::npos);
}

TEST(BuiltinObject, MugHasAHoleInItsHandleAndACavity) {
  const auto mug = builtin_object("mug");
  ASSERT_TRUE(mug.ok());
  const auto distance = exact_distance(mug->shape);
  const MeshReport report = inspect(*mug->shape.mesh);
  // From the handle's outermost point inward: through the handle, then through the hole.
  const double middle = 0.5 * (report.lower.y() + report.upper.y());
  const double outer = report.upper.x();
  const auto at = [&](double x, double y) { return distance->sample({x, y, 0.0}).distance; };
  EXPECT_LT(at(outer - 0.0035, middle), -0.002);
  EXPECT_GT(at(outer - 0.02, middle), 0.009);  // a finger of 18 mm passes
  const double axis = 0.5 * (report.lower.z() + report.upper.z());
  EXPECT_NEAR(axis, 0.0, 1e-4);
  const double wall = report.lower.x() + 0.002;
  EXPECT_LT(at(wall, middle), -0.0015);
  EXPECT_GT(at(wall + 0.02, middle), 0.015);  // inside the mug is outside its clay
}

TEST(BuiltinObject, CupAndWineglassAreHollow) {
  for (const char* name : {"cup", "wineglass", "pot"}) {
    const auto object = builtin_object(name);
    ASSERT_TRUE(object.ok());
    const MeshReport report = inspect(*object->shape.mesh);
    const Vec3 mouth(0.0, report.upper.y() - 0.02, 0.0);
    EXPECT_GT(exact_distance(object->shape)->sample(mouth).distance, 0.02) << name;
  }
}

TEST(BuiltinObject, HammerBalancesNearItsHead) {
  const auto hammer = builtin_object("hammer");
  ASSERT_TRUE(hammer.ok());
  const MeshReport report = inspect(*hammer->shape.mesh);
  // Steel against wood: the head's end is nearer to the center of mass than the grip's.
  EXPECT_LT(report.upper.x(), -0.5 * report.lower.x());
}

}  // namespace
}  // namespace prehend::geometry
