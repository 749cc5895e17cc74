#include <gtest/gtest.h>

#include <limits>
#include <thread>

#include "geometry/winding_number.h"
#include "prehend/geometry/builtin.h"
#include "prehend/geometry/decimate.h"
#include "prehend/geometry/primitive.h"
#include "prehend/geometry/signed_distance.h"
#include "tests/geometry/test_points.h"

namespace prehend::geometry {
namespace {

Shape mesh_shape(TriangleMesh mesh) {
  Shape shape;
  shape.mesh = std::make_shared<const TriangleMesh>(std::move(mesh));
  return shape;
}

Shape primitive(ShapeKind kind, const Vec3& size) {
  return object_from_primitive("p", kind, size, 1.0)->shape;
}

TEST(ExactDistance, ToABoxIsClosedForm) {
  const auto box = exact_distance(primitive(ShapeKind::kBox, {0.1, 0.2, 0.3}));
  EXPECT_NEAR(box->sample({0.15, 0, 0}).distance, 0.05, 1e-15);
  EXPECT_NEAR(box->sample({0.13, 0.24, 0}).distance, 0.05, 1e-15);
  EXPECT_NEAR(box->sample({0.05, 0.19, 0.1}).distance, -0.01, 1e-15);
  EXPECT_EQ(box->sample({0.05, 0.19, 0.1}).gradient, Vec3::UnitY());
  EXPECT_EQ(box->sample({-0.09, 0.1, 0.1}).gradient, -Vec3::UnitX());
}

TEST(ExactDistance, ToACylinderAndACapsuleIsClosedForm) {
  const auto cylinder = exact_distance(primitive(ShapeKind::kCylinder, {0.03, 0.1, 0}));
  EXPECT_NEAR(cylinder->sample({0.06, 0.14, 0}).distance, 0.05, 1e-15);
  EXPECT_NEAR(cylinder->sample({0.0, 0.0, 0.02}).distance, -0.01, 1e-15);
  EXPECT_NEAR(cylinder->sample({0.0, -0.095, 0.0}).distance, -0.005, 1e-15);
  EXPECT_EQ(cylinder->sample({0.0, -0.095, 0.0}).gradient, -Vec3::UnitY());
  const auto capsule = exact_distance(primitive(ShapeKind::kCapsule, {0.03, 0.1, 0}));
  EXPECT_NEAR(capsule->sample({0.03, 0.14, 0}).distance, 0.02, 1e-15);
  EXPECT_NEAR(capsule->sample({0.0, 0.05, 0.01}).distance, -0.02, 1e-15);
}

class Primitives : public ::testing::TestWithParam<std::string> {};

TEST_P(Primitives, GradientsMatchFiniteDifferences) {
  const auto distance = exact_distance(builtin_object(GetParam())->shape);
  constexpr double kStep = 1e-6, kTolerance = 1e-6;
  int checked = 0;
  for (const Vec3& p : testing::points_in_box(0.12, 2000)) {
    const DistanceSample s = distance->sample(p);
    EXPECT_NEAR(s.gradient.norm(), 1.0, 1e-12);
    Vec3 slope;
    bool smooth = true;
    for (int k = 0; k < 3; ++k) {
      const DistanceSample a = distance->sample(p - kStep * Vec3::Unit(k));
      const DistanceSample b = distance->sample(p + kStep * Vec3::Unit(k));
      slope[k] = (b.distance - a.distance) / (2 * kStep);
      smooth = smooth && (a.gradient - b.gradient).norm() < 1e-2;  // not across a ridge
    }
    if (!smooth) continue;
    ++checked;
    EXPECT_LT((slope - s.gradient).norm(), kTolerance);
  }
  EXPECT_GT(checked, 1900);
}

// Stepping back along the gradient lands on the surface: two uses of one sample agree.
TEST_P(Primitives, ClosestPointsLieOnTheSurface) {
  const auto distance = exact_distance(builtin_object(GetParam())->shape);
  for (const Vec3& p : testing::points_in_box(0.12, 2000)) {
    const ClosestPoint c = distance->closest(p);
    EXPECT_NEAR(distance->sample(c.point).distance, 0.0, 1e-12);
    EXPECT_NEAR((p - c.point).norm(), std::abs(c.distance), 1e-12);
  }
}
INSTANTIATE_TEST_SUITE_P(All, Primitives,
                         ::testing::Values("sphere", "box", "cylinder", "capsule"));

// The mesh through Embree and the closed form are independent; a box's mesh is exact.
TEST(ExactDistance, MeshOfABoxAgreesWithTheBox) {
  const Vec3 half(0.03, 0.04, 0.05);
  const auto closed_form = exact_distance(primitive(ShapeKind::kBox, half));
  const auto mesh = exact_distance(mesh_shape(subdivide(box_mesh(half), 4)));
  for (const Vec3& p : testing::points_in_box(0.1, 5000)) {
    const DistanceSample a = closed_form->sample(p), b = mesh->sample(p);
    EXPECT_NEAR(a.distance, b.distance, 1e-14);
  }
}

TEST(ExactDistance, HoldsFarFromTheOriginAndFarFromTheMesh) {
  TriangleMesh mesh = box_mesh(Vec3::Constant(0.05));
  const Vec3 shift(1000.0, -2000.0, 500.0);
  for (Vec3& v : mesh.vertices) v += shift;
  const auto distance = exact_distance(mesh_shape(mesh));
  EXPECT_NEAR(distance->sample(shift + Vec3(0.06, 0, 0)).distance, 0.01, 1e-12);
  EXPECT_NEAR(distance->sample(shift + Vec3(0.04, 0.01, 0)).distance, -0.01, 1e-12);
  EXPECT_NEAR(distance->sample(shift + Vec3(0, 300, 0)).distance, 299.95, 1e-9);
}

TEST(ExactDistance, AnswersOnTheSurfaceWithTheFacesNormal) {
  const auto distance = exact_distance(mesh_shape(box_mesh(Vec3::Constant(0.05))));
  const ClosestPoint c = distance->closest({0.05, 0.01, 0.02});
  EXPECT_NEAR(c.distance, 0.0, 1e-16);
  EXPECT_EQ(c.normal, Vec3::UnitX());
  EXPECT_TRUE(c.face == 2 || c.face == 3);
}

TEST(ExactDistance, IsNotANumberForPointsThatAreNot) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Shape& shape :
       {primitive(ShapeKind::kSphere, {0.1, 0, 0}), mesh_shape(box_mesh(Vec3::Ones()))}) {
    EXPECT_TRUE(std::isnan(exact_distance(shape)->sample({nan, 0, 0}).distance));
  }
}

