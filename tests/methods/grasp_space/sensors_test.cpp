#include "prehend/methods/grasp_space/sensors.h"

#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "prehend/hands/palm.h"
#include "tests/methods/grasp_space/grasp_fixture.h"

namespace prehend::grasp_space {
namespace {

constexpr double kExact = 1e-12;          // meters or radians
constexpr double kPalmSkin = 0.006;       // meters between the palm's frame and a palm's capsule
constexpr double kPulpTolerance = 0.001;  // meters between a pulp and its sensor's skin

struct Case {
  HandProfile profile;
  Side side;
};
class Sensors : public testing::TestWithParam<Case> {
 protected:
  const HandPtr hand_ = test_hand(GetParam().profile, GetParam().side);
};
INSTANTIATE_TEST_SUITE_P(Hands, Sensors,
                         testing::Values(Case{HandProfile::kBall, Side::kRight},
                                         Case{HandProfile::kBall, Side::kLeft},
                                         Case{HandProfile::kAnatomical, Side::kRight},
                                         Case{HandProfile::kAnatomical, Side::kLeft},
                                         Case{HandProfile::kArm, Side::kRight},
                                         Case{HandProfile::kArm, Side::kLeft}));

// Of a point to the line inside a capsule.
double to_axis(const Capsule& capsule, const Vec3& point) {
  return distance(Capsule{point, point, 0.0}, Capsule{capsule.a, capsule.b, 0.0});
}

TEST_P(Sensors, OneASegmentOfTheDigitsAndThreeOnThePalm) {
  std::array<int, 3> count = {};
  std::vector<int> on_segment(hand_->segments.size());
  for (const Sensor& sensor : default_sensors(*hand_)) {
    ++count[static_cast<int>(sensor.group)];
    ++on_segment[sensor.segment];
    const Segment& segment = hand_->segments[sensor.segment];
    const bool thumb = segment.digit == Digit::kThumb, palm = sensor.group == Opposition::kPalm;
    EXPECT_EQ(sensor.group == Opposition::kThumb, thumb) << segment.name;
    EXPECT_TRUE(thumb || (segment.phalanx <= 0) == palm) << segment.name;
    EXPECT_TRUE(palm || on_segment[sensor.segment] == 1) << segment.name;
  }
  EXPECT_EQ(count, (std::array<int, 3>{3, 12, 3}));
}

TEST_P(Sensors, LieInsideTheCapsulesOfTheirSegments) {
  for (const Sensor& sensor : default_sensors(*hand_)) {
    double over = INFINITY;
    for (const Capsule& capsule : hand_->segments[sensor.segment].capsules) {
      over = std::min(over, to_axis(capsule, sensor.center) + sensor.radius - capsule.radius);
    }
    EXPECT_GT(sensor.radius, 0.0);
    EXPECT_LE(over, kExact) << hand_->segments[sensor.segment].name;
  }
}

TEST_P(Sensors, OfLastSegmentsTouchWhereThePulpIs) {
  for (const Sensor& sensor : default_sensors(*hand_)) {
    for (const FingerPad& pad : hand_->pads) {
      if (pad.segment != sensor.segment) continue;
      EXPECT_NEAR((sensor.center - pad.point).norm(), sensor.radius, kPulpTolerance);
    }
  }
}

TEST_P(Sensors, ThePalmIsOnTheSkinOnThePalmarSide) {
  HandPose rest = rest_pose(*hand_);
  place_wrist(*hand_, Transform::Identity(), rest);
  const auto frames = segment_frames(*hand_, rest);
  const Transform palm = hands::palm_in_wrist(*hand_);
  EXPECT_LT(palm.position.y(), 0.0);
  double gap = INFINITY;
  for (int s = 0; s < hand_->segment_count(); ++s) {
    for (const Capsule& capsule : hand_->segments[s].capsules) {
      const Capsule placed = frames[s] * capsule;
      gap = std::min(gap, to_axis(placed, palm.position) - placed.radius);
    }
  }
  EXPECT_NEAR(gap, 0.0, kPalmSkin);
}

TEST_P(Sensors, ShapesGiveTheFramesOfTheirPose) {
  const GraspSpace& space = *general_space();
  ShapeKinematics shape(*hand_, space);
  Random random(5);
  for (int i = 0; i < 20; ++i) {
    const Eigen::VectorXd reduced = random_shape(space, random);
    const HandPose pose = shape.pose(reduced);
    const std::vector<Transform> expected = segment_frames(*hand_, pose);
    const std::vector<Transform>& frames = shape.frames_wrist(reduced);
    ASSERT_EQ(frames.size(), expected.size());
    for (size_t s = 0; s < frames.size(); ++s) {
      EXPECT_LT((frames[s].position - expected[s].position).norm(), kExact);
      EXPECT_LT(frames[s].rotation.angularDistance(expected[s].rotation), 1e-7);
    }
    EXPECT_LT(frames[hand_->wrist()].position.norm(), kExact);
    EXPECT_LT(angle_between(frames[hand_->wrist()].rotation, Quat::Identity()), 1e-7);
    // eq. 2, by the way back from the pose.
    const Eigen::VectorXd vector = space.pca.mean + space.pca.components * reduced;
    EXPECT_LT((pose_vector(*hand_, pose) - vector).norm(), 1e-9);
  }
}

TEST(SensorsOfBothSides, AreMirrorImages) {
  for (HandProfile profile : {HandProfile::kBall, HandProfile::kAnatomical, HandProfile::kArm}) {
    const auto right = default_sensors(*test_hand(profile, Side::kRight));
    const auto left = default_sensors(*test_hand(profile, Side::kLeft));
    ASSERT_EQ(right.size(), left.size());
    for (size_t i = 0; i < right.size(); ++i) {
      EXPECT_EQ(left[i].segment, right[i].segment);
      EXPECT_EQ(left[i].group, right[i].group);
      EXPECT_NEAR(left[i].radius, right[i].radius, kExact);
      EXPECT_LT((left[i].center - mirror_x(right[i].center)).norm(), kExact);
    }
  }
}

}  // namespace
}  // namespace prehend::grasp_space
