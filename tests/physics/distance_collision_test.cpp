#include "physics/distance_collision.h"
#include "prehend/geometry/capsule_contacts.h"

#include <gtest/gtest.h>

#include "prehend/geometry/builtin.h"
#include "prehend/physics/dynamics.h"
#include "tests/physics/physics_fixture.h"

namespace prehend::physics {
namespace {

constexpr double kRing = 0.04, kTube = 0.01;

ObjectSetup torus() {
  ObjectSetup setup;
  setup.object = torus_object(kRing, kTube, 0.2);
  setup.distance = std::make_shared<TorusField>(kRing, kTube);
  setup.fixed = true;
  return setup;
}

State drop(const ObjectSetup& object, HandPtr probe, const Transform& from, int steps,
           const WorldOptions& options = {}) {
  HandSetup setup;
  setup.hand = std::move(probe);
  setup.root = RootMotion::kFree;
  State state(World::build(std::span(&setup, 1), std::span(&object, 1), options).value());
  HandPose pose = rest_pose(*setup.hand);
  pose.root_world = from;
  state.set_hand_pose(0, pose);
  state.step(steps);
  return state;
}

TEST(DistanceCollision, ACapsuleFallsThroughTheHoleOfARing) {
  const HandPtr probe = capsule_hand({0, -0.02, 0}, {0, 0.02, 0}, 0.008, 0.02);
  const State state = drop(torus(), probe, Transform::from_position({0, 0.1, 0}), 150);
  // 0.3 s of free fall: 0.44 m, unless the hull had stopped it.
  EXPECT_NEAR(state.hand_pose(0).root_world.position.y(), 0.1 - 0.5 * 9.81 * 0.3 * 0.302, 1e-6);
}

TEST(DistanceCollision, ACapsuleRestsAcrossTheRimOfARing) {
  const HandPtr probe = capsule_hand({-0.06, 0, 0}, {0.06, 0, 0}, 0.008, 0.02);
  State state = drop(torus(), probe, Transform::from_position({0, kTube + 0.012, 0}), 1000);
  EXPECT_NEAR(state.hand_pose(0).root_world.position.y(), kTube + 0.008, 4e-4);
  // It touches at both sides of the ring, straight from above, and its weight is carried.
  Vec3 force = Vec3::Zero();
  for (const Contact& c : state.contacts()) {
    force += c.force_world;
    EXPECT_NEAR(std::abs(c.point_on.x()), kRing, 2e-3);
    EXPECT_GE(c.normal_world.y(), 0.99);
    EXPECT_TRUE(c.by.is_hand(0));
    EXPECT_TRUE(c.on.is_object(0));
  }
  EXPECT_NEAR(force.y(), -0.02 * 9.81, 0.01 * 0.02 * 9.81);
  EXPECT_LE(std::hypot(force.x(), force.z()), 1e-3);
  EXPECT_LE(energy(state).kinetic, 1e-9);
}

TEST(DistanceCollision, CapsuleContactsAreWhereTheGeometrySays) {
  const TorusField field(kRing, kTube);
  std::array<geometry::FieldContact, geometry::kMaxFieldContacts> found;
  // Across the ring, 1 mm into the tube at x = +-kRing.
  const int count = geometry::capsule_field_contacts(
      field, {{-0.06, kTube + 0.004, 0}, {0.06, kTube + 0.004, 0}, 0.005}, 0.0, found);
  ASSERT_EQ(count, 2);
  for (int i = 0; i < count; ++i) {
    EXPECT_NEAR(found[i].gap, -0.001, 1e-7);
    EXPECT_NEAR(std::abs(found[i].point.x()), kRing, 2e-5);
    EXPECT_NEAR(found[i].point.y(), kTube - 0.0005, 1e-6);
    EXPECT_GE(found[i].normal.y(), 1.0 - 1e-6);
  }
  // Through the hole, along the axis: nothing.
  EXPECT_EQ(geometry::capsule_field_contacts(field, {{0, -0.1, 0}, {0, 0.1, 0}, 0.02}, 0.0, found),
            0);
  // Far away: nothing, whatever the length.
  EXPECT_EQ(geometry::capsule_field_contacts(field, {{1, 1, 1}, {1.3, 1, 1}, 0.02}, 0.0, found), 0);
}

TEST(DistanceCollision, ABallComesToRestInsideACup) {
  ObjectSetup cup;
  cup.object = std::make_shared<const Object>(geometry::builtin_object("cup").value());
  cup.fixed = true;
  double top = -1e9, bottom = 1e9;
  for (const Vec3& v : cup.object->shape.mesh->vertices) {
    top = std::max(top, v.y()), bottom = std::min(bottom, v.y());
  }
  const HandPtr ball = capsule_hand(Vec3::Zero(), Vec3::Zero(), 0.012, 0.02);
  State state = drop(cup, ball, Transform::from_position({0.005, top + 0.02, 0.0}), 2000);
  const Vec3 rest = state.hand_pose(0).root_world.position;
  EXPECT_LT(rest.y(), top - 0.02) << "it lies on the hull instead of in the cup";
  EXPECT_GT(rest.y(), bottom + 0.012) << "it fell through the bottom";
  const double gap = geometry::exact_distance(cup.object->shape)->sample(rest).distance - 0.012;
  EXPECT_NEAR(gap, 0.0, 5e-4);
  EXPECT_LE(energy(state).kinetic, 1e-6);
}

TEST(DistanceCollision, AFingerGoesThroughTheHandleOfAMug) {
  ObjectSetup mug;
  mug.object = std::make_shared<const Object>(geometry::builtin_object("mug").value());
  mug.fixed = true;
  const auto field = geometry::exact_distance(mug.object->shape);
  // The handle's opening: the point of most room among those that have mug on both sides.
  Vec3 lower = Vec3::Constant(1e9), upper = -lower;
  for (const Vec3& v : mug.object->shape.mesh->vertices) {
    lower = lower.cwiseMin(v), upper = upper.cwiseMax(v);
  }
  const bool along_x = upper.x() - lower.x() > upper.z() - lower.z();
  const Vec3 out = along_x ? Vec3::UnitX() : Vec3::UnitZ();
  const Vec3 through = along_x ? Vec3::UnitZ() : Vec3::UnitX();
  const double side = std::abs(upper.dot(out)) > std::abs(lower.dot(out)) ? 1.0 : -1.0;
  const double rim = std::max(std::abs(upper.dot(out)), std::abs(lower.dot(out)));
  const double body = 0.5 * (upper - lower).dot(through);
  double room = 0.0;
  Vec3 opening = Vec3::Zero();
  for (double r = body; r < rim; r += 5e-4) {
    const Vec3 p(side * r * out);
    for (double y = lower.y() + 0.02; y < upper.y() - 0.02; y += 1e-3) {
      const Vec3 q = p + y * Vec3::UnitY();
      const double clear = field->sample(q).distance;
      if (clear > room) room = clear, opening = q;
    }
  }
  ASSERT_GE(room, 0.009) << "a finger of 8 mm radius and a millimeter around it";
  // Driven through along the opening's axis, 0.1 m in 0.4 s, it meets nothing.
  HandSetup setup;
  setup.hand = capsule_hand(-0.03 * through, 0.03 * through, 0.008, 0.02);
  State state(World::build(std::span(&setup, 1), std::span(&mug, 1)).value());
  HandPose pose = rest_pose(*setup.hand);
  for (int i = 0; i <= 200; ++i) {
    pose.root_world.position = opening + (0.0005 * i - 0.05) * through;
    state.set_hand_pose(0, pose);
    state.evaluate();
    ASSERT_TRUE(state.contacts().empty()) << "at step " << i;
  }
  // And pushed sideways it meets the handle from the inside.
  pose.root_world.position = opening + side * (room - 0.008 + 0.003) * out;
  state.set_hand_pose(0, pose);
  state.evaluate();
  ASSERT_FALSE(state.contacts().empty());
  EXPECT_LT(side * state.contacts()[0].normal_world.dot(out), 0.0);
}

TEST(DistanceCollision, OtherModelsKeepTheEnginesOwnFunctions) {
  mjModel plain{};
  plain.nuser_geom = 0;
  EXPECT_EQ(attached_distance(&plain, 0), nullptr);
}

TEST(DistanceCollision, TheSameRunGivesTheSameBytes) {
  const HandPtr probe = capsule_hand({-0.06, 0, 0}, {0.05, 0, 0}, 0.008, 0.02);
  const Transform from{exp_map(Vec3(0.1, 0.4, 0.2)), {0.003, 0.05, 0.001}};
  const Snapshot a = drop(torus(), probe, from, 400).snapshot();
  const Snapshot b = drop(torus(), probe, from, 400).snapshot();
  EXPECT_EQ(a.position, b.position);
  EXPECT_EQ(a.velocity, b.velocity);
}

}  // namespace
}  // namespace prehend::physics
