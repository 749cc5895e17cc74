// What the recorder says of a frame against the same sums taken by hand from State::contacts.
#include "prehend/physics/recorder.h"

#include <functional>

#include <gtest/gtest.h>

#include "prehend/geometry/primitive.h"
#include "tests/physics/physics_fixture.h"

namespace prehend::physics {
namespace {

constexpr double kStep = 0.002;      // s
constexpr double kFrameRate = 50.0;  // Hz: ten steps a frame
constexpr int kStepsPerFrame = 10;
constexpr double kTop = 0.02;         // m, height of the box's upper side
constexpr double kRadius = 0.01;      // m, of a probe
constexpr double kSamePlace = 0.008;  // m, as in recorder.cpp

// A finger without joints that stands upright: its lower end touches at one point.
HandSetup probe(const Vec3& end = 0.03 * Vec3::UnitY()) {
  HandSetup setup;
  setup.hand = capsule_hand(Vec3::Zero(), end, kRadius, 0.02);
  return setup;
}

WorldPtr make_world(const std::vector<HandSetup>& hands, bool box, std::optional<double> floor) {
  std::vector<ObjectSetup> objects;
  if (box) {
    objects.push_back({std::make_shared<const Object>(*geometry::object_from_primitive(
                           "box", ShapeKind::kBox, {0.1, kTop, 0.1}, 1.0)),
                       nullptr, true});
  }
  WorldOptions options;
  options.timestep = kStep;
  options.gravity = Vec3::Zero();
  options.floor_height = floor;
  return World::build(hands, objects, options).value();
}

struct Recorded {
  Clip clip;
  std::vector<std::vector<Contact>> steps;  // the contacts of each step
};

// Before each step the hands are put where `place` says, at rest, so that what they touch and how
// hard is known.
using Place = std::function<Vec3(int hand, int step)>;
Recorded record(const WorldPtr& world, int steps, const Place& place,
                double frame_rate = kFrameRate) {
  State state(world);
  Recorder recorder(state, frame_rate);
  Recorded out;
  for (int k = 0; k < steps; ++k) {
    for (int h = 0; h < world->hand_count(); ++h) {
      HandPose pose = rest_pose(world->hand(h));
      pose.root_world = Transform::from_position(place(h, k));
      state.set_hand_pose(h, pose);
    }
    state.set_velocity(Eigen::VectorXd::Zero(world->dof()));
    recorder.before_step(state);
    state.step();
    recorder.after_step(state);
    out.steps.push_back(state.contacts());
  }
  out.clip = recorder.finish("recorded");
  return out;
}

// A probe on the box, deeper from step to step so that no two forces are alike.
Vec3 on_box(double x, int step) {
  return {x, kTop + kRadius - 1e-4 * (1.0 + 0.1 * (step % 7)), 0.0};
}
Vec3 far_away() { return {0.0, 1.0, 0.0}; }

// The mean over the steps whose middle is nearest to a frame's time, of contacts that `which` picks.
struct Mean {
  Vec3 force = Vec3::Zero(), point = Vec3::Zero();
  double gap = INFINITY, torque = 0.0;
};
Mean mean_by_hand(const Recorded& recorded, int frame,
                  const std::function<bool(const Contact&)>& which) {
  Mean mean;
  double weight = 0.0;
  int steps = 0;
  for (int k = 0; k < static_cast<int>(recorded.steps.size()); ++k) {
    const double at = (k + 0.5) * kStep * recorded.clip.frame_rate;
    if (std::abs(at - frame) > 0.5) continue;
    ++steps;
    for (const Contact& contact : recorded.steps[k]) {
      if (!which(contact)) continue;
      const double push = -contact.normal_world.dot(contact.force_world);
      mean.force += contact.force_world;
      mean.torque += contact.torque_normal;
      mean.point += push * contact.point_on;
      mean.gap = std::min(mean.gap, contact.gap);
      weight += push;
    }
  }
  mean.force /= steps;
  mean.torque /= steps;
  mean.point /= weight;
  return mean;
}

void expect_same(const Contact& contact, const Mean& mean) {
  EXPECT_GT(mean.force.norm(), 1e-3) << "a test of nothing";
  EXPECT_LE((contact.force_world - mean.force).norm(), 1e-12 * (1.0 + mean.force.norm()));
  EXPECT_NEAR(contact.torque_normal, mean.torque, 1e-12);
  EXPECT_LE((contact.point_on - mean.point).norm(), 1e-8);
  EXPECT_EQ(contact.gap, mean.gap);
  EXPECT_NEAR(contact.normal_world.norm(), 1.0, 1e-12);
}

bool any(const Contact&) { return true; }

TEST(Recorder, AFrameHasThePoseOfItsTimeAndTheMeanForceAroundIt) {
  const WorldPtr world = make_world({probe()}, true, std::nullopt);
  const Place place = [](int, int step) { return on_box(1e-4 * step, step); };
  const Recorded recorded = record(world, 46, place);
  const Clip& clip = recorded.clip;
  ASSERT_EQ(clip.frame_count(), 5);
  EXPECT_EQ(clip.name, "recorded");
  EXPECT_TRUE(clip.forces_recorded);
  EXPECT_FALSE(clip.floor_height);
  ASSERT_EQ(clip.contacts.size(), 5u);
  for (int i = 0; i < 5; ++i) {
    const Vec3 expected = place(0, kStepsPerFrame * i);
    EXPECT_LE((clip.hands[0].poses[i].root_world.position - expected).norm(), 1e-15) << i;
    ASSERT_EQ(clip.contacts[i].size(), 1u) << i;
    const Contact& contact = clip.contacts[i][0];
    EXPECT_TRUE(contact.between(ContactSide::hand(0, 0), ContactSide::object(0)));
    EXPECT_GE(contact.normal_world.y(), 1.0 - 1e-9);
    expect_same(contact, mean_by_hand(recorded, i, any));
  }
}

// 70 frames a second of 2 ms steps: frames of seven and of eight steps, and no step's middle is
// midway between two frames.
TEST(Recorder, FramesNeedNotBeWholeSteps) {
  const WorldPtr world = make_world({probe()}, true, std::nullopt);
  const Recorded recorded = record(
      world, 60, [](int, int step) { return on_box(0.0, step); }, 70.0);
  ASSERT_GE(recorded.clip.frame_count(), 6);
  for (int i = 0; i < recorded.clip.frame_count(); ++i) {
    ASSERT_EQ(recorded.clip.contacts[i].size(), 1u) << i;
    expect_same(recorded.clip.contacts[i][0], mean_by_hand(recorded, i, any));
  }
}

TEST(Recorder, AContactOfThreeStepsOfTenHasThreeTenthsOfItsForce) {
  const WorldPtr world = make_world({probe()}, true, std::nullopt);
  const Recorded recorded = record(world, 26, [](int, int step) {
    return step >= 8 && step < 11 ? on_box(0.0, 0) : far_away();
  });
  ASSERT_EQ(recorded.clip.frame_count(), 3);
  EXPECT_TRUE(recorded.clip.contacts[0].empty());
  EXPECT_TRUE(recorded.clip.contacts[2].empty()) << "forces must not stay into the next frame";
  ASSERT_EQ(recorded.clip.contacts[1].size(), 1u);
  ASSERT_EQ(recorded.steps[8].size(), 1u);
  const Vec3 one = recorded.steps[8][0].force_world;
  EXPECT_LE((recorded.clip.contacts[1][0].force_world - 0.3 * one).norm(), 1e-6 * one.norm());
}

TEST(Recorder, ContactsOfTheSameSidesMergeOnlyWhereTheyAreNear) {
  const WorldPtr world = make_world({probe()}, true, std::nullopt);
  for (const double jump : {0.9 * kSamePlace, 1.1 * kSamePlace}) {
    // In the middle of frame 1 the probe is put down again elsewhere.
    const Recorded recorded = record(
        world, 16, [&](int, int step) { return on_box(step < kStepsPerFrame ? 0.0 : jump, step); });
    ASSERT_EQ(recorded.clip.frame_count(), 2);
    const std::vector<Contact>& contacts = recorded.clip.contacts[1];
    if (jump < kSamePlace) {
      ASSERT_EQ(contacts.size(), 1u);
      expect_same(contacts[0], mean_by_hand(recorded, 1, any));
      EXPECT_GT(contacts[0].point_on.x(), 0.1 * jump);
      EXPECT_LT(contacts[0].point_on.x(), 0.9 * jump);
      continue;
    }
    ASSERT_EQ(contacts.size(), 2u);
    for (const bool first : {true, false}) {
      expect_same(contacts[first ? 0 : 1], mean_by_hand(recorded, 1, [&](const Contact& c) {
                    return (c.point_on.x() < 0.5 * jump) == first;
                  }));
    }
  }
}

// Both press the box at the same place, one after the other.
TEST(Recorder, TwoHandsAtOnePlaceStayTwoContacts) {
  const WorldPtr world = make_world({probe(), probe()}, true, std::nullopt);
  const Recorded recorded = record(world, 16, [](int hand, int step) {
    const bool down = (step < kStepsPerFrame) == (hand == 0);
    return down ? on_box(0.0, step) : Vec3(0.1 * hand, 1.0, 0.0);
  });
  ASSERT_EQ(recorded.clip.frame_count(), 2);
  const std::vector<Contact>& contacts = recorded.clip.contacts[1];
  ASSERT_EQ(contacts.size(), 2u);
  for (int hand = 0; hand < 2; ++hand) {
    EXPECT_TRUE(contacts[hand].between(ContactSide::hand(hand, 0), ContactSide::object(0)));
    expect_same(contacts[hand],
                mean_by_hand(recorded, 1, [&](const Contact& c) { return c.by.is_hand(hand); }));
  }
}

TEST(Recorder, HandsOnHandsAndOnTheFloorAreRecorded) {
  const double floor = -0.2;
  const WorldPtr world = make_world({probe(), probe()}, false, floor);
  // Hand 0 stands on the floor, hand 1 on hand 0's upper end, which is 0.03 m above the lower.
  const Place place = [&](int hand, int step) -> Vec3 {
    const double depth = 1e-4 * (1.0 + 0.1 * (step % 7));
    const double bottom = floor + kRadius - depth;
    return {0.0, hand == 0 ? bottom : bottom + 0.03 + 2.0 * kRadius - depth, 0.0};
  };
  const Recorded recorded = record(world, 16, place);
  ASSERT_EQ(recorded.clip.frame_count(), 2);
  ASSERT_TRUE(recorded.clip.floor_height);
  EXPECT_EQ(*recorded.clip.floor_height, floor);
  int on_floor = 0, on_hand = 0;
  for (const Contact& contact : recorded.clip.contacts[1]) {
    const bool by_floor = contact.by.is_surroundings();
    ++(by_floor ? on_floor : on_hand);
    EXPECT_TRUE(contact.on == ContactSide::hand(0, 0));
    EXPECT_TRUE(by_floor || contact.by == ContactSide::hand(1, 0));
    EXPECT_NEAR(contact.normal_world.y(), by_floor ? -1.0 : 1.0, 1e-6) << "out of hand 0";
    expect_same(contact, mean_by_hand(recorded, 1, [&](const Contact& c) {
                  return c.by.is_surroundings() == by_floor;
                }));
  }
  EXPECT_EQ(on_floor, 1);
  EXPECT_EQ(on_hand, 1);
}

// Frame 2 stands for the steps 15 to 24.
TEST(Recorder, ALastFrameWithoutAllItsForcesIsLeftOut) {
  const WorldPtr world = make_world({probe()}, true, std::nullopt);
  const Place place = [](int, int step) { return on_box(0.0, step); };
  for (const auto& [steps, frames] : {std::pair{25, 2}, std::pair{26, 3}}) {
    const Clip clip = record(world, steps, place).clip;
    EXPECT_EQ(clip.frame_count(), frames);
    EXPECT_EQ(static_cast<int>(clip.contacts.size()), frames);
    EXPECT_EQ(static_cast<int>(clip.hands[0].poses.size()), frames);
    EXPECT_EQ(static_cast<int>(clip.objects[0].poses_world.size()), frames);
  }
  EXPECT_EQ(record(world, 5, place).clip.frame_count(), 0);
}

}  // namespace
}  // namespace prehend::physics
