// The audit names who, when and where: each clip below has one flaw in one known place.
#include <gtest/gtest.h>

#include "prehend/audit/audit.h"
#include "prehend/core/hand_builder.h"
#include "prehend/geometry/primitive.h"

namespace prehend::audit {
namespace {

constexpr int kFrames = 41;
constexpr double kRate = 50.0;

ObjectTrack box(const char* name, const Vec3& half, const Vec3& position, bool fixed) {
  Object object = geometry::object_from_primitive(name, ShapeKind::kBox, half, 0.3).value();
  object.fixed = fixed;
  return {std::make_shared<const Object>(std::move(object)),
          std::vector<Transform>(kFrames, Transform::from_position(position))};
}

HandTrack resting_hand() {
  auto hand = build_hand().value();
  hand.name = "right";
  const auto shared = std::make_shared<const Hand>(std::move(hand));
  return {shared, std::vector<HandPose>(kFrames, rest_pose(*shared))};
}

const Finding* find(const AuditReport& report, Measure measure) {
  for (const Finding& finding : report.worst)
    if (finding.measure == measure) return &finding;
  return nullptr;
}

// A wall that only the middle finger's tip reaches, `depth[f]` deep in frame f.
struct FingerInWall {
  Clip clip;
  Vec3 tip_world;
};
template <typename Depth>
FingerInWall finger_in_wall(const Depth& depth) {
  const Vec3 half(0.2, 0.2, 0.05);
  FingerInWall made;
  made.clip.frame_rate = kRate;
  made.clip.hands = {resting_hand()};
  const Hand& hand = *made.clip.hands[0].hand;
  const int distal = hand.pads[2].segment;
  const Capsule capsule =
      segment_frames(hand, rest_pose(hand))[distal] * hand.segments[distal].capsules[0];
  made.tip_world = capsule.b - Vec3(0, 0, capsule.radius);
  made.clip.objects = {box("wall", half, Vec3::Zero(), true)};
  for (int f = 0; f < kFrames; ++f)
    made.clip.objects[0].poses_world[f].position = {0, 0, made.tip_world.z() - half.z() + depth(f)};
  return made;
}

TEST(AuditFinding, ThePenetrationHasItsSegmentObjectFrameAndPlace) {
  const auto made = finger_in_wall([](int f) {
    return f == 17 ? 0.009 : f > 14 && f < 20 ? 0.007 : 0.002;
  });
  const AuditReport report = audit(made.clip).value();
  const Finding* worst = find(report, Measure::kPenetration);
  ASSERT_TRUE(worst);
  EXPECT_NEAR(worst->value, 0.009, 1e-6);
  EXPECT_EQ(worst->frame, 17);
  EXPECT_EQ(worst->hand, "right");
  EXPECT_EQ(worst->segment, "middle-distal");
  EXPECT_EQ(worst->object, "wall");
  ASSERT_TRUE(worst->contact);
  EXPECT_NEAR(worst->contact->gap, -0.009, 1e-6);
  ASSERT_TRUE(worst->point_world);
  // The nearest point of the wall's face is 9 mm on, before the tip.
  EXPECT_LT((*worst->point_world - (made.tip_world + Vec3(0, 0, 0.009))).norm(), 1e-5);
  EXPECT_EQ(describe(*worst),
            "penetration 9.0 mm at 0.34 s (frame 17): right middle-distal in wall");
  ASSERT_EQ(report.bad.size(), 1u);
  EXPECT_EQ(report.bad[0].first, 15);
  EXPECT_EQ(report.bad[0].last, 19);
  EXPECT_EQ(report.bad[0].worst.frame, 17);
}

TEST(AuditFinding, StretchesThatAGoodFrameParts) {
  const auto made = finger_in_wall([](int f) { return f % 10 == 0 ? 0.001 : 0.007; });
  const AuditReport report = audit(made.clip).value();
  ASSERT_EQ(report.bad.size(), 4u);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(report.bad[i].first, 10 * i + 1);
    EXPECT_EQ(report.bad[i].last, 10 * i + 9);
  }
}

TEST(AuditFinding, TheJointBeyondItsRangeIsNamed) {
  Clip clip;
  clip.frame_rate = kRate;
  clip.hands = {resting_hand()};
  const Hand& hand = *clip.hands[0].hand;
  const int segment = hand.find("ring-intermediate");
  HandPose& pose = clip.hands[0].poses[3];
  pose.rotations[segment] = pose.rotations[segment] * exp_map({radians(30), 0, 0});
  const AuditReport report = audit(clip).value();
  const Finding* worst = find(report, Measure::kLimits);
  ASSERT_TRUE(worst);
  EXPECT_EQ(worst->frame, 3);
  EXPECT_EQ(worst->segment, "ring-intermediate");
  EXPECT_TRUE(worst->joint.starts_with("ring-intermediate")) << worst->joint;
  EXPECT_EQ(describe(*worst),
            "joint beyond its range 30.0 degrees at 0.06 s (frame 3): right " + worst->joint);
  EXPECT_EQ(*worst->point_world, segment_frames(hand, pose)[segment].position);
}

TEST(AuditFinding, SegmentsThatPassThroughEachOtherAreNamed) {
  Clip clip;
  clip.frame_rate = kRate;
  clip.hands = {resting_hand()};
  const Hand& hand = *clip.hands[0].hand;
  // The index finger turned sideways into the middle finger.
  const int segment = hand.find("index-proximal");
  HandPose& pose = clip.hands[0].poses[30];
  pose.rotations[segment] = pose.rotations[segment] * exp_map({0, radians(-25), 0});
  const AuditReport report = audit(clip).value();
  const Finding* worst = find(report, Measure::kSelfPenetration);
  ASSERT_TRUE(worst);
  EXPECT_EQ(worst->frame, 30);
  EXPECT_GT(worst->value, 0.004);
  EXPECT_TRUE(who(*worst).find("index") != std::string::npos &&
              who(*worst).find("middle") != std::string::npos)
      << who(*worst);
}

TEST(AuditFinding, OfTwoObjectsTheOneThatHoversIsUnexplained) {
  Clip clip;
  clip.frame_rate = kRate;
  clip.floor_height = 0.0;
  clip.objects = {box("stands", Vec3::Constant(0.03), {0, 0.03, 0}, false),
                  box("hovers", Vec3::Constant(0.03), {0.2, 0.10, 0}, false)};
  const AuditReport report = audit(clip).value();
  const Finding* worst = find(report, Measure::kDynamics);
  ASSERT_TRUE(worst);
  EXPECT_EQ(worst->object, "hovers");
  EXPECT_EQ(who(*worst), "hovers");
  EXPECT_NEAR(worst->point_world->x(), 0.2, 1e-9);
  EXPECT_EQ(find(report, Measure::kThirdLaw), nullptr) << "nothing was recorded";
}

TEST(AuditFinding, TheContactThatDragsBeyondItsConeIsNamed) {
  Clip clip;
  clip.frame_rate = kRate;
  clip.floor_height = 0.0;
  clip.objects = {box("box", Vec3::Constant(0.03), {0, 0.03, 0}, false)};
  clip.forces_recorded = true;
  clip.contacts.resize(kFrames);
  const double weight = 0.3 * kStandardGravity;
  for (int f = 0; f < kFrames; ++f) {
    for (const double x : {-0.03, 0.03}) {
      for (const double z : {-0.03, 0.03}) {
        // One corner drags in one frame.
        const double drag = f == 25 && x > 0 && z > 0 ? 0.4 : 0.0;
        clip.contacts[f].push_back({.by = ContactSide::surroundings(),
                                    .on = ContactSide::object(0),
                                    .point_on = {x, -0.03, z},
                                    .normal_world = -Vec3::UnitY(),
                                    .force_world = weight * Vec3(drag, 0.25, 0)});
      }
    }
  }
  const AuditReport report = audit(clip).value();
  const Finding* worst = find(report, Measure::kFriction);
  ASSERT_TRUE(worst);
  EXPECT_NEAR(worst->value, 0.4 - 0.6 * 0.25, 1e-9);
  EXPECT_EQ(worst->frame, 25);
  EXPECT_EQ(who(*worst), "floor on box");
  EXPECT_LT((*worst->point_world - Vec3(0.03, 0.0, 0.03)).norm(), 1e-9);
}

TEST(AuditFinding, SlipIsFarthestAtTheEndOfItsStretch) {
  auto made = finger_in_wall([](int) { return 0.001; });
  for (int f = 0; f < kFrames; ++f)
    made.clip.hands[0].poses[f].root_world.position.x() = 0.0002 * std::min(f, 30);
  const AuditReport report = audit(made.clip).value();
  const Finding* worst = find(report, Measure::kSlip);
  ASSERT_TRUE(worst);
  EXPECT_NEAR(worst->value, 0.006, 1e-6);
  EXPECT_NEAR(worst->value, report.slip_m, 0.0);
  EXPECT_GE(worst->frame, 29);
  EXPECT_EQ(who(*worst), "right middle-distal over wall");
  EXPECT_NEAR(report.frames[14].slip, 0.003, 1e-6);
  EXPECT_TRUE(report.bad.empty()) << "slip is measured, not judged";
}

}  // namespace
}  // namespace prehend::audit