TEST(ExactDistance, SampleBesideIsTheSameAnswer) {
  const auto bunny = builtin_object("bunny");
  ASSERT_TRUE(bunny.ok()) << bunny.message();
  const auto distance = exact_distance(bunny->shape);
  std::mt19937 random(3);
  for (const Vec3& p : testing::points_near(*bunny->shape.mesh, 0.01, 2000)) {
    const Vec3 q = p + 0.002 * testing::random_direction(random);
    const DistanceSample direct = distance->sample(q);
    const DistanceSample beside = distance->sample_beside(q, p, distance->sample(p));
    EXPECT_EQ(direct.distance, beside.distance);
    EXPECT_EQ(direct.gradient, beside.gradient);
  }
}

// Every node asked on its own against nodes that hand their side on, in cubes whose middles lie
// near the surface: walls thinner than the spacing, holes, parts that cross.
void expect_cubes_agree(const Shape& shape, double spacing) {
  const auto distance = exact_distance(shape);
  constexpr int kSide = 9;
  std::vector<DistanceSample> samples(kSide * kSide * kSide);
  for (const Vec3& p : testing::points_near(*shape.mesh, 0.005, 12)) {
    const NodeCube nodes{p - Vec3::Constant(spacing * kSide / 2.0), spacing, Vec3::Zero(), kSide};
    distance->sample_cube(nodes, samples);
    int node = 0;
    for (int z = 0; z < kSide; ++z) {
      for (int y = 0; y < kSide; ++y) {
        for (int x = 0; x < kSide; ++x, ++node) {
          const DistanceSample alone = distance->sample(nodes.point(x, y, z));
          ASSERT_EQ(alone.distance, samples[node].distance);
          ASSERT_EQ(alone.gradient, samples[node].gradient);
        }
      }
    }
  }
}

TEST(ExactDistance, SampleCubeIsTheSameAnswer) {
  for (const char* name : {"mug", "wineglass", "nail", "bunny"}) {
    SCOPED_TRACE(name);
    const auto object = builtin_object(name);
    ASSERT_TRUE(object.ok()) << object.message();
    for (const double spacing : {0.0005, 0.003}) expect_cubes_agree(object->shape, spacing);
  }
}

