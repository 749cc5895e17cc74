#include "jobs/detail_contacts.h"

#include <gtest/gtest.h>

#include "prehend/core/hand_builder.h"
#include "prehend/geometry/primitive.h"

namespace prehend::jobs {
namespace {

constexpr double kHalf = 0.02;  // m, of the cube below the fingertip

// The index fingertip stands `gap` above a cube; what the clip says about the gap is a lie.
Clip fingertip_above(double gap, double force) {
  Clip clip;
  clip.frame_rate = 60.0;
  HandTrack hand;
  hand.hand = std::make_shared<const Hand>(build_hand().value());
  const HandPose pose = rest_pose(*hand.hand);
  hand.poses.assign(3, pose);
  const int segment = hand.hand->pads[static_cast<int>(Digit::kIndex)].segment;
  const auto frames = segment_frames(*hand.hand, pose);
  double lowest = 1e9;
  Vec3 below = Vec3::Zero();
  for (const Capsule& capsule : hand.hand->segments[segment].capsules) {
    for (const Vec3& end : {capsule.a, capsule.b}) {
      const Vec3 world = frames[segment] * end - Vec3(0.0, capsule.radius, 0.0);
      if (world.y() >= lowest) continue;
      lowest = world.y();
      below = world;
    }
  }
  ObjectTrack cube;
  cube.object = std::make_shared<const Object>(
      geometry::object_from_primitive("cube", ShapeKind::kBox, Vec3::Constant(kHalf), 0.1).value());
  cube.poses_world.assign(3, Transform::from_position(below - Vec3(0.0, kHalf + gap, 0.0)));
  clip.hands.push_back(hand);
  clip.objects.push_back(cube);
  Contact contact;
  contact.by = ContactSide::hand(0, segment);
  contact.on = ContactSide::object(0);
  contact.point_on = Vec3(0.0, kHalf, 0.0);
  contact.force_world = Vec3(0.0, -force, 0.0);
  contact.gap = 0.0;
  clip.contacts.resize(3);
  clip.contacts[1].push_back(contact);
  return clip;
}

constexpr double kExact = 1e-9;  // m

TEST(ContactPlaces, AreMeasuredOnThePosesWhateverTheContactSays) {
  for (const double gap : {0.0, 0.0015, 0.004}) {
    const ContactPlaces places = contact_places(fingertip_above(gap, 1.0), 0.02);
    EXPECT_NEAR(places.off_skin_m, gap, kExact);
    EXPECT_NEAR(places.off_object_m, 0.0, kExact);
    EXPECT_EQ(places.pushing, 1);
    EXPECT_EQ(places.worst_frame, 1);
  }
}

TEST(ContactPlaces, APointBesideTheObjectIsSeen) {
  Clip clip = fingertip_above(0.003, 1.0);
  clip.contacts[1][0].point_on.y() += 0.003;  // on the skin, and above the cube
  const ContactPlaces places = contact_places(clip, 0.02);
  EXPECT_NEAR(places.off_object_m, 0.003, kExact);
  EXPECT_NEAR(places.off_skin_m, 0.0, kExact);
  EXPECT_NEAR(places.worst_m(), 0.003, kExact);
}

TEST(ContactPlaces, ContactsThatDoNotPushAreLeftOut) {
  const ContactPlaces places = contact_places(fingertip_above(0.01, 0.01), 0.02);
  EXPECT_EQ(places.pushing, 0);
  EXPECT_EQ(places.worst_frame, -1);
}

}  // namespace
}  // namespace prehend::jobs
