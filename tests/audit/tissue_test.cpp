#include "prehend/audit/tissue.h"

#include <gtest/gtest.h>

#include "prehend/audit/audit.h"
#include "prehend/core/hand_builder.h"
#include "prehend/geometry/primitive.h"

namespace prehend::audit {
namespace {

double give(const Hand& hand, const char* segment, const Vec3& out) {
  return tissue_give(hand.segments[hand.find(segment)], out);
}

TEST(Tissue, PalmAndBallOfTheThumbGiveTheMostAndTheBackTheLeast) {
  const Hand hand = build_hand().value();
  const Vec3 palmar = -Vec3::UnitY(), back = Vec3::UnitY(), aside = Vec3::UnitX();
  EXPECT_GT(give(hand, "thumb-metacarpal", palmar), give(hand, "middle-metacarpal", palmar));
  EXPECT_GT(give(hand, "middle-metacarpal", palmar), give(hand, "middle-distal", palmar));
  for (const char* segment : {"thumb-metacarpal", "middle-metacarpal", "index-distal", "wrist"}) {
    EXPECT_NEAR(give(hand, segment, back), 0.001, 1e-12) << segment;
    EXPECT_NEAR(give(hand, segment, aside),
                0.5 * (give(hand, segment, palmar) + give(hand, segment, back)), 1e-12)
        << segment;
  }
}

// The hand lies on a floor, palm down, pressed in so that its lowest segment is `depth` deep.
Clip pressed_down(double depth) {
  const auto hand = std::make_shared<const Hand>(build_hand().value());
  HandPose pose = rest_pose(*hand);
  const auto frames = segment_frames(*hand, pose);
  double lowest = INFINITY;
  for (int s = 0; s < hand->segment_count(); ++s)
    for (const Capsule& capsule : hand->segments[s].capsules)
      for (const Vec3& end : {capsule.a, capsule.b})
        lowest = std::min(lowest, (frames[s] * end).y() - capsule.radius);
  pose.root_world.position.y() -= lowest + depth;
  Clip clip;
  clip.floor_height = 0.0;
  clip.hands = {{hand, std::vector<HandPose>(20, pose)}};
  return clip;
}

TEST(Tissue, DepthAndDepthBeyondAreBothReportedAndOneIsJudged) {
  const Clip clip = pressed_down(0.0055);
  AuditOptions options;
  const AuditReport rigid = audit(clip, options).value();
  options.tissue = Tissue::kSoft;
  const AuditReport soft = audit(clip, options).value();
  EXPECT_NEAR(rigid.max_penetration_m, 0.0055, 1e-9);
  EXPECT_EQ(rigid.max_penetration_m, soft.max_penetration_m) << "the raw depth stays what it is";
  EXPECT_EQ(rigid.max_beyond_tissue_m, soft.max_beyond_tissue_m);
  EXPECT_GT(soft.max_beyond_tissue_m, 0.0);
  EXPECT_LT(soft.max_beyond_tissue_m, 0.0055 - 0.001);
  EXPECT_EQ(rigid.verdict, Verdict::kFail);
  EXPECT_EQ(soft.verdict, Verdict::kPass);
  EXPECT_FALSE(rigid.bad.empty());
  EXPECT_TRUE(soft.bad.empty());
  EXPECT_EQ(audit(pressed_down(0.015), options).value().verdict, Verdict::kFail)
      << "no tissue gives by so much";
}

// A contact between two hands presses the tissue of both; one between two things presses none.
TEST(Tissue, BothSidesOfAContactGive) {
  const auto hand = std::make_shared<const Hand>(build_hand().value());
  Clip clip;
  clip.hands = {{hand, {rest_pose(*hand)}}, {hand, {rest_pose(*hand)}}};
  const int segment = hand->find("index-distal");
  const ClipMoment moment = moment_of(clip, 0);
  Contact contact;
  contact.by = ContactSide::hand(1, segment);
  contact.on = ContactSide::hand(0, segment);
  contact.normal_world = moment.segments_world[0][segment].turn(-Vec3::UnitY());
  const double both = tissue_give(clip, moment, contact);
  // The second hand, in the same pose, is pressed from its back.
  EXPECT_NEAR(both,
              tissue_give(hand->segments[segment], -Vec3::UnitY()) +
                  tissue_give(hand->segments[segment], Vec3::UnitY()),
              1e-12);
  contact.by = ContactSide::surroundings();
  EXPECT_NEAR(tissue_give(clip, moment, contact),
              tissue_give(hand->segments[segment], -Vec3::UnitY()), 1e-12);
  contact.on = ContactSide::object(0);
  EXPECT_EQ(tissue_give(clip, moment, contact), 0.0);
}

}  // namespace
}  // namespace prehend::audit