TEST(ExactDistance, SampleCubeIsTheSameAnswerOfOpenAndCrossingMeshes) {
  const TriangleMesh box = box_mesh(Vec3(0.03, 0.02, 0.0004));
  TriangleMesh open = subdivide(box, 3);
  open.faces.resize(open.faces.size() - 20);
  TriangleMesh crossing = box;
  for (const auto& f : box.faces) crossing.faces.push_back({f[0] + 8, f[1] + 8, f[2] + 8});
  for (const Vec3& v : box.vertices) crossing.vertices.push_back(Vec3(v.z(), v.x(), v.y()));
  for (const double spacing : {0.0005, 0.003}) {
    expect_cubes_agree(mesh_shape(open), spacing);
    expect_cubes_agree(mesh_shape(crossing), spacing);
  }
}

TEST(ExactDistance, ChangesNoFasterThanThePoint) {
  const auto mug = builtin_object("mug");
  const auto distance = exact_distance(mug->shape);
  std::mt19937 random(5);
  for (const Vec3& p : testing::points_near(*mug->shape.mesh, 0.004, 2000)) {
    const double step = 1e-3;
    const double here = distance->sample(p).distance;
    const double there = distance->sample(p + step * testing::random_direction(random)).distance;
    EXPECT_LE(std::abs(there - here), step * (1 + 1e-9));
  }
}

TEST(WindingNumber, TreeAgreesWithTheSum) {
  const auto bunny = builtin_object("bunny");
  ASSERT_TRUE(bunny.ok()) << bunny.message();
  const TriangleMesh& mesh = *bunny->shape.mesh;
  const WindingNumber winding(mesh);
  constexpr double kDipoleError = 0.05;
  for (const Vec3& p : testing::points_near(mesh, 0.02, 300)) {
    double sum = 0.0;
    for (const auto& f : mesh.faces) {
      sum += solid_angle(mesh.vertices[f[0]] - p, mesh.vertices[f[1]] - p, mesh.vertices[f[2]] - p);
    }
    EXPECT_NEAR(sum / (4 * kPi), std::round(sum / (4 * kPi)), 1e-9);
    EXPECT_NEAR(winding(p), sum / (4 * kPi), kDipoleError);
  }
}

TEST(ExactDistance, SignSurvivesAHole) {
  TriangleMesh mesh = sphere_mesh(0.05, 64);
  std::erase_if(mesh.faces, [&](const auto& f) { return mesh.vertices[f[0]].y() > 0.047; });
  const auto distance = exact_distance(mesh_shape(mesh));
  for (const Vec3& p : testing::points_in_box(0.08, 3000)) {
    if (p.y() > 0.035) continue;  // beside the hole either answer will do
    const bool inside = distance->sample(p).distance < 0.0;
    EXPECT_FALSE(inside && p.norm() > 0.05) << p.transpose();
    EXPECT_FALSE(!inside && p.norm() < 0.0495) << p.transpose();
  }
}

TEST(ExactDistance, SignSurvivesPartsThatCross) {
  TriangleMesh mesh = sphere_mesh(0.05, 48);
  const TriangleMesh other = sphere_mesh(0.05, 48);
  const int first = static_cast<int>(mesh.vertices.size());
  const Vec3 shift(0.04, 0.0, 0.0);
  for (const Vec3& v : other.vertices) mesh.vertices.push_back(v + shift);
  for (const auto& f : other.faces) {
    mesh.faces.push_back({f[0] + first, f[1] + first, f[2] + first});
  }
  const auto distance = exact_distance(mesh_shape(mesh));
  for (const Vec3& p : testing::points_in_box(0.12, 3000)) {
    const double nearest = std::min(p.norm(), (p - shift).norm());
    const bool inside = distance->sample(p).distance < 0.0;
    EXPECT_FALSE(inside && nearest > 0.05) << p.transpose();
    EXPECT_FALSE(!inside && nearest < 0.0495) << p.transpose();
  }
}

TEST(ExactDistance, IsTheSameFromManyThreads) {
  const auto bunny = builtin_object("bunny");
  ASSERT_TRUE(bunny.ok()) << bunny.message();
  const auto distance = exact_distance(bunny->shape);
  const auto points = testing::points_near(*bunny->shape.mesh, 0.01, 2000);
  std::vector<double> alone;
  for (const Vec3& p : points) alone.push_back(distance->sample(p).distance);
  std::vector<std::vector<double>> together(4);
  {
    std::vector<std::jthread> threads;
    for (auto& own : together) {
      threads.emplace_back([&] {
        for (const Vec3& p : points) own.push_back(distance->sample(p).distance);
      });
    }
  }
  for (const auto& own : together) EXPECT_EQ(own, alone);
}

}  // namespace
}  // namespace prehend::geometry
