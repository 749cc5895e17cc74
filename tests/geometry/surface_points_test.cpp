#include "prehend/geometry/surface_points.h"

#include <cmath>
#include <cstring>

#include <gtest/gtest.h>

#include "prehend/geometry/primitive.h"

namespace prehend::geometry {
namespace {

constexpr int kDraws = 20000;

// Faces of a box, two by two: those across x, across y, across z.
int across(const Vec3& normal) {
  Eigen::Index axis = 0;
  normal.cwiseAbs().maxCoeff(&axis);
  return static_cast<int>(axis);
}

TEST(SurfaceSampler, KnowsTheArea) {
  const TriangleMesh box = box_mesh({0.1, 0.2, 0.3});
  EXPECT_NEAR(SurfaceSampler(box).area(), 8 * (0.1 * 0.2 + 0.2 * 0.3 + 0.1 * 0.3), 1e-12);
  const TriangleMesh nothing;
  EXPECT_EQ(SurfaceSampler(nothing).area(), 0.0);
}

TEST(SurfaceSampler, DrawsPointsOfTheSurfaceWithTheirOutwardNormals) {
  const Vec3 half(0.1, 0.2, 0.3);
  const TriangleMesh box = box_mesh(half);
  const SurfaceSampler sampler(box);
  Random random(7);
  for (int i = 0; i < 1000; ++i) {
    const SurfacePoint drawn = sampler.draw(random);
    const int axis = across(drawn.normal);
    EXPECT_NEAR(drawn.normal.norm(), 1.0, 1e-12);
    EXPECT_NEAR(drawn.point[axis], std::copysign(half[axis], drawn.normal[axis]), 1e-12);
    EXPECT_TRUE((drawn.point.cwiseAbs().array() <= half.array() + 1e-12).all());
  }
}

TEST(SurfaceSampler, DrawsEvenlyOverFacesOfAnySize) {
  const Vec3 half(0.1, 0.2, 0.3);
  const TriangleMesh box = box_mesh(half);
  const SurfaceSampler sampler(box);
  Random random(11);
  Vec3 share = Vec3::Zero(), mean = Vec3::Zero(), square = Vec3::Zero();
  for (int i = 0; i < kDraws; ++i) {
    const SurfacePoint drawn = sampler.draw(random);
    share[across(drawn.normal)] += 1.0 / kDraws;
    mean += drawn.point / kDraws;
    square += drawn.point.cwiseAbs2() / kDraws;
  }
  const Vec3 area(half.y() * half.z(), half.x() * half.z(), half.x() * half.y());
  const double total = area.sum();
  for (int axis = 0; axis < 3; ++axis) {
    const double part = area[axis] / total, h2 = half[axis] * half[axis];
    // Four standard deviations of a share of kDraws, and the same of a mean.
    EXPECT_NEAR(share[axis], part, 4.0 * std::sqrt(part * (1.0 - part) / kDraws));
    EXPECT_NEAR(mean[axis], 0.0, 4.0 * half[axis] / std::sqrt(kDraws));
    // The two faces across lie at the half extent, the other four spread evenly up to it.
    const double expected = h2 * (part + (1.0 - part) / 3.0);
    EXPECT_NEAR(square[axis], expected, 4.0 * h2 / std::sqrt(kDraws));
  }
}

TEST(SurfaceSampler, FillsATriangleEvenly) {
  TriangleMesh triangle;
  triangle.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  triangle.faces = {{0, 1, 2}};
  const SurfaceSampler sampler(triangle);
  Random random(3);
  // The middle quarter of the triangle, in which each coordinate is less than a half.
  int middle = 0;
  for (int i = 0; i < kDraws; ++i) {
    const Vec3 p = sampler.draw(random).point;
    ASSERT_GE(p.minCoeff(), 0.0);
    ASSERT_LE(p.x() + p.y(), 1.0 + 1e-12);
    if (p.x() < 0.5 && p.y() < 0.5 && p.x() + p.y() > 0.5) ++middle;
  }
  EXPECT_NEAR(middle / double(kDraws), 0.25, 4.0 * std::sqrt(0.25 * 0.75 / kDraws));
}

TEST(SurfaceSampler, DrawsNothingFromFacesWithoutArea) {
  TriangleMesh mesh = box_mesh({0.1, 0.1, 0.1});
  mesh.vertices.push_back({9, 9, 9});
  const int lone = static_cast<int>(mesh.vertices.size()) - 1;
  mesh.faces.insert(mesh.faces.begin(), {lone, lone, lone});
  mesh.faces.push_back({lone, lone, lone});
  const SurfaceSampler sampler(mesh);
  Random random(5);
  for (int i = 0; i < 1000; ++i) EXPECT_LT(sampler.draw(random).point.norm(), 1.0);
}

TEST(SurfaceSampler, GivesTheSameBytesForTheSameSeed) {
  const TriangleMesh ball = sphere_mesh(0.05);
  const SurfaceSampler sampler(ball);
  Random first(42), second(42);
  for (int i = 0; i < 100; ++i) {
    const SurfacePoint a = sampler.draw(first), b = sampler.draw(second);
    EXPECT_EQ(std::memcmp(a.point.data(), b.point.data(), sizeof(Vec3)), 0);
    EXPECT_EQ(std::memcmp(a.normal.data(), b.normal.data(), sizeof(Vec3)), 0);
  }
}

}  // namespace
}  // namespace prehend::geometry
