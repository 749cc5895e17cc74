#include "prehend/core/skin.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "prehend/core/hand_builder.h"

namespace prehend {
namespace {

double distance_to_axis(const Capsule& capsule, const Vec3& point) {
  const Vec3 along = capsule.b - capsule.a;
  const double t = std::clamp((point - capsule.a).dot(along) / along.squaredNorm(), 0.0, 1.0);
  return (point - capsule.a - t * along).norm();
}

// How far a vertex is from the nearest of the capsules that its segment carries.
double farthest_from_capsules(const Skin& skin, const Hand& hand, const HandPose& pose,
                              const std::vector<Vec3>& vertices_world) {
  const auto frames = segment_frames(hand, pose);
  double farthest = 0.0;
  for (size_t v = 0; v < vertices_world.size(); ++v) {
    const int segment = skin.segments[v][0];
    double nearest = INFINITY;
    for (const Capsule& capsule : hand.segments[segment].capsules) {
      const Capsule placed = frames[segment] * capsule;
      nearest =
          std::min(nearest, std::abs(distance_to_axis(placed, vertices_world[v]) - capsule.radius));
    }
    farthest = std::max(farthest, nearest);
  }
  return farthest;
}

double volume(const TriangleMesh& mesh) {
  double six = 0.0;
  for (const auto& f : mesh.faces)
    six += mesh.vertices[f[0]].dot(mesh.vertices[f[1]].cross(mesh.vertices[f[2]]));
  return six / 6.0;
}

TEST(CapsuleSkin, LiesOnTheCapsulesInAnyPose) {
  const Hand hand = build_hand().value();
  const Skin skin = capsule_skin(hand);
  EXPECT_LT(farthest_from_capsules(skin, hand, rest_pose(hand), skin.rest.vertices), 1e-12);
  const CoordinateLimits limits = coordinate_limits(hand);
  const Transform place{exp_map({0.4, -1.0, 0.2}), {0.1, 0.9, -0.3}};
  const HandPose pose =
      pose_from_coordinates(hand, place, 0.25 * limits.lower + 0.75 * limits.upper);
  std::vector<Vec3> vertices;
  deform(skin, hand, pose, vertices);
  EXPECT_LT(farthest_from_capsules(skin, hand, pose, vertices), 1e-12);
}

TEST(CapsuleSkin, IsClosedAndFacesOutward) {
  const Skin skin = capsule_skin(build_hand().value());
  std::map<std::pair<int, int>, int> edges;
  for (const auto& f : skin.rest.faces) {
    for (int k = 0; k < 3; ++k) ++edges[{f[k], f[(k + 1) % 3]}];
  }
  for (const auto& [edge, times] : edges) {
    EXPECT_EQ(times, 1);
    EXPECT_EQ(edges.count({edge.second, edge.first}), 1u);
  }
  EXPECT_GT(volume(skin.rest), 0.0);
}

// More sides come nearer to the capsules' own volume, from inside.
TEST(CapsuleSkin, ConvergesToTheVolumeOfTheCapsules) {
  const Hand hand = build_hand().value();
  double capsules = 0.0;
  for (const Segment& segment : hand.segments) {
    for (const Capsule& capsule : segment.capsules) capsules += capsule.volume();
  }
  const double coarse = volume(capsule_skin(hand, 12).rest);
  const double fine = volume(capsule_skin(hand, 48).rest);
  EXPECT_LT(coarse, fine);
  EXPECT_LT(fine, capsules);
  EXPECT_NEAR(fine / capsules, 1.0, 0.01);
  EXPECT_NEAR(coarse / capsules, 1.0, 0.1);
}

}  // namespace
}  // namespace prehend
