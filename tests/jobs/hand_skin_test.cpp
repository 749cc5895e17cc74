// The skin follows the bones in every posture without collapsing.
#include <gtest/gtest.h>

#include "prehend/core/hand_builder.h"
#include "prehend/core/skin.h"
#include "prehend/geometry/mass_properties.h"
#include "prehend/hands/posture.h"
#include "prehend/io/skin_asset.h"

namespace prehend {
namespace {

// Distance of a point from the axis of the segment's first capsule.
double from_axis(const Capsule& capsule, const Vec3& point) {
  return closest_on_lines(capsule.a, capsule.b, point, point).distance;
}

TEST(HandSkin, KeepsItsThicknessAndVolumeInEveryPosture) {
  for (Side side : {Side::kRight, Side::kLeft}) {
    HandOptions options;
    options.side = side;
    const Hand hand = build_hand(options).value();
    const Skin skin = fit_skin(io::generic_hand_skin(side), hand);
    const auto rest = segment_frames(hand, rest_pose(hand));
    const double volume = geometry::mass_properties(skin.rest).volume;
    EXPECT_GT(volume, 2.5e-4);
    EXPECT_LT(volume, 6.0e-4);
    for (const std::string& name : hands::posture_names()) {
      const HandPose pose = hands::make_posture(hand, name).value().pose;
      TriangleMesh mesh = skin.rest;
      deform(skin, hand, pose, mesh.vertices);
      EXPECT_NEAR(geometry::mass_properties(mesh).volume / volume, 1.0, 0.08) << name;
      const auto posed = segment_frames(hand, pose);
      for (size_t v = 0; v < mesh.vertices.size(); ++v) {
        for (int k = 0; k < 4; ++k) {
          if (skin.weights[v][k] < 0.6) continue;
          // Skin that one bone carries keeps its thickness; in the folds beside a joint it may
          // fold.
          const double kept = skin.weights[v][k] > 0.9 ? 0.7 : 0.25;
          const int segment = skin.segments[v][k];
          const Capsule& flesh = hand.segments[segment].capsules[0];
          const double before = from_axis(rest[segment] * flesh, skin.rest.vertices[v]);
          const double after = from_axis(posed[segment] * flesh, mesh.vertices[v]);
          EXPECT_GT(after, kept * before) << name << " " << hand.segments[segment].name;
        }
      }
    }
  }
}

TEST(HandSkin, LiesOnTheContactShapesOfThePhalanges) {
  const Hand hand = build_hand().value();
  const Skin skin = fit_skin(io::generic_hand_skin(Side::kRight), hand);
  const auto frames = segment_frames(hand, rest_pose(hand));
  for (int s = 0; s < hand.segment_count(); ++s) {
    if (hand.segments[s].phalanx < 1) continue;
    std::vector<double> gaps;
    for (size_t v = 0; v < skin.rest.vertices.size(); ++v) {
      double weight = 0.0;
      for (int k = 0; k < 4; ++k) weight += skin.segments[v][k] == s ? skin.weights[v][k] : 0.0;
      if (weight < 0.75) continue;
      const Capsule flesh = frames[s] * hand.segments[s].capsules[0];
      gaps.push_back(from_axis(flesh, skin.rest.vertices[v]) - flesh.radius);
    }
    ASSERT_GT(gaps.size(), 20u);
    std::nth_element(gaps.begin(), gaps.begin() + gaps.size() / 2, gaps.end());
    EXPECT_LT(std::abs(gaps[gaps.size() / 2]), 0.0008) << hand.segments[s].name;
  }
}

}  // namespace
}  // namespace prehend
