// Hands against hands and floors, forces from nowhere, and Newton's third law: closed forms.
#include <gtest/gtest.h>

#include <algorithm>

#include "prehend/audit/audit.h"
#include "prehend/geometry/primitive.h"

namespace prehend::audit {
namespace {

constexpr int kFrames = 31;
constexpr double kExact = 1e-9;

// A hand of one bone along X.
HandPtr rod(double half_length, double radius, double mass = 0.4) {
  Hand hand;
  hand.name = "rod";
  Segment segment;
  segment.name = "rod";
  segment.mass = mass;
  segment.capsules = {{{-half_length, 0, 0}, {half_length, 0, 0}, radius}};
  hand.segments = {segment};
  return std::make_shared<const Hand>(std::move(hand));
}

template <typename Motion>
HandTrack moved(const HandPtr& hand, const Motion& position) {
  HandTrack track{hand, {}};
  for (int f = 0; f < kFrames; ++f) {
    HandPose pose = rest_pose(*hand);
    pose.root_world.position = position(f);
    track.poses.push_back(pose);
  }
  return track;
}
HandTrack still(const HandPtr& hand, const Vec3& position) {
  return moved(hand, [&](int) { return position; });
}

TEST(AuditSides, TwoHandsPressedByAKnownDepth) {
  const HandPtr hand = rod(0.05, 0.01);
  for (const double depth : {0.003, 0.006}) {
    Clip clip;
    // Crossed at right angles the rods would meet at the same depth; they lie side by side here.
    clip.hands = {still(hand, Vec3::Zero()), still(hand, {0.02, 0.02 - depth, 0.0})};
    const AuditReport report = audit(clip).value();
    EXPECT_NEAR(report.max_penetration_m, depth, kExact);
    EXPECT_NEAR(report.mean_penetration_m, depth, kExact);
    EXPECT_EQ(report.verdict, depth > 0.005 ? Verdict::kFail : Verdict::kPass);
    EXPECT_EQ(report.frames[0].contacts, 1);
  }
}

TEST(AuditSides, HandsApartDoNotTouch) {
  const HandPtr hand = rod(0.05, 0.01);
  Clip clip;
  clip.hands = {still(hand, Vec3::Zero()), still(hand, {0.0, 0.0225, 0.0})};
  const AuditReport report = audit(clip).value();
  EXPECT_EQ(report.frames[0].contacts, 0);
  EXPECT_EQ(report.max_penetration_m, 0.0);
}

TEST(AuditSides, AHandInTheFloorIsFoundWhoeverSaysWhereTheFloorIs) {
  Clip clip;
  clip.hands = {still(rod(0.05, 0.01), {0.0, 0.503, 0.0})};
  EXPECT_EQ(audit(clip).value().max_penetration_m, 0.0) << "there is no floor";
  clip.floor_height = 0.5;
  AuditReport report = audit(clip).value();
  EXPECT_NEAR(report.max_penetration_m, 0.007, kExact);
  EXPECT_EQ(report.verdict, Verdict::kFail);
  AuditOptions options;
  options.floor_height = 0.495;
  EXPECT_NEAR(audit(clip, options).value().max_penetration_m, 0.002, kExact);
}

TEST(AuditSides, SkinsThatSlideOverEachOtherSlip) {
  const HandPtr hand = rod(0.1, 0.01);
  const auto slide = [](int f) { return Vec3(0.001 * f, 0.0195, 0.0); };
  const auto carried = [](int f) { return Vec3(0.001 * f, 0.0, 0.0); };
  Clip clip;
  clip.hands = {still(hand, Vec3::Zero()), moved(hand, slide)};
  EXPECT_NEAR(audit(clip).value().slip_m, 0.001 * (kFrames - 1), kExact);
  clip.hands[0] = moved(hand, carried);
  EXPECT_NEAR(audit(clip).value().slip_m, 0.0, kExact) << "both move alike";
  clip.hands.pop_back();
  clip.floor_height = -0.01;
  EXPECT_NEAR(audit(clip).value().slip_m, 0.001 * (kFrames - 1), kExact) << "over the floor";
}

// Boxes of 0.3 kg with forces at their lower corners.
constexpr double kMass = 0.3, kHalf = 0.03;
constexpr double kWeight = kMass * kStandardGravity;

ObjectTrack box(double height, bool fixed = false) {
  Object object =
      geometry::object_from_primitive("box", ShapeKind::kBox, Vec3::Constant(kHalf), kMass).value();
  object.fixed = fixed;
  return {std::make_shared<const Object>(std::move(object)),
          std::vector<Transform>(kFrames, Transform::from_position({0.0, height, 0.0}))};
}

// Pushes of `by` on the lower side of box `on` that sum to `force`.
void push_up(const ContactSide& by, int on, const Vec3& force, double side, Clip& clip) {
  clip.forces_recorded = true;
  clip.contacts.resize(kFrames);
  for (auto& contacts : clip.contacts) {
    for (const double x : {-kHalf, kHalf}) {
      for (const double z : {-kHalf, kHalf}) {
        contacts.push_back({.by = by,
                            .on = ContactSide::object(on),
                            .point_on = {x, side * kHalf, z},
                            .normal_world = side * Vec3::UnitY(),
                            .force_world = 0.25 * force});
      }
    }
  }
}

TEST(AuditSides, TheSurroundingsPushOnlyWhereTheClipHasSomething) {
  Clip clip;
  clip.objects = {box(1.0)};
  push_up(ContactSide::surroundings(), 0, kWeight * Vec3::UnitY(), -1.0, clip);
  const AuditReport nothing = audit(clip).value();
  EXPECT_NEAR(nothing.dynamics_residual, 1.0, kExact);
  EXPECT_EQ(nothing.verdict, Verdict::kFail);
  ASSERT_FALSE(nothing.notes.empty());
  EXPECT_NE(nothing.notes[0].find("surroundings"), std::string::npos);

  Clip floor = clip;
  floor.floor_height = 1.0 - kHalf;
  EXPECT_EQ(audit(floor).value().verdict, Verdict::kPass);
  floor.floor_height = 1.0 - kHalf - 0.01;
  EXPECT_EQ(audit(floor).value().verdict, Verdict::kFail)
      << "a floor below the box gives it nothing";

  Clip shelf = clip;
  shelf.objects.push_back(box(1.0 - 2.0 * kHalf, true));
  EXPECT_EQ(audit(shelf).value().verdict, Verdict::kPass);
}

TEST(AuditSides, AnObjectPushesOnlyWhereItIs) {
  Clip clip;
  clip.objects = {box(1.0), box(1.0 - 2.0 * kHalf, true)};
  push_up(ContactSide::object(1), 0, kWeight * Vec3::UnitY(), -1.0, clip);
  EXPECT_EQ(audit(clip).value().verdict, Verdict::kPass);
  clip.objects[1] = box(0.5, true);
  EXPECT_NEAR(audit(clip).value().dynamics_residual, 1.0, kExact);
}

// A box on a box on the floor, the upper one's weight handed down.
Clip stack() {
  Clip clip;
  clip.floor_height = 0.0;
  clip.objects = {box(kHalf), box(3.0 * kHalf)};
  push_up(ContactSide::surroundings(), 0, 2.0 * kWeight * Vec3::UnitY(), -1.0, clip);
  push_up(ContactSide::object(0), 1, kWeight * Vec3::UnitY(), -1.0, clip);
  return clip;
}

TEST(AuditSides, WhatIsRecordedOnOneSideActsOnTheOther) {
  const AuditReport report = audit(stack()).value();
  EXPECT_LT(report.dynamics_residual, kExact);
  EXPECT_EQ(report.third_law_violation, 0.0);
  EXPECT_EQ(report.verdict, Verdict::kPass);
}

TEST(AuditSides, ActionThatIsNotReactionIsReported) {
  for (const double share : {1.0, 0.7}) {
    Clip clip = stack();
    push_up(ContactSide::object(1), 0, -share * kWeight * Vec3::UnitY(), 1.0, clip);
    const AuditReport report = audit(clip).value();
    EXPECT_NEAR(report.third_law_violation, 1.0 - share, kExact);
    EXPECT_EQ(report.verdict, share < 1.0 ? Verdict::kFail : Verdict::kPass);
    EXPECT_EQ(report.reasons.empty(), share == 1.0);
    const bool named = std::any_of(report.worst.begin(), report.worst.end(), [](const Finding& f) {
      return f.measure == Measure::kThirdLaw && who(f) == "box and box";
    });
    EXPECT_EQ(named, share < 1.0);
  }
}

TEST(AuditSides, SkinOnSkinHasAFrictionCone) {
  const double weight = 0.4 * kStandardGravity;
  Clip clip;
  const HandPtr hand = rod(0.05, 0.01);
  clip.hands = {still(hand, Vec3::Zero()), still(hand, {0.0, 0.02, 0.0})};
  clip.forces_recorded = true;
  const auto excess = [&](const Vec3& force) {
    clip.contacts.assign(kFrames, {{.by = ContactSide::hand(1, 0),
                                    .on = ContactSide::hand(0, 0),
                                    .point_on = {0.0, 0.01, 0.0},
                                    .normal_world = Vec3::UnitY(),
                                    .force_world = force}});
    return audit(clip).value().friction_excess;
  };
  EXPECT_EQ(excess({0.9 * kSkinFriction, -1.0, 0.0}), 0.0);
  EXPECT_NEAR(excess({kSkinFriction + 0.5, -1.0, 0.0}), 0.5 / weight, kExact);
  EXPECT_NEAR(excess({0.0, 2.0, 0.0}), 2.0 / weight, kExact) << "skins do not pull";
}

}  // namespace
}  // namespace prehend::audit
