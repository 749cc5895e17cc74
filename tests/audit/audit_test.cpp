#include "prehend/audit/audit.h"

#include <gtest/gtest.h>

#include "prehend/core/hand_builder.h"
#include "prehend/geometry/primitive.h"

namespace prehend::audit {
namespace {

ObjectPtr make_box(const Vec3& half, bool fixed = false, double friction = 0.6) {
  Object object = geometry::object_from_primitive("box", ShapeKind::kBox, half, 0.3).value();
  object.fixed = fixed;
  object.friction = friction;
  return std::make_shared<Object>(std::move(object));
}

const Vec3 kBoxHalf(0.03, 0.04, 0.03);
const Vec3 kTableHalf(0.3, 0.02, 0.3);

// A clip of one box moving as told, over a fixed table whose top is the plane y = 0 turned by
// `tilt`.
template <typename Motion>
Clip box_clip(const Motion& motion, double tilt = 0.0, double friction = 0.6, int frames = 61,
              bool table = true) {
  Clip clip;
  clip.frame_rate = 60.0;
  ObjectTrack box{make_box(kBoxHalf, false, friction), {}};
  ObjectTrack top{make_box(kTableHalf, true), {}};
  for (int f = 0; f < frames; ++f) {
    box.poses_world.push_back(motion(f / clip.frame_rate));
    top.poses_world.push_back(Transform{exp_map({0, 0, -tilt}), Vec3::Zero()} *
                              Transform::from_position({0, -kTableHalf.y(), 0}));
  }
  clip.objects.push_back(box);
  if (table) clip.objects.push_back(top);
  return clip;
}

Transform on_slope(double tilt, double way) {
  return Transform{exp_map({0, 0, -tilt}), Vec3::Zero()} *
         Transform::from_position({way, kBoxHalf.y(), 0});
}

TEST(Audit, ABoxAtRestOnATableIsTrue) {
  const auto report = audit(box_clip([](double) { return on_slope(0, 0); })).value();
  EXPECT_EQ(report.verdict, Verdict::kPass);
  EXPECT_EQ(report.explained_fraction, 1.0);
  EXPECT_LT(report.dynamics_residual, 1e-4);
  EXPECT_LT(report.max_penetration_m, 1e-9);
}

TEST(Audit, ABoxAtRestInTheAirIsNot) {
  const auto clip = box_clip([](double) { return Transform::from_position({0, 1, 0}); });
  const auto report = audit(clip).value();
  EXPECT_EQ(report.verdict, Verdict::kFail);
  EXPECT_EQ(report.explained_fraction, 0.0);
  EXPECT_NEAR(report.dynamics_residual, 1.0, 1e-6);
}

TEST(Audit, AFloorThatIsToldOfHoldsTheBox) {
  AuditOptions options;
  options.floor_height = 1.0 - kBoxHalf.y();
  const auto clip = box_clip([](double) { return Transform::from_position({0, 1, 0}); });
  EXPECT_EQ(audit(clip, options).value().verdict, Verdict::kPass);
}

TEST(Audit, FreeFallNeedsNoForces) {
  const auto report =
      audit(
          box_clip(
              [](double t) {
                return Transform{exp_map({0, 2 * t, 0}), {0.1 * t, 5 + t - 0.5 * 9.81 * t * t, 0}};
              },
              0.0, 0.6, 61, false))
          .value();
  EXPECT_EQ(report.explained_fraction, 1.0);
  EXPECT_LT(report.dynamics_residual, 1e-6);
}

TEST(Audit, FallingSlowerThanGravityIsNotExplained) {
  const auto report =
      audit(box_clip(
                [](double t) {
                  return Transform::from_position({0, 5 - 0.5 * 0.7 * 9.81 * t * t, 0});
                },
                0.0, 0.6, 61, false))
          .value();
  EXPECT_NEAR(report.dynamics_residual, 0.3, 1e-6);
  EXPECT_EQ(report.explained_fraction, 0.0);
}

TEST(Audit, RestOnASlopeNeedsAsMuchFriction) {
  const double tilt = radians(30);
  const double enough = std::tan(tilt) * 1.02, little = std::tan(tilt) * 0.5;
  const auto rest = [&](double) { return on_slope(tilt, 0.05); };
  EXPECT_EQ(audit(box_clip(rest, tilt, enough)).value().explained_fraction, 1.0);
  const auto report = audit(box_clip(rest, tilt, little)).value();
  EXPECT_EQ(report.explained_fraction, 0.0);
  // The cone's edge comes within sin(tilt - atan(mu)) of the weight; the torque may cost a little
  // more.
  EXPECT_GT(report.dynamics_residual, 0.99 * std::sin(tilt - std::atan(little)));
  EXPECT_LT(report.dynamics_residual, 2.0 * std::sin(tilt - std::atan(little)));
}

TEST(Audit, SlidingAsFrictionAllowsIsTrueAndSlowerSlidingIsNot) {
  const double tilt = radians(35), friction = 0.4;
  const double acceleration = 9.81 * (std::sin(tilt) - friction * std::cos(tilt));
  const auto slide = [&](double factor) {
    return [=](double t) { return on_slope(tilt, 0.5 * factor * acceleration * t * t); };
  };
  EXPECT_EQ(audit(box_clip(slide(1.0), tilt, friction, 20)).value().explained_fraction, 1.0);
  EXPECT_LT(audit(box_clip(slide(0.3), tilt, friction, 20)).value().explained_fraction, 0.1);
}

TEST(Audit, ASpinningTopNeedsItsGyroscopicTorque) {
  // Free tumbling by Euler's equations, integrated finely: no torque acts, so none must be found.
  ObjectPtr box = make_box({0.02, 0.05, 0.08});
  Clip clip;
  clip.frame_rate = 240.0;
  ObjectTrack track{box, {}};
  Quat rotation = Quat::Identity();
  Vec3 spin_body(4.0, 0.5, 3.0);
  const int substeps = 200;
  for (int f = 0; f < 120; ++f) {
    const double t = f / clip.frame_rate;
    track.poses_world.push_back({rotation, {0, 10 - 0.5 * 9.81 * t * t, 0}});
    for (int i = 0; i < substeps; ++i) {
      const double dt = 1.0 / (clip.frame_rate * substeps);
      const Vec3 momentum = box->inertia * spin_body;
      spin_body += dt * box->inertia.inverse() * momentum.cross(spin_body);
      rotation = (rotation * exp_map(dt * spin_body)).normalized();
    }
  }
  clip.objects.push_back(track);
  AuditOptions options;
  options.window = 0.02;
  EXPECT_LT(audit(clip, options).value().dynamics_residual, 0.01);
}

// One finger of a real hand pushed into a box to a known depth.
Clip finger_in_box(double depth) {
  const auto hand = std::make_shared<Hand>(build_hand().value());
  HandPose pose = rest_pose(*hand);
  const auto frames = segment_frames(*hand, pose);
  const int distal = hand->pads[2].segment;
  const Capsule capsule = frames[distal] * hand->segments[distal].capsules[0];
  // A wall in front of the middle finger: nothing else reaches as far along -Z.
  const double tip = capsule.b.z() - capsule.radius;
  const Vec3 half(0.2, 0.2, 0.05);
  Clip clip;
  clip.frame_rate = 60.0;
  HandTrack track{hand, {}};
  ObjectTrack wall{make_box(half, true), {}};
  for (int f = 0; f < 10; ++f) {
    track.poses.push_back(pose);
    wall.poses_world.push_back(Transform::from_position({0, 0, tip - half.z() + depth}));
  }
  clip.hands.push_back(track);
  clip.objects.push_back(wall);
  return clip;
}

TEST(Audit, APenetratingFingerIsMeasured) {
  for (double depth : {0.001, 0.003, 0.009}) {
    const auto report = audit(finger_in_box(depth)).value();
    EXPECT_NEAR(report.max_penetration_m, depth, 1e-6);
    EXPECT_NEAR(report.mean_penetration_m, depth, 1e-6);
    EXPECT_EQ(report.verdict, depth > 0.005 ? Verdict::kFail : Verdict::kPass);
  }
}

TEST(Audit, AFingerNearAWallDoesNotPenetrateIt) {
  EXPECT_EQ(audit(finger_in_box(-0.01)).value().max_penetration_m, 0.0);
}

TEST(Audit, SlipIsTheWayOfTheSkinOverTheObject) {
  Clip clip = finger_in_box(0.001);
  for (int f = 0; f < 10; ++f) clip.hands[0].poses[f].root_world.position.x() = 0.0005 * f;
  EXPECT_NEAR(audit(clip).value().slip_m, 0.0045, 1e-5);
}

TEST(Audit, MovingTogetherIsNoSlip) {
  Clip clip = finger_in_box(0.001);
  for (int f = 0; f < 10; ++f) {
    const Transform move{exp_map({0.01 * f, 0.02 * f, 0}), {0.01 * f, 0.003 * f, 0}};
    clip.hands[0].poses[f].root_world = move * clip.hands[0].poses[f].root_world;
    clip.objects[0].poses_world[f] = move * clip.objects[0].poses_world[f];
  }
  EXPECT_LT(audit(clip).value().slip_m, 1e-9);
}

TEST(Audit, AJointBeyondItsRangeIsMeasured) {
  Clip clip = finger_in_box(-0.05);
  const Hand& hand = *clip.hands[0].hand;
  const int segment = hand.find("ring-intermediate");
  HandPose& pose = clip.hands[0].poses[3];
  pose.rotations[segment] = pose.rotations[segment] * exp_map({radians(30), 0, 0});
  const auto report = audit(clip).value();
  EXPECT_NEAR(report.max_limit_violation_rad, radians(30), 1e-6);
  EXPECT_EQ(report.verdict, Verdict::kFail);
}

// The box on the table with forces recorded at its four lower corners.
Clip box_with_forces(double scale, const Vec3& tangential, const Vec3& shift = Vec3::Zero()) {
  Clip clip = box_clip([](double) { return on_slope(0, 0); });
  clip.forces_recorded = true;
  clip.contacts.resize(clip.frame_count());
  for (auto& contacts : clip.contacts) {
    for (double x : {-1.0, 1.0}) {
      for (double z : {-1.0, 1.0}) {
        Contact contact;
        contact.by = ContactSide::object(1);
        contact.on = ContactSide::object(0);
        contact.point_on = Vec3(x * kBoxHalf.x(), -kBoxHalf.y(), z * kBoxHalf.z()) + shift;
        contact.normal_world = -Vec3::UnitY();
        contact.force_world = scale * 0.3 * 9.81 / 4 * Vec3::UnitY() + tangential;
        contacts.push_back(contact);
      }
    }
  }
  return clip;
}

TEST(Audit, RecordedForcesThatCarryTheWeightPass) {
  const auto report = audit(box_with_forces(1.0, Vec3::Zero())).value();
  EXPECT_TRUE(report.forces_checked);
  EXPECT_EQ(report.verdict, Verdict::kPass);
  EXPECT_LT(report.dynamics_residual, 1e-9);
}

TEST(Audit, RecordedForcesThatCarryTooLittleFail) {
  const auto report = audit(box_with_forces(0.7, Vec3::Zero())).value();
  EXPECT_NEAR(report.dynamics_residual, 0.3, 1e-9);
  EXPECT_EQ(report.verdict, Verdict::kFail);
}

TEST(Audit, RecordedForcesBeyondTheConeAreMeasured) {
  // A quarter of the weight down and 0.2 of the weight sideways at each corner: 0.2 - 0.6 / 4
  // beyond.
  const double weight = 0.3 * 9.81;
  const auto report = audit(box_with_forces(1.0, {0.2 * weight, 0, 0})).value();
  EXPECT_NEAR(report.friction_excess, 0.2 - 0.6 * 0.25, 1e-9);
}

TEST(Audit, PullingForcesAreBeyondTheCone) {
  EXPECT_NEAR(audit(box_with_forces(-1.0, Vec3::Zero())).value().friction_excess, 0.25, 1e-9);
}

TEST(Audit, ForcesFromNowhereDoNotCount) {
  const auto report = audit(box_with_forces(1.0, Vec3::Zero(), {0, -0.05, 0})).value();
  EXPECT_NEAR(report.dynamics_residual, 1.0, 1e-9);
  EXPECT_FALSE(report.notes.empty());
}

TEST(Audit, RecordedForcesCanBeLeftAside) {
  AuditOptions options;
  options.use_recorded_forces = false;
  EXPECT_EQ(audit(box_with_forces(0.2, Vec3::Zero()), options).value().verdict, Verdict::kPass);
}

TEST(Audit, OneFrameIsJudgedAsStandingStill) {
  EXPECT_EQ(audit(box_clip([](double) { return on_slope(0, 0); }, 0, 0.6, 1)).value().verdict,
            Verdict::kPass);
}

TEST(Audit, AnEmptyClipIsRefused) { EXPECT_FALSE(audit(Clip{}).ok()); }

TEST(Audit, StoppingKeepsWhatIsDone) {
  std::stop_source source;
  source.request_stop();
  Monitor monitor;
  monitor.stop = source.get_token();
  const auto report = audit(box_clip([](double) { return on_slope(0, 0); }), {}, monitor).value();
  EXPECT_EQ(report.summary.termination, Termination::kInterrupted);
}

}  // namespace
}  // namespace prehend::audit
